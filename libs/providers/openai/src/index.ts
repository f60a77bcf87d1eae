export { azure } from './azure/azure.ts';
export { cohere } from './cohere/cohere.ts';
export { jina } from './jina/jina.ts';
export { ollama } from './ollama/ollama.ts';
export { openaiCompatible } from './compatible.ts';
export { openai } from './openai.ts';
export { stability } from './stability/stability.ts';
export { voyage } from './voyage/voyage.ts';

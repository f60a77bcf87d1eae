export { azure } from './azure/azure.ts';
export { openaiCompatible } from './compatible.ts';
export { openai } from './openai.ts';

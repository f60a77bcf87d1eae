export { openaiCompatible } from './compatible.ts';
export { openai } from './openai.ts';

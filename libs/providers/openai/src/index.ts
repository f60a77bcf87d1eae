import type { Vendor } from '@model-gateway/provider-kit';
import { azure as declaredAzure } from './azure/declared.ts';
import { azureSpeech as declaredAzureSpeech } from './azure-speech/declared.ts';
import { cohere as declaredCohere } from './cohere/declared.ts';
import { openai as declaredOpenai, openaiCompatible as declaredCompatible } from './declared.ts';
import { ideogram as declaredIdeogram } from './ideogram/declared.ts';
import { jina as declaredJina } from './jina/declared.ts';
import { ollama as declaredOllama } from './ollama/declared.ts';
import { recraft as declaredRecraft } from './recraft/declared.ts';
import { stability as declaredStability } from './stability/declared.ts';
import { voyage as declaredVoyage } from './voyage/declared.ts';

export const openai: Vendor = { ...declaredOpenai, load: async () => (await import('./openai.ts')).openai };
export const openaiCompatible: Vendor = {
  ...declaredCompatible,
  load: async () => (await import('./compatible.ts')).openaiCompatible,
};
export const azure: Vendor = { ...declaredAzure, load: async () => (await import('./azure/azure.ts')).azure };
export const cohere: Vendor = { ...declaredCohere, load: async () => (await import('./cohere/cohere.ts')).cohere };
export const jina: Vendor = { ...declaredJina, load: async () => (await import('./jina/jina.ts')).jina };
export const voyage: Vendor = { ...declaredVoyage, load: async () => (await import('./voyage/voyage.ts')).voyage };
export const ollama: Vendor = { ...declaredOllama, load: async () => (await import('./ollama/ollama.ts')).ollama };
export const stability: Vendor = {
  ...declaredStability,
  load: async () => (await import('./stability/stability.ts')).stability,
};
export const ideogram: Vendor = {
  ...declaredIdeogram,
  load: async () => (await import('./ideogram/ideogram.ts')).ideogram,
};
export const recraft: Vendor = { ...declaredRecraft, load: async () => (await import('./recraft/recraft.ts')).recraft };
export const azureSpeech: Vendor = {
  ...declaredAzureSpeech,
  load: async () => (await import('./azure-speech/azure-speech.ts')).azureSpeech,
};

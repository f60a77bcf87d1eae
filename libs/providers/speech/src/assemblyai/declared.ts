import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** AssemblyAI (docs/wire/assemblyai.md): transcripts with words and speakers, made by jobs. */
export const assemblyai: DeclaredVendor = {
  id: 'assemblyai',
  declares: {
    title: 'AssemblyAI',
    ...declareApiKey('https://api.assemblyai.com'),
    baseUrlTail: /\/v2$/,
  },
};

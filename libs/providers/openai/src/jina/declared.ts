import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const jina: DeclaredVendor = {
  id: 'jina',
  declares: { title: 'Jina AI', ...declareApiKey('https://api.jina.ai/v1') },
};

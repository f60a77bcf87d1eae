import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const voyage: DeclaredVendor = {
  id: 'voyage',
  declares: { title: 'Voyage AI', ...declareApiKey('https://api.voyageai.com/v1') },
};

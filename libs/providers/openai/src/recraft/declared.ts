import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const recraft: DeclaredVendor = {
  id: 'recraft',
  declares: { title: 'Recraft', ...declareApiKey('https://external.api.recraft.ai/v1') },
};

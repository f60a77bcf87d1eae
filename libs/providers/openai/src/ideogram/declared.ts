import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const ideogram: DeclaredVendor = {
  id: 'ideogram',
  declares: { title: 'Ideogram', ...declareApiKey('https://api.ideogram.ai') },
};

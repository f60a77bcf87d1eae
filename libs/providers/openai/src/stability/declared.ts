import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const stability: DeclaredVendor = {
  id: 'stability',
  declares: { title: 'Stability AI', ...declareApiKey('https://api.stability.ai') },
};

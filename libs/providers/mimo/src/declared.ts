import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Xiaomi's MiMo platform: chat in OpenAI's wire, and speech through the same path. */
export const mimo: DeclaredVendor = {
  id: 'mimo',
  declares: { title: 'Xiaomi MiMo', ...declareApiKey('https://api.xiaomimimo.com/v1') },
};

import { bearer, declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './speech.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Xiaomi's MiMo platform: chat in OpenAI's wire, and speech through the same path. */
export const mimo: VendorAdapter = {
  id: 'mimo',
  ...CAPABILITIES,
  declares: { title: 'Xiaomi MiMo', ...declareApiKey('https://api.xiaomimimo.com/v1'), quirks: QUIRKS },
  authorize: bearer,
  readFault,
};

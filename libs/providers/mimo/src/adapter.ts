import { bearer, type VendorAdapter } from '@model-gateway/provider-kit';
import { mimo as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { readFault } from './speech.ts';

export const mimo: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: bearer,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

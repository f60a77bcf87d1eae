import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { deepgram as declared } from './declared.ts';
import { modelList } from './model-list.ts';

export const deepgram: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  modelList,
  authorize: (_request, { credentials }) => ({ authorization: `Token ${credentials['api_key'] ?? ''}` }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

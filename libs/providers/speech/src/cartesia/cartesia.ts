import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { cartesia as declared } from './declared.ts';
import { modelList } from './model-list.ts';

/** Of the answers and refusals that are read here (docs/wire/cartesia.md). */
const VERSION = '2026-08-14';

export const cartesia: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  modelList,
  authorize: (_request, { credentials }) => ({
    authorization: `Bearer ${credentials['api_key'] ?? ''}`,
    'cartesia-version': VERSION,
  }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

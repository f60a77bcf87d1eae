import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Of the answers and refusals that are read here (docs/wire/cartesia.md). */
const VERSION = '2026-08-14';

/** Cartesia (docs/wire/cartesia.md): speech, and transcripts with words. */
export const cartesia: VendorAdapter = {
  id: 'cartesia',
  ...CAPABILITIES,
  declares: { title: 'Cartesia', ...declareApiKey('https://api.cartesia.ai'), quirks: QUIRKS },
  authorize: (_request, { credentials }) => ({
    authorization: `Bearer ${credentials['api_key'] ?? ''}`,
    'cartesia-version': VERSION,
  }),
  readFault,
};

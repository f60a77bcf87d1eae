/** Cohere (docs/wire/cohere.md): chat through its door in OpenAI's form, vectors and scores on its own wire. */
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { cohere as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const cohere: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

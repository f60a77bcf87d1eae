/** Voyage AI (docs/wire/voyage.md): vectors on OpenAI's wire in words of its own, of texts and pictures, and scores of documents. */
import { readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { voyage as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const voyage: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
  declares: { ...declared.declares, quirks: QUIRKS },
};

/** Voyage AI (docs/wire/voyage.md): vectors on OpenAI's wire in words of its own, of texts and pictures, and scores of documents. */
import { declareApiKey, readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const voyage: VendorAdapter = {
  id: 'voyage',
  ...CAPABILITIES,
  declares: { title: 'Voyage AI', ...declareApiKey('https://api.voyageai.com/v1'), quirks: QUIRKS },
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
};

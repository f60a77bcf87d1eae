/** Jina (docs/wire/jina.md): vectors on OpenAI's wire in words of its own, and scores of documents. */
import { readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from '../fault.ts';
import { jina as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const jina: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
  declares: { ...declared.declares, quirks: QUIRKS },
};

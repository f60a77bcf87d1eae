/** Jina (docs/wire/jina.md): vectors on OpenAI's wire in words of its own, and scores of documents. */
import { declareApiKey, readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from '../fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const jina: VendorAdapter = {
  id: 'jina',
  ...CAPABILITIES,
  declares: { title: 'Jina AI', ...declareApiKey('https://api.jina.ai/v1'), quirks: QUIRKS },
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
};

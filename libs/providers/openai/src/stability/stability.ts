/** Stability AI (docs/wire/stability.md): pictures by forms, each with the base64 of one picture for an answer. */
import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const stability: VendorAdapter = {
  id: 'stability',
  ...CAPABILITIES,
  declares: { title: 'Stability AI', ...declareApiKey('https://api.stability.ai'), quirks: QUIRKS },
  authorize,
  readFault,
};

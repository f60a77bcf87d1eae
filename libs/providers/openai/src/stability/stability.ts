/** Stability AI (docs/wire/stability.md): pictures by forms, each with the base64 of one picture for an answer. */
import { type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { stability as declared } from './declared.ts';

export const stability: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

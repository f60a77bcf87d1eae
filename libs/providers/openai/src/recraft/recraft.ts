/** Recraft (docs/wire/recraft.md): OpenAI’s generations with styles, and edits at addresses of its own. */
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { recraft as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const recraft: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

/** Ollama (docs/wire/local-servers.md#ollama) on its own wire, which can say how long a prompt may be; its OpenAI-compatible API cannot. */
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from '../fault.ts';
import { ollama as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const ollama: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  modelList,
  authorize,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};

/** Ollama (docs/wire/local-servers.md#ollama) on its own wire, which can say how long a prompt may be; its OpenAI-compatible API cannot. */
import { cancellationOfServer, DECLARES_OWN_SERVER, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from '../fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const ollama: VendorAdapter = {
  id: 'ollama',
  ...CAPABILITIES,
  modelList,
  declares: {
    title: 'Ollama',
    ...DECLARES_OWN_SERVER,
    baseUrl: 'http://127.0.0.1:11434',
    baseUrlTail: /\/(?:v1|api)$/,
    streamCancellation: cancellationOfServer,
    quirks: QUIRKS,
    chatQuirks: { media_urls: false, several_answers: false, max_tokens_field: 'max_tokens' },
  },
  authorize,
  readFault,
};

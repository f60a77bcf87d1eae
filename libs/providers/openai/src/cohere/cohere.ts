/** Cohere (docs/wire/cohere.md): chat through its door in OpenAI's form, vectors and scores on its own wire. */
import { cancellationOfServer, declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { authorize } from '../declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const cohere: VendorAdapter = {
  id: 'cohere',
  ...CAPABILITIES,
  declares: {
    title: 'Cohere',
    ...declareApiKey('https://api.cohere.com'),
    baseUrlTail: /\/(?:v[12]|compatibility\/v1)$/,
    streamCancellation: ({ baseUrl }) => cancellationOfServer({ baseUrl, settings: { provider: 'cohere' } }),
    quirks: QUIRKS,
    // It knows the efforts `none` and `high` alone, and schemas by a form of its own (docs/wire/cohere.md#chat).
    chatQuirks: { max_tokens_field: 'max_tokens', several_answers: false, structured_output: false, thinking: 'none' },
  },
  authorize,
  readFault,
};

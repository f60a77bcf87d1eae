import { cancellationOfServer, declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

export const cohere: DeclaredVendor = {
  id: 'cohere',
  declares: {
    title: 'Cohere',
    ...declareApiKey('https://api.cohere.com'),
    baseUrlTail: /\/(?:v[12]|compatibility\/v1)$/,
    streamCancellation: ({ baseUrl }) => cancellationOfServer({ baseUrl, settings: { provider: 'cohere' } }),
    // It knows the efforts `none` and `high` alone, and schemas by a form of its own (docs/wire/cohere.md#chat).
    chatQuirks: { max_tokens_field: 'max_tokens', several_answers: false, structured_output: false, thinking: 'none' },
  },
};

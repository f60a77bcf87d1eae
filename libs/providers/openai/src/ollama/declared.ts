import { cancellationOfServer, DECLARES_OWN_SERVER, type DeclaredVendor } from '@model-gateway/provider-kit';

export const ollama: DeclaredVendor = {
  id: 'ollama',
  declares: {
    title: 'Ollama',
    ...DECLARES_OWN_SERVER,
    baseUrl: 'http://127.0.0.1:11434',
    baseUrlTail: /\/(?:v1|api)$/,
    streamCancellation: cancellationOfServer,
    chatQuirks: { media_urls: false, several_answers: false, max_tokens_field: 'max_tokens' },
  },
};

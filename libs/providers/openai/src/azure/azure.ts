/** OpenAI's wires as Azure serves them (docs/wire/azure.md): other addresses, another key or an Entra token, content filters. */
import { cancellationOfServer, readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { QUIRKS as OF_OPENAI, websocketSetting } from '../declared.ts';
import { readFault } from '../fault.ts';
import { ENTRA_CREDENTIALS, entraToken } from './entra.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Azure OpenAI and AI Foundry: an offer's `model` is the name of a deployment. */
export const azure: VendorAdapter = {
  id: 'azure',
  ...CAPABILITIES,
  declares: {
    title: 'Azure OpenAI',
    telemetryName: 'azure.ai.openai',
    baseUrlTail: /\/openai(?:\/v1)?$/,
    credentials: {
      api_key: { about: 'One of the two keys of the resource.', secret: true },
      ...ENTRA_CREDENTIALS,
    },
    sufficient: [
      ['api_key'],
      ['tenant_id', 'client_id', 'client_secret'],
      ['tenant_id', 'client_id', 'federated_token_file'],
      ['managed_identity'],
    ],
    settings: {
      api_version: {
        type: 'text',
        about:
          'The `api-version` of requests: `v1` or `preview` for the wire without dates, a date such as 2024-10-21 for the one with deployments in the path; v1 unless said.',
      },
      ...websocketSetting(
        'Whether responses that come over a WebSocket are asked for over one, on the wire without dates; off unless said.',
      ),
      managed_identity: {
        type: 'text',
        about: '`system`, or the client id of a user-assigned identity: tokens come from the machine that it runs on.',
      },
      authority: {
        type: 'text',
        about: 'Where Entra gives out tokens; https://login.microsoftonline.com unless said.',
      },
      scope: {
        type: 'text',
        about: 'What tokens are for; https://cognitiveservices.azure.com/.default unless said.',
      },
    },
    streamCancellation: ({ baseUrl }) => cancellationOfServer({ baseUrl, settings: { provider: 'azure' } }),
    quirks: { ...QUIRKS, images: OF_OPENAI.images ?? {}, speech: OF_OPENAI.speech ?? {} },
    chatQuirks: {
      custom_tools: true,
      image_output: false,
      max_tokens_field: 'max_completion_tokens',
      prompt_cache_key: true,
      video_input: false,
    },
  },
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    if (key !== '') return { 'api-key': key };
    return entraToken(account, request.send, now).then((token) => ({ authorization: `Bearer ${token}` }));
  },
  readFault,
  readLimits: readOpenAiLimits,
};

import { cancellationOfServer, type DeclaredCredential, type DeclaredVendor } from '@model-gateway/provider-kit';
import { websocketSetting } from '../declared.ts';

export const ENTRA_CREDENTIALS: Readonly<Record<string, DeclaredCredential>> = {
  tenant_id: { about: 'The Entra tenant, by its id or its domain.', secret: false },
  client_id: { about: 'The application (client) id of the service principal.', secret: false },
  client_secret: { about: 'A client secret of that application.', secret: true },
  federated_token_file: {
    about: 'A file with the token of a workload identity, which is read anew for every exchange.',
    secret: false,
  },
  identity_endpoint: {
    about: 'Where App Service and Container Apps give out tokens of their managed identity (`IDENTITY_ENDPOINT`).',
    secret: false,
  },
  identity_header: { about: 'What they want to be shown with it (`IDENTITY_HEADER`).', secret: true },
};

/** Azure OpenAI and AI Foundry: an offer's `model` is the name of a deployment. */
export const azure: DeclaredVendor = {
  id: 'azure',
  declares: {
    title: 'Azure OpenAI',
    telemetryName: 'azure.ai.openai',
    baseUrlTail: /\/openai(?:\/v1)?$/,
    hasResources: true,
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
    chatQuirks: {
      custom_tools: true,
      image_output: false,
      max_tokens_field: 'max_completion_tokens',
      prompt_cache_key: true,
      video_input: false,
    },
  },
};

import type { DeclaredVendor } from '@model-gateway/provider-kit';
import { ENTRA_CREDENTIALS } from '../azure/declared.ts';

const USUAL_REGION = 'eastus';

function regionOf({ region = '' }: Readonly<Record<string, string>>): string {
  return region === '' ? USUAL_REGION : region;
}

/** Azure's Speech service (docs/wire/azure-speech.md), which is no part of Azure OpenAI. An account is the resource's own address, which has both halves, or one of a region's two by its wire. */
export const azureSpeech: DeclaredVendor = {
  id: 'azure-speech',
  declares: {
    title: 'Azure Speech',
    telemetryName: 'azure.ai.speech',
    credentials: { api_key: { about: 'One of the two keys of the resource.', secret: true }, ...ENTRA_CREDENTIALS },
    sufficient: [
      ['api_key'],
      ['tenant_id', 'client_id', 'client_secret'],
      ['tenant_id', 'client_id', 'federated_token_file'],
      ['managed_identity'],
    ],
    wires: {
      'text-to-speech': { baseUrl: (settings) => `https://${regionOf(settings)}.tts.speech.microsoft.com` },
      'speech-to-text': { baseUrl: (settings) => `https://${regionOf(settings)}.api.cognitive.microsoft.com` },
    },
    settings: {
      region: { type: 'text', about: 'The region of the resource, such as westeurope; eastus unless said.' },
      managed_identity: {
        type: 'text',
        about: '`system`, or the client id of a user-assigned identity: tokens come from the machine that it runs on.',
      },
      authority: {
        type: 'text',
        about: 'Where Entra gives out tokens; https://login.microsoftonline.com unless said.',
      },
      scope: { type: 'text', about: 'What tokens are for; https://cognitiveservices.azure.com/.default unless said.' },
    },
  },
};

import type { Account, DeclaredVendor } from '@model-gateway/provider-kit';
import { GOOGLE_ACCOUNT, METADATA_SERVER } from '../vertex/declared.ts';

const USUAL_LOCATION = 'us-central1';

/** Where an account's recordings are heard. */
export function locationOf(settings: Account['settings']): string {
  const { location = '' } = settings;
  return location === '' ? USUAL_LOCATION : location;
}

function addressOf(settings: Account['settings']): string {
  const location = locationOf(settings);
  return location === 'global' ? 'https://speech.googleapis.com' : `https://${location}-speech.googleapis.com`;
}

/** Google Cloud's speech services (docs/wire/google-speech.md), which are no part of Vertex AI. They have addresses of their own: an account is Text-to-Speech, or Speech-to-Text by its wire. */
export const googleSpeech: DeclaredVendor = {
  id: 'google-speech',
  declares: {
    title: 'Google Cloud Speech',
    telemetryName: 'gcp.speech',
    baseUrl: 'https://texttospeech.googleapis.com',
    ...GOOGLE_ACCOUNT,
    wires: { 'speech-to-text': { baseUrl: addressOf } },
    settings: {
      project: { type: 'text', about: 'The Google Cloud project that is billed.' },
      location: {
        type: 'text',
        about:
          'Where recordings are heard (wire speech-to-text): a region, `us`, `eu` or `global`; us-central1 unless said.',
      },
      ...METADATA_SERVER,
    },
  },
};

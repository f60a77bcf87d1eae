import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { chat } from './chat.ts';
import { readFault } from './fault.ts';
import { images } from './images.ts';

/** Google's Gemini API: generateContent for chat and images. */
export const gemini: VendorAdapter = {
  id: 'gemini',
  chat,
  images,
  declares: {
    platform: '24',
    telemetryName: 'gcp.gemini',
    ...declareApiKey('https://generativelanguage.googleapis.com'),
    settings: {
      api_version: { values: ['v1', 'v1beta', 'v1alpha'], about: 'The version in the path; v1beta unless said.' },
    },
    quirks: { images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } } },
  },
  authorize: (_request, account) => ({ 'x-goog-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
};

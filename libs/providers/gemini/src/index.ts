import { declareApiKey, STREAM_KEEPS_BILLING, type VendorAdapter } from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { contextCaches } from './context-caches.ts';
import { files } from './files.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export { vertex } from './vertex/vertex.ts';

/** Google's Gemini API: generateContent for chat and images. */
export const gemini: VendorAdapter = {
  id: 'gemini',
  ...CAPABILITIES,
  batches,
  contextCaches,
  files,
  modelList,
  declares: {
    title: 'Google Gemini',
    platform: '24',
    telemetryName: 'gcp.gemini',
    ...declareApiKey('https://generativelanguage.googleapis.com'),
    settings: {
      api_version: { values: ['v1', 'v1beta', 'v1alpha'], about: 'The version in the path; v1beta unless said.' },
    },
    streamCancellation: () => STREAM_KEEPS_BILLING,
    quirks: {
      ...QUIRKS,
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
  authorize: (_request, account) => ({ 'x-goog-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
};

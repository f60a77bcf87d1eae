import { declareApiKey, STREAM_KEEPS_BILLING, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Google's Gemini API: generateContent for chat and images. */
export const gemini: DeclaredVendor = {
  id: 'gemini',
  declares: {
    title: 'Google Gemini',
    platform: '24',
    telemetryName: 'gcp.gemini',
    ...declareApiKey('https://generativelanguage.googleapis.com'),
    settings: {
      api_version: { values: ['v1', 'v1beta', 'v1alpha'], about: 'The version in the path; v1beta unless said.' },
    },
    streamCancellation: () => STREAM_KEEPS_BILLING,
  },
};

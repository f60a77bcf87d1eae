import type { ProviderAdapter } from '@model-gateway/provider-kit';
import { chat } from './chat.ts';
import { readFault } from './fault.ts';
import { images } from './images.ts';

/** Google's Gemini API: generateContent for chat and images. */
export const gemini: ProviderAdapter = {
  id: 'gemini',
  chat,
  images,
  authorize: (_request, account) => ({ 'x-goog-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
};

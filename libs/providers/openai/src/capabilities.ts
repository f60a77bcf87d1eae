import { compatibleChat, type Capabilities } from '@model-gateway/provider-kit';
import { images } from './images.ts';
import { speech } from './speech.ts';
import { videos } from './videos.ts';

/** What OpenAI's wires carry, whoever is at their other end. */
export const CAPABILITIES = {
  chat: compatibleChat({ 'openai-chat': true, 'openai-responses': true }),
  images,
  speech,
  videos,
} satisfies Capabilities;

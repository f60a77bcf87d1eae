import { compatibleChat } from '@model-gateway/provider-kit';

/** Doubao and its guests on Ark speak OpenAI's wire below the same base URL as the videos. */
export const chat = compatibleChat({ 'openai-chat': true, 'openai-responses': true });

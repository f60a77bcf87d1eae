import { bearer, compatibleChat, type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { speech } from './speech.ts';

/** Xiaomi's MiMo platform: chat in OpenAI's wire, and speech through the same path. */
export const mimo: ProviderAdapter = {
  id: 'mimo',
  chat: compatibleChat({ 'openai-chat': true }),
  speech,
  authorize: bearer,
  readFault,
};

import { bearer, compatibleChat, declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { speech } from './speech.ts';

/** Xiaomi's MiMo platform: chat in OpenAI's wire, and speech through the same path. */
export const mimo: VendorAdapter = {
  id: 'mimo',
  chat: compatibleChat({ 'openai-chat': true }),
  speech,
  declares: declareApiKey('https://api.xiaomimimo.com/v1'),
  authorize: bearer,
  readFault,
};

import type { ChatAdapter } from '@model-gateway/provider-kit';
import { chat as ofOpenAi } from '../chat.ts';
import { onAzure } from './addresses.ts';

export const chat: ChatAdapter = {
  dialects: ofOpenAi.dialects,
  request: (call) => onAzure(ofOpenAi.request(call), call.model, call.settings),
};

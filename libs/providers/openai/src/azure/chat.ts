import type { ChatAdapter } from '@model-gateway/provider-kit';
import { chat as ofOpenAi } from '../chat.ts';
import { isOnV1, onAzure } from './addresses.ts';

export const chat: ChatAdapter = {
  dialects: ofOpenAi.dialects,
  takesSockets: (settings) => settings['responses_websocket'] === 'on' && isOnV1(settings),
  request: (call) => onAzure(ofOpenAi.request(call), call.model, call.settings),
};

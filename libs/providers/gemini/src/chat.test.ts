import type { Json } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter } from '@model-gateway/testing';
import { gemini } from './adapter.ts';

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

describeChatAdapter(gemini, 'gemini', {
  dialect: 'gemini-generate',
  model: 'gemini-2.5-flash',
  modelInBody: false,
  body: { contents },
  streamBody: {},
  answers: (json) => textAt(json as Json, 'candidates', 0, 'content', 'parts', 0, 'text'),
  counted: { body: { contents }, at: 'totalTokens' },
});

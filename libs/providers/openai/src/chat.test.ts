import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter } from '@model-gateway/testing';
import type { Json } from '@model-gateway/contracts';
import { openai } from './openai.ts';

describeChatAdapter(openai, 'openai', {
  dialect: 'openai-chat',
  model: 'gpt-5.2',
  body: { messages: [{ role: 'user', content: 'Hello' }] },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
});

describeChatAdapter(openai, 'openai', {
  dialect: 'openai-responses',
  model: 'gpt-5.2',
  operation: 'responses',
  body: { input: 'Hello' },
  answers: (json) => textAt(json as Json, 'output', 0, 'content', 0, 'text'),
});

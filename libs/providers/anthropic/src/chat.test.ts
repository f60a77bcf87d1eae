import type { Json } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter } from '@model-gateway/testing';
import { anthropic } from './adapter.ts';

const messages = [{ role: 'user', content: 'Hello' }];

describeChatAdapter(anthropic, 'anthropic', {
  dialect: 'anthropic-messages',
  model: 'claude-haiku-4-5',
  body: { max_tokens: 100, messages },
  answers: (json) => textAt(json as Json, 'content', 0, 'text'),
  counted: { body: { messages }, at: 'input_tokens' },
});

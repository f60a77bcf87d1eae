import type { Json } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeImageAdapter, PIXEL } from '@model-gateway/testing';
import { dashscope } from './adapter.ts';

const moderation = { status: 400, body: { code: 'DataInspectionFailed', message: 'No.', request_id: 'r-1' } };

describeImageAdapter(dashscope, 'dashscope', {
  model: 'qwen-image-2.0',
  input: { shape: 'messages', size: '1024*768', promptExtend: false, seed: 0 },
  makes: { width: 1024, height: 768 },
  moderation,
});

describeImageAdapter(dashscope, 'dashscope', {
  model: 'qwen-image-edit-plus',
  input: { shape: 'edit', size: '1024x1024', images: [{ url: `data:image/png;base64,${PIXEL}`, param: 'image' }] },
  makes: { width: 1024, height: 1024 },
  moderation,
});

describeImageAdapter(dashscope, 'dashscope', {
  model: 'wan2.6-t2i',
  input: { shape: 'messages', size: '1024*1024' },
  makes: { width: 1024, height: 1024 },
  moderation,
});

describeChatAdapter(dashscope, 'dashscope', {
  dialect: 'openai-chat',
  model: 'qwen3-max',
  body: { messages: [{ role: 'user', content: 'Hello' }] },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
});

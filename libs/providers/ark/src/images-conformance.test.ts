import type { Json } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeImageAdapter, PIXEL } from '@model-gateway/testing';
import { ark } from './adapter.ts';

const moderation = {
  status: 400,
  body: { error: { code: 'InputTextSensitiveContentDetected', message: 'No.', param: 'prompt', type: 'BadRequest' } },
};

describeImageAdapter(ark, 'ark', {
  model: 'doubao-seedream-4-5-251128',
  input: { size: '2048x2048', watermark: false, responseFormat: 'url' },
  makes: { width: 2048, height: 2048 },
  moderation,
});

describeImageAdapter(ark, 'ark', {
  model: 'doubao-seedream-4-0-250828',
  input: {
    shape: 'edit',
    size: '1024x1024',
    images: [{ url: `data:image/png;base64,${PIXEL}`, param: 'image' }],
    responseFormat: 'b64_json',
  },
  makes: { width: 1024, height: 1024 },
  moderation,
});

describeChatAdapter(ark, 'ark', {
  dialect: 'openai-chat',
  model: 'doubao-seed-2-0-pro',
  body: { messages: [{ role: 'user', content: 'Hello' }] },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
});

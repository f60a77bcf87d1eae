import { describeImageAdapter, PIXEL } from '@model-gateway/testing';
import { gemini } from './adapter.ts';

const moderation = { status: 200, body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } } };

describeImageAdapter(gemini, 'gemini', {
  model: 'gemini-3.1-flash-image',
  operation: 'chat',
  input: { size: '1k' },
  makes: { width: 1024, height: 1024 },
  moderation,
});

describeImageAdapter(gemini, 'gemini', {
  model: 'gemini-2.5-flash-image',
  operation: 'chat',
  input: {
    shape: 'edit',
    images: [{ url: `data:image/png;base64,${PIXEL}`, param: 'image' }],
    extra: { aspect_ratio: '16:9' },
  },
  makes: { width: 1376, height: 768 },
  moderation,
});

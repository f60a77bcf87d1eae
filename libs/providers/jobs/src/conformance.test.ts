import { describeImageAdapter, describeVideoAdapter, PIXEL } from '@model-gateway/testing';
import { fal, replicate } from './index.ts';

const PICTURE = `data:image/png;base64,${PIXEL}`;
const FAL_MODERATION = {
  status: 422,
  body: { detail: [{ loc: ['body', 'prompt'], msg: 'It was flagged.', type: 'content_policy_violation' }] },
};
const REPLICATE_MODERATION = {
  status: 422,
  body: { title: 'Input validation failed', detail: 'The input was flagged as sensitive. (E005)', status: 422 },
};

describeVideoAdapter(fal, 'fal', {
  model: 'fal-ai/kling-video/v2.5-turbo/pro/text-to-video',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, ratio: '9:16' }),
  afterCancel: 'missing',
});
describeImageAdapter(fal, 'fal', {
  model: 'fal-ai/flux/dev',
  input: { size: '512x512', outputFormat: 'png' },
  makes: { width: 512, height: 512 },
  moderation: FAL_MODERATION,
});

describeVideoAdapter(replicate, 'replicate', {
  model: 'bytedance/seedance-1-pro',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, duration: 5, resolution: '480P' }),
});
describeImageAdapter(replicate, 'replicate', {
  model: 'black-forest-labs/flux-kontext-pro',
  input: { shape: 'edit', size: '768x768', outputFormat: 'png', images: [{ url: PICTURE, param: 'image' }] },
  quirks: { image_field: 'input_image' },
  makes: { width: 768, height: 768 },
  moderation: REPLICATE_MODERATION,
});

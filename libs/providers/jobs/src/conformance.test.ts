import { describeImageAdapter, describeVideoAdapter, PIXEL } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import * as vendors from './index.ts';

const [bfl, fal, luma, pixverse, replicate, runway] = await Promise.all([
  vendors.bfl.load(),
  vendors.fal.load(),
  vendors.luma.load(),
  vendors.pixverse.load(),
  vendors.replicate.load(),
  vendors.runway.load(),
]);

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

describeVideoAdapter(bfl, 'bfl', {
  model: 'flux-3-video',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, resolution: '720p', ratio: '9:16' }),
});
describeImageAdapter(bfl, 'bfl', {
  model: 'flux-pro-1.1',
  input: { size: '512x768', outputFormat: 'png' },
  makes: { width: 512, height: 768 },
  moderation: { status: 422, body: { detail: 'The request was moderated.' } },
});

describeVideoAdapter(runway, 'runway', {
  model: 'gen4.5',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, duration: 4, size: '720x1280' }),
  afterCancel: 'missing',
});
describeImageAdapter(runway, 'runway', {
  model: 'gen4_image',
  input: { size: '720x960', images: [{ url: PICTURE, param: 'image' }] },
  makes: { width: 720, height: 960 },
  moderation: { status: 400, body: { error: 'The content was rejected by moderation.' } },
});

describeVideoAdapter(luma, 'luma', {
  model: 'ray-2',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, resolution: '540P', ratio: '1:1' }),
});
describeImageAdapter(luma, 'luma', {
  model: 'photon-1',
  input: { size: '1080x1080', outputFormat: 'png' },
  makes: { width: 1080, height: 1080 },
  moderation: { status: 400, body: { detail: 'Prompt moderation failed' } },
});

describeVideoAdapter(pixverse, 'pixverse', {
  model: 'v6',
  input: (prompt) => ({ shape: 'prompt', body: { prompt }, prompt, resolution: '540P', ratio: '9:16', audio: true }),
});
describeVideoAdapter(pixverse, 'pixverse', {
  model: 'v6',
  input: (prompt) => ({
    ...{ shape: 'prompt', body: { prompt }, prompt, duration: 8 },
    images: [
      { role: 'first_frame', url: PICTURE, param: 'first_frame_image' },
      { role: 'last_frame', url: 'https://a.b/c.png', param: 'last_frame_image' },
    ],
  }),
});

it('every vendor of this folder runs the suite of videos', () => {
  expect(Object.keys(vendors).sort()).toEqual(['bfl', 'fal', 'luma', 'pixverse', 'replicate', 'runway']);
});

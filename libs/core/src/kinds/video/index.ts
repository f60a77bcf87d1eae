/** Video models: text and media in, a task that ends in a video; and the subjects that some of them know. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { readSubjectBody } from './subjects.ts';
import { readVideoBody, type VideoEndpoint } from './video-body.ts';
import { boundOfVideo, videoFactors, videoUsage } from './video-price.ts';

export { readCallback } from './video-body.ts';
export { createVideoPrices } from './video-price.ts';

const quoteAt =
  (endpoint: VideoEndpoint) =>
  (body: JsonObject, row: ModelRow): Quoted => {
    const { draft } = readVideoBody(body, row, endpoint);
    return { usage: videoUsage(row, draft), factors: videoFactors(row, draft), bound: () => boundOfVideo(row, draft) };
  };

const OWN_OPERATIONS = ['createVideoTask', 'createVideo'] as const;

/** Its requests are run by the task engine, which takes the prices from here. */
export const videoKind: KindModule = {
  name: 'video',
  called: 'a video model',
  capability: 'videos',
  likelyNames: /sora|veo|video/i,
  rows: { video: { bodies: ['content', 'input', 'image-urls', 'omni', 'prompt', 'seconds'], pricedBy: ['second'] } },
  inputs: ['image', 'audio', 'video'],
  answersAtOnce: false,
  describe: ({ videoShape = 'prompt' }) => ({
    operations: [...(videoShape === 'seconds' ? OWN_OPERATIONS.toReversed() : OWN_OPERATIONS), 'generateVideos'],
    formats: [videoShape],
  }),
  quote: {
    createVideoTask: quoteAt('generations'),
    createVideo: quoteAt('videos'),
    generateVideos: quoteAt('operations'),
    generateVideosV1: quoteAt('operations'),
    generateVideosVertex: quoteAt('operations'),
  },
  read: { createSubject: (body) => void readSubjectBody(body) },
};

/** Replicate's predictions (docs/wire/replicate.md). */
import { listAt, textAt } from '@model-gateway/provider-kit';
import type { JobVendor } from './job-vendor.ts';
import { countFieldOf, IMAGE_QUIRKS, imageInput, VIDEO_QUIRKS, videoInput, type UsualNames } from './many-makers.ts';
import { replicateModels } from './model-lists.ts';
import { isSignedByStandard } from './webhook-signing.ts';

const USUAL: UsualNames = {
  firstFrame: 'image',
  lastFrame: 'last_frame_image',
  image: 'image',
  count: undefined,
  sizeFormat: 'ratio',
  never: new Set(['num_outputs', 'width', 'height', 'aspect_ratio', 'megapixels', 'disable_safety_checker']),
};
const VIDEO_USUAL: UsualNames = { ...USUAL, never: new Set(['num_outputs', 'disable_safety_checker']) };

const VERSION = /^(?:[\w.-]+\/[\w.-]+:)?[0-9a-f]{64}$/;
const DEPLOYMENT = /^deployments\/[\w.-]+\/[\w.-]+$/;

export const REPLICATE: JobVendor = {
  authorize: (key) => ({ authorization: `Bearer ${key}` }),

  submit: ({ model, body }) => {
    if (VERSION.test(model)) return { path: '/predictions', json: { version: model, input: body } };
    return {
      path: DEPLOYMENT.test(model) ? `/${model}/predictions` : `/models/${model}/predictions`,
      json: { input: body },
    };
  },
  webhooks: {
    withAddress: ({ path, json }, url) => ({
      path,
      json: { ...json, webhook: url, webhook_events_filter: ['completed'] },
    }),
    signing: {
      keys: () => ({ path: '/webhooks/default/secret' }),
      keysIn: (answer) => [textAt(answer, 'key') ?? []].flat(),
      timeHeader: 'webhook-timestamp',
      isGenuine: isSignedByStandard,
    },
  },
  idAt: ['id'],

  status: ({ id }) => ({ path: `/predictions/${encodeURIComponent(id)}` }),
  wordAt: [['status']],
  states: {
    starting: 'queued',
    processing: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    canceled: 'failed',
    aborted: 'failed',
  },
  failure: (answer) => {
    const message = textAt(answer, 'error');
    return message === undefined ? undefined : { message, code: /\((E\d{4})\)/.exec(message)?.[1] };
  },
  filesAt: [['output'], ['output', 'video'], ['output', 'images']],
  cost: { at: ['metrics', 'predict_time'] },
  // Files of predictions made over the API are removed after an hour.
  linkSeconds: 3600,
  cancel: ({ id }) => ({ method: 'POST', path: `/predictions/${encodeURIComponent(id)}/cancel` }),

  refusal: (body) => {
    const field =
      textAt(listAt(body, 'invalid_fields')[0], 'field') ??
      /^- (?:input\.)?([\w.]+):/m.exec(textAt(body, 'detail') ?? '')?.[1];
    return { message: textAt(body, 'detail') ?? textAt(body, 'title'), param: field?.replace(/^input\./, '') };
  },
  refusesContent: /E005|nsfw|sensitive|flagged|safety|moderat/i,

  videos: (input, upstream) => videoInput(input, upstream, VIDEO_USUAL),
  images: (input, pictures, upstream) => imageInput(input, pictures, upstream, USUAL),
  countField: (upstream) => countFieldOf(upstream, USUAL),
  quirks: { videos: VIDEO_QUIRKS, images: IMAGE_QUIRKS },
  modelList: replicateModels,
};

/** fal's queue (docs/wire/fal.md). */
import { listAt, textAt } from '@model-gateway/provider-kit';
import { belowBase, type JobTicket, type JobVendor } from './job-vendor.ts';
import { countFieldOf, IMAGE_QUIRKS, imageInput, VIDEO_QUIRKS, videoInput, type UsualNames } from './many-makers.ts';
import { falModels } from './model-lists.ts';
import { isSignedByEd25519, sha256, type WebhookSigning } from './webhook-signing.ts';

const USUAL: UsualNames = {
  firstFrame: 'image_url',
  lastFrame: 'end_image_url',
  image: 'image_url',
  count: 'num_images',
  sizeFormat: 'pixels',
  // `sync_mode` answers with the bytes in place of a link; sizes and counts have their own fields.
  never: new Set(['sync_mode', 'num_images', 'num_videos', 'image_size', 'width', 'height', 'webhook_url']),
};

/** `fal-ai/flux/dev` is asked after as `fal-ai/flux`: the vendor's own addresses say so, and are kept. */
function requestPath({ id, model }: JobTicket): string {
  const parts = model.split('/');
  const app = parts.slice(0, parts[0] === 'workflows' || parts[0] === 'comfy' ? 3 : 2).join('/');
  return `/${app}/requests/${encodeURIComponent(id)}`;
}

const HOST = 'queue.fal.run';
const KEYS_PATH = '/.well-known/jwks.json';

/** Its keys are at another host of its own; an account behind another address is asked there. */
const SIGNING: WebhookSigning = {
  keys: (baseUrl) => ({
    path: KEYS_PATH,
    ...(new URL(baseUrl).hostname === HOST && { url: `https://rest.fal.ai${KEYS_PATH}` }),
  }),
  keysIn: (answer) => listAt(answer, 'keys').flatMap((key) => textAt(key, 'x') ?? []),
  timeHeader: 'x-fal-webhook-timestamp',
  isGenuine: ({ headers, body }, key) => {
    const signed = ['x-fal-webhook-request-id', 'x-fal-webhook-user-id', 'x-fal-webhook-timestamp'];
    const message = [...signed.map((name) => headers[name] ?? ''), sha256(body)].join('\n');
    return isSignedByEd25519(message, headers['x-fal-webhook-signature'] ?? '', key);
  },
};

export const FAL: JobVendor = {
  authorize: (key) => ({ authorization: `Key ${key}` }),

  submit: ({ model, body }) => ({ path: `/${model}`, json: body }),
  webhooks: {
    withAddress: ({ path, json }, url) => ({ path: `${path}?fal_webhook=${encodeURIComponent(url)}`, json }),
    signing: SIGNING,
  },
  idAt: ['request_id'],
  keep: { statusUrl: ['status_url'], resultUrl: ['response_url'], cancelUrl: ['cancel_url'] },

  status: (ticket, baseUrl) => ({
    path: belowBase(textAt(ticket, 'statusUrl'), baseUrl) ?? `${requestPath(ticket)}/status`,
  }),
  wordAt: [['status']],
  states: { IN_QUEUE: 'queued', IN_PROGRESS: 'running', COMPLETED: 'succeeded' },
  // A job that failed is COMPLETED too.
  failure: (answer) => {
    const message = textAt(answer, 'error');
    return message === undefined ? undefined : { message, code: textAt(answer, 'error_type') };
  },
  result: (ticket, baseUrl) => ({ path: belowBase(textAt(ticket, 'resultUrl'), baseUrl) ?? requestPath(ticket) }),
  filesAt: [['images'], ['image'], ['video'], ['videos']],
  cost: { header: 'x-fal-billable-units' },
  linkSeconds: 7 * 86_400,
  cancel: (ticket, baseUrl) => ({
    method: 'PUT',
    path: belowBase(textAt(ticket, 'cancelUrl'), baseUrl) ?? `${requestPath(ticket)}/cancel`,
  }),

  refusal: (body) => {
    const [first] = listAt(body, 'detail');
    if (first === undefined) return { message: textAt(body, 'detail') ?? textAt(body, 'message') };
    const steps = listAt(first, 'loc').flatMap((step) => (typeof step === 'string' && step !== 'body' ? [step] : []));
    return { message: textAt(first, 'msg'), code: textAt(first, 'type'), param: steps.join('.') };
  },
  refusesContent: /content_policy|nsfw|safety|moderat|content checker/i,

  videos: (input, upstream) => videoInput(input, upstream, USUAL),
  images: (input, pictures, upstream) => imageInput(input, pictures, upstream, USUAL),
  countField: (upstream) => countFieldOf(upstream, USUAL),
  quirks: { videos: VIDEO_QUIRKS, images: IMAGE_QUIRKS },
  modelList: falModels,
};

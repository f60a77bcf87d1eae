/** The body of /v1/video_generation from the caller's (docs/wire/minimax.md#create). */
import type { JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  frameIn,
  listAt,
  namesOfGiven,
  refuseKinds,
  sortExtra,
  textAt,
  tierOf,
  type VideoCreate,
} from '@model-gateway/provider-kit';

interface HailuoVideo {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

const FIELDS = new Set(['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark', 'subject_reference']);

/** The family's own shape goes as it came, any other is written anew. */
export function toHailuoVideo(input: VideoCreate, model: string): HailuoVideo {
  return input.shape === 'prompt' ? { body: fromOwnShape(input.body, model), dropped: [] } : fromForm(input, model);
}

const TRANSLATED = new Set(['model', 'callback_url', 'image', 'imageUrls', 'size', 'resolution']);

function fromOwnShape(body: JsonObject, model: string): JsonObject {
  const rest = Object.entries(body).filter(([name]) => !TRANSLATED.has(name));
  const firstFrame = textAt(body, 'first_frame_image') ?? textAt(body, 'image') ?? textAt(listAt(body, 'imageUrls')[0]);
  const asked = body['resolution'] ?? body['size'];
  return {
    ...Object.fromEntries(rest),
    ...defined({
      first_frame_image: firstFrame,
      resolution: typeof asked === 'string' && tierOf(asked) !== undefined ? asked.toUpperCase() : asked,
    }),
    model,
  };
}

function fromForm(input: VideoCreate, model: string): HailuoVideo {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frame = frameIn(input, { resolutions: resolutionsOf(model), ratios: [] });
  const extra = sortExtra(input, FIELDS);
  return {
    body: {
      ...extra.passed,
      ...defined({
        prompt: input.prompt,
        first_frame_image: input.images.find(({ role }) => role === 'first_frame')?.url,
        last_frame_image: input.images.find(({ role }) => role === 'last_frame')?.url,
        duration: input.duration,
        resolution: frame.resolution,
        aigc_watermark: input.watermark,
      }),
      ...subjectReference(input, model),
      model,
    },
    dropped: [...namesOfGiven(input, ['negativePrompt', 'seed', 'audio']), ...frame.dropped, ...extra.dropped],
  };
}

/** One picture of a person, and only S2V-01 takes it. */
function subjectReference(input: VideoCreate, model: string): JsonObject {
  const references = input.images.filter(({ role }) => role === 'reference');
  const [first, second] = references;
  if (first === undefined) return {};
  if (!model.startsWith('S2V')) throw cannotTake(first.param, 'reference images');
  if (second !== undefined) throw cannotTake(second.param, 'second reference image');
  return { subject_reference: [{ type: 'character', image: [first.url] }] };
}

/** docs/wire/minimax.md#create: the 01 series makes 720P, the others 768P and 1080P, Hailuo-02 also 512P. */
function resolutionsOf(model: string): string[] {
  if (/-01\b/.test(model)) return ['720P'];
  return /-02\b/.test(model) ? ['512P', '768P', '1080P'] : ['768P', '1080P'];
}

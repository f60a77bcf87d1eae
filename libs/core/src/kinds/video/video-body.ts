/** From a caller's body to the neutral form: which shape, whose limits, and where a webhook should go. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { VideoBodyShape, VideoShape } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { checkRowLimits, withClass } from './row-limits.ts';
import { readContentBody } from './shapes/content.ts';
import { wrong } from './shapes/fields.ts';
import { readImageUrlsBody } from './shapes/image-urls.ts';
import { readInputBody } from './shapes/input.ts';
import { readInstancesBody } from './shapes/instances.ts';
import { readOmniBody } from './shapes/omni.ts';
import { readPromptBody } from './shapes/prompt.ts';
import { readSecondsBody } from './shapes/seconds.ts';
import type { ShapeReader, VideoDraft } from './shapes/shape.ts';

/** Who is asked: docs/service.md's path, OpenAI's, or Google's. */
export type VideoEndpoint = 'generations' | 'videos' | 'operations';

export interface VideoBody {
  readonly draft: VideoDraft;
  /** The shape of the model's family, which decides the acknowledgement, whatever shape the caller used. */
  readonly family: VideoShape;
  readonly callbackUrl?: string;
}

const READERS: Readonly<Record<VideoBodyShape, ShapeReader>> = {
  content: readContentBody,
  input: readInputBody,
  'image-urls': readImageUrlsBody,
  omni: readOmniBody,
  prompt: readPromptBody,
  seconds: readSecondsBody,
  instances: readInstancesBody,
};

/** The field only this family's bodies have: somebody may send one to /v1/videos. */
const OWN_FIELD: Partial<Record<VideoShape, string>> = { content: 'content', input: 'input' };

/** Reads a video body in the model's shape; through /v1/videos in OpenAI's and through Google's path in Google's, which every video model takes. 400 names the field. */
export function readVideoBody(body: JsonObject, row: ModelRow, endpoint: VideoEndpoint): VideoBody {
  const family = row.videoShape ?? 'prompt';
  const { callback_url: callback, ...rest } = body;
  const draft = READERS[shapeOf(body, family, endpoint)](rest, row);
  checkRowLimits(draft, row);
  const callbackUrl = readCallback(callback ?? undefined);
  return { draft: withClass(draft, row), family, ...(callbackUrl !== undefined && { callbackUrl }) };
}

function shapeOf(body: JsonObject, family: VideoShape, endpoint: VideoEndpoint): VideoBodyShape {
  if (endpoint === 'operations') return 'instances';
  const own = OWN_FIELD[family];
  return endpoint === 'videos' && (own === undefined || !Object.hasOwn(body, own)) ? 'seconds' : family;
}

/** A row that `asked` leads to, as bodies for `asked` are read for it: their shape is that of the model that is asked for. */
export function inShapeOf({ videoShape }: ModelRow, row: ModelRow): ModelRow {
  return row.videoShape === videoShape || videoShape === undefined ? row : { ...row, videoShape };
}

/** A webhook address: http or https, no credentials in it. Where it leads is checked when it is called. */
export function readCallback(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  const right = 'must be a web address (https://…) of at most 2048 characters';
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) throw wrong('callback_url', right);
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'https:' && protocol !== 'http:') throw wrong('callback_url', right);
  if (username !== '' || password !== '') throw wrong('callback_url', 'must not carry a user name or password');
  return value;
}

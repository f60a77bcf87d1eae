import { isJsonObject } from '@model-gateway/contracts';
import { bracketed, type Problem, type Reader } from '../core/reader.ts';
import type { Refusal } from '../core/refusal.ts';
import { badContent, refuseAsGoogle } from '../gemini/errors.ts';

export type Wire = 'gemini' | 'vertex';

export interface GoogleVideo {
  readonly prompt: string;
  readonly ratio: string;
  readonly resolution: string;
  readonly seconds: number;
  readonly count: number;
  readonly audio: boolean;
  readonly storageUri: string | undefined;
  readonly seed: number | undefined;
}

const INSTANCE = new Set(['prompt', 'image', 'lastFrame', 'referenceImages', 'video']);
const PARAMETERS = new Set([
  'aspectRatio',
  'resolution',
  'durationSeconds',
  'personGeneration',
  'negativePrompt',
  'sampleCount',
  'enhancePrompt',
]);
const VERTEX_PARAMETERS = new Set([
  ...PARAMETERS,
  'storageUri',
  'generateAudio',
  'seed',
  'fps',
  'compressionQuality',
  'resizeMode',
  'pubsubTopic',
]);

export function complainAsGoogle({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  if (kind === 'unknown')
    return badContent(
      `\`${String(path.at(-1))}\` isn't supported by this model. Please remove it or refer to the Gemini API documentation.`,
    );
  return badContent(`${at}: expected ${want}.`);
}

/** Reads `:predictLongRunning` of Veo (docs/wire/veo.md#gemini-api, #vertex-ai). */
export function readGoogleVideo(body: Reader, model: string, wire: Wire): GoogleVideo {
  if (/^(no-such|unknown|missing)-/.test(model) || (wire === 'gemini' && model.endsWith('-preview'))) {
    throw refuseAsGoogle(404, { message: `models/${model} is not found or no longer available.` });
  }
  const instances = body.objects('instances');
  const [instance] = instances;
  if (instance === undefined || instances.length > 1) return body.fail('instances', 'exactly one instance', 'missing');
  instance.only(INSTANCE);
  const extended = instance.has('video');
  const mode = readImages(instance, wire);
  const prompt = instance.optionalString('prompt') ?? '';
  if (prompt === '' && !instance.has('image')) instance.fail('prompt', 'a string, since there is no image', 'missing');
  const parameters = body.optionalObject('parameters');
  parameters?.only(wire === 'vertex' ? VERTEX_PARAMETERS : PARAMETERS);
  const resolution = parameters?.optionalOneOf('resolution', ['720p', '1080p', '4k'] as const) ?? '720p';
  const seconds = parameters?.optionalOneOf('durationSeconds', [4, 6, 8] as const) ?? 8;
  if (seconds !== 8 && (resolution !== '720p' || mode !== 'plain')) {
    throw badContent('`durationSeconds` must be 8 with 1080p, 4k, reference images or a last frame.');
  }
  if (resolution === '4k' && model.includes('lite'))
    throw badContent('`resolution` 4k is not supported by this model.');
  if (extended && resolution !== '720p') throw badContent('Extension supports 720p only.');
  checkPersons(parameters, instance.has('image') || mode !== 'plain');
  return {
    prompt,
    ratio: parameters?.optionalOneOf('aspectRatio', ['16:9', '9:16'] as const) ?? '16:9',
    resolution,
    seconds: extended ? 7 : seconds,
    count: parameters?.optionalInteger('sampleCount', 1, wire === 'vertex' ? 4 : 1) ?? 1,
    audio: parameters?.optionalBoolean('generateAudio') ?? true,
    storageUri: parameters?.optionalString('storageUri'),
    seed: parameters?.optionalInteger('seed', 0, 2 ** 32 - 1),
  };
}

function readImages(instance: Reader, wire: Wire): 'plain' | 'last' | 'references' {
  for (const name of ['image', 'lastFrame'] as const) {
    if (instance.has(name)) checkImage(instance.object(name), wire);
  }
  if (instance.has('lastFrame') && !instance.has('image')) throw badContent('`lastFrame` needs an `image`.');
  const references = instance.objects('referenceImages');
  if (references.length > 3) throw badContent('At most 3 reference images are supported.');
  for (const reference of references) {
    checkImage(reference.object('image'), wire);
    reference.oneOf('referenceType', ['asset', 'style'] as const);
  }
  if (references.length > 0) return 'references';
  return instance.has('lastFrame') ? 'last' : 'plain';
}

/** Bytes, or on Vertex a file in a bucket: never an address on the web. */
function checkImage(image: Reader, wire: Wire): void {
  image.only(new Set(['bytesBase64Encoded', 'mimeType', ...(wire === 'vertex' ? ['gcsUri'] : [])]));
  image.oneOf('mimeType', ['image/png', 'image/jpeg', 'image/webp'] as const);
  if (image.has('gcsUri')) {
    if (!image.string('gcsUri').startsWith('gs://')) image.fail('gcsUri', 'gs://…');
    return;
  }
  const data = image.string('bytesBase64Encoded');
  if (!/^[A-Za-z0-9+/]+=*$/.test(data.slice(0, 1024))) image.fail('bytesBase64Encoded', 'base64');
}

function checkPersons(parameters: Reader | undefined, withImage: boolean): void {
  const allowed = parameters?.optionalString('personGeneration');
  if (allowed === undefined || allowed === (withImage ? 'allow_adult' : 'allow_all') || allowed === 'allow_adult')
    return;
  throw badContent(`\`personGeneration\` ${allowed} is not supported for this input.`);
}

/** The name of an operation in a poll's body. */
export function readOperationName(body: Reader): string {
  const { operationName } = body.value;
  if (!isJsonObject(body.value) || typeof operationName !== 'string')
    return body.fail('operationName', 'a string', 'missing');
  return operationName;
}

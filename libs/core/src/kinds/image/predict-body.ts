/** Google's body (`predict` of Imagen), which every image model takes, as the neutral form (docs/wire/images.md#between-the-image-bodies). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { pixelsOf, proportionOf, type ImageCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { promptOf, sizeOf, whole } from './image-body.ts';

const MOST_IMAGES = 10;
const SIDES: Readonly<Record<string, number>> = { '512': 512, '1K': 1024, '2K': 2048, '4K': 4096 };
const USUAL_SIDE = 1024;
/** Sides are multiples of it. */
const STEP = 16;
const PLACE = 'parameters';
/** A ratio that is so near is the one that was asked for. */
const NEAR_RATIO = 0.03;

export interface PredictBody {
  readonly input: ImageCreate;
  /** What the model cannot be asked for. */
  readonly dropped: readonly string[];
}

/** Reads it; throws `invalid_request` naming the field. Ratio and class become the nearest size that the row has. */
export function readPredictBody(body: JsonObject, row: ModelRow): PredictBody {
  const { instances, parameters, model: _model, ...more } = body;
  const { prompt, ...beside } = instanceOf(instances);
  refuseSources(beside);
  const {
    sampleCount,
    numberOfImages,
    aspectRatio,
    sampleImageSize,
    imageSize,
    negativePrompt,
    seed,
    addWatermark,
    enhancePrompt,
    outputOptions,
    ...rest
  } = isJsonObject(parameters) ? parameters : {};
  const count = sampleCount ?? numberOfImages ?? null;
  const { size, dropped } = frameOf(aspectRatio ?? null, sampleImageSize ?? imageSize ?? null, row);
  const { mimeType, compressionQuality } = isJsonObject(outputOptions) ? outputOptions : {};
  return {
    input: {
      shape: 'predict',
      prompt: promptOf(prompt, 'instances[0].prompt'),
      images: [],
      ...(count !== null && { count: whole(count, `${PLACE}.sampleCount`, 1, MOST_IMAGES) }),
      ...(size !== undefined && { size }),
      ...(typeof negativePrompt === 'string' && negativePrompt !== '' && { negativePrompt }),
      ...(typeof seed === 'number' && { seed }),
      ...(typeof addWatermark === 'boolean' && { watermark: addWatermark }),
      ...(typeof enhancePrompt === 'boolean' && { promptExtend: enhancePrompt }),
      ...(typeof mimeType === 'string' && { outputFormat: formatOf(mimeType) }),
      ...(typeof compressionQuality === 'number' && { outputCompression: compressionQuality }),
      responseFormat: 'b64_json',
      extra: { ...given(more), ...prefixed('instances[0]', beside), ...prefixed(PLACE, rest) },
    },
    dropped,
  };
}

function instanceOf(instances: Json | undefined): JsonObject {
  const [first, second] = Array.isArray(instances) ? instances : [];
  if (!isJsonObject(first)) throw wrong('instances', "must have one object: [{ prompt: 'what to show' }]");
  if (second !== undefined) throw wrong('instances[1]', 'is one too many: a request draws one prompt');
  return first;
}

/** To leave them out would draw another picture. */
function refuseSources(beside: JsonObject): void {
  const source = ['image', 'referenceImages', 'mask'].find((name) => (beside[name] ?? null) !== null);
  if (source !== undefined)
    throw wrong(`instances[0].${source}`, 'is not taken: send pictures to change to POST /v1/images/edits');
}

function formatOf(mimeType: string): string {
  const [, format] = /^image\/(\w+)$/.exec(mimeType) ?? [];
  if (format === undefined)
    throw wrong(`${PLACE}.outputOptions.mimeType`, 'must be image/png, image/jpeg or image/webp');
  return format;
}

function given(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Where they stood, so that they can be named. */
function prefixed(place: string, members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given(members)).map(([name, value]) => [`${place}.${name}`, value]));
}

// ---- sizes -------------------------------------------------------------------------------------------------------

interface Frame {
  readonly size?: string;
  readonly dropped: readonly string[];
}

/** A size of the row for a ratio and a class. Sizes in pixels that a row lists are all that there are. */
function frameOf(ratio: Json, side: Json, row: ModelRow): Frame {
  if (ratio === null && side === null) return { dropped: [] };
  const proportion = ratio === null ? 1 : typeof ratio === 'string' ? proportionOf(ratio) : undefined;
  if (proportion === undefined) throw wrong(`${PLACE}.aspectRatio`, 'must be a ratio such as 16:9');
  const word = typeof side === 'string' ? side.toUpperCase() : '';
  const asked = SIDES[word];
  if (side !== null && asked === undefined) throw wrong(`${PLACE}.sampleImageSize`, 'must be 1K, 2K or 4K');
  const { sizes } = row.limits;
  const listed = Array.isArray(sizes) ? sizes.filter((each) => typeof each === 'string') : [];
  const inPixels = listed.flatMap((size) => pixelsOf(size) ?? []);
  if (inPixels.length > 0) return listedFrame(inPixels, { proportion, asked });
  if (ratio === null) return { size: sizeOf(word, row, `${PLACE}.sampleImageSize`), dropped: [] };
  const usual = listed.map((each) => SIDES[each.toUpperCase()]).find((each) => each !== undefined);
  const { width, height } = pixelsFor(proportion, asked ?? usual ?? USUAL_SIDE, row);
  return { size: sizeOf(`${width}x${height}`, row, `${PLACE}.aspectRatio`), dropped: [] };
}

interface Sides {
  readonly width: number;
  readonly height: number;
}

function listedFrame(
  sizes: readonly Sides[],
  { proportion, asked }: { readonly proportion: number; readonly asked: number | undefined },
): Frame {
  const ofRatio = nearest(sizes, ({ width, height }) => Math.log(width / height / proportion));
  const same = sizes.filter(({ width, height }) => width / height === ofRatio.width / ofRatio.height);
  const side = asked ?? USUAL_SIDE;
  const { width, height } = nearest(same, (each) => Math.log((each.width * each.height) / side ** 2));
  return {
    size: `${width}x${height}`,
    dropped: [
      ...(Math.abs(Math.log(width / height / proportion)) > NEAR_RATIO ? [`${PLACE}.aspectRatio`] : []),
      // Half as large again, or two thirds of it, is another class.
      ...(asked !== undefined && Math.abs(Math.log(Math.sqrt(width * height) / asked)) > Math.log(1.5)
        ? [`${PLACE}.sampleImageSize`]
        : []),
    ],
  };
}

/** As many pixels as the square of the side has, within what the row makes. */
function pixelsFor(proportion: number, side: number, { limits }: Pick<ModelRow, 'limits'>): Sides {
  const { min_pixels: fewest, max_pixels: most } = limits;
  const area = Math.min(
    Math.max(side ** 2, typeof fewest === 'number' ? fewest : 0),
    typeof most === 'number' ? most : Infinity,
  );
  // Rounded away from the bound that is near.
  const round = area > side ** 2 ? Math.ceil : Math.floor;
  const width = round(Math.sqrt(area * proportion) / STEP) * STEP;
  const height = round(Math.sqrt(area / proportion) / STEP) * STEP;
  return { width, height };
}

function nearest<T>(all: readonly T[], distance: (each: T) => number): T {
  return all.reduce((best, each) => (Math.abs(distance(each)) < Math.abs(distance(best)) ? each : best));
}

function wrong(param: string, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${complaint}`, { param });
}

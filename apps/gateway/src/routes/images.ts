/** Pictures: generation from JSON, editing from a form. */
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  checkCount,
  decodeImageBody,
  findModel,
  newTrace,
  promptOf,
  responseFormatOf,
  sizeOf,
  whole,
  type Catalogue,
  type ImageCall,
  type Images,
  type ApiKeyAuthenticator,
  type ModelRow,
} from '@model-gateway/core';
import type { ImageCreate, ImageInput } from '@model-gateway/provider-kit';
import { imageSize } from 'image-size';
import { callerOf, contextOf, jsonBody, modelOf } from '../http/context.ts';
import { isForm, readForm, type Form, type FormFile } from '../http/form.ts';
import type { Handlers } from '../http/operation.ts';
import { contentOfForm, type RunIdempotently } from '../http/pipeline/idempotency.ts';
import { admitModel } from '../http/pipeline/model-access.ts';
import { pipeBody, startEventStream, writeTrace } from '../http/reply.ts';

const MOST_IMAGES = 16;
const LARGEST_IMAGE = 50 * 1024 * 1024;
const MASK_TYPE = 'image/png';
const PICTURES = ['image/png', 'image/jpeg', 'image/webp'];
const KNOWN_FIELDS = [
  'model',
  'prompt',
  'n',
  'size',
  'response_format',
  'quality',
  'background',
  'output_format',
  'output_compression',
  'stream',
  'partial_images',
  'user',
];

export interface ImageRouteParts {
  readonly images: Images;
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
  readonly now: () => number;
  readonly runIdempotently: RunIdempotently;
  /** Bytes of a whole form. */
  readonly formLimit: number;
}

/** Handlers of the image operations. */
export function imageRoutes(parts: ImageRouteParts): Handlers {
  const rowOf = (response: Response): ModelRow =>
    findModel(parts.catalogue(), modelOf(response), ['image', 'image-edit']);
  return {
    async createImage(request, response) {
      const body = jsonBody(request);
      const row = rowOf(response);
      const call = {
        caller: callerOf(response),
        row,
        input: decodeImageBody(body, row),
        endpoint: OPERATIONS.createImage.path,
      };
      await answer(parts, response, call, body['stream'] === true);
    },
    async editImage(request, response) {
      if (!isForm(request)) {
        await editFromJson(request, response);
        return;
      }
      const form = await readForm(request, {
        mostFiles: MOST_IMAGES + 1,
        largestFile: LARGEST_IMAGE,
        largestBody: parts.formLimit,
      });
      try {
        await parts.runIdempotently(
          request,
          response,
          () => contentOfForm(form),
          async () => {
            admitModel(parts.authenticator, response, form.fields.get('model'), 'image');
            const row = rowOf(response);
            const call = {
              caller: callerOf(response),
              row,
              input: editOf(form, row),
              endpoint: OPERATIONS.editImage.path,
            };
            await answer(parts, response, call, form.fields.get('stream') === 'true');
          },
        );
      } finally {
        await form.dispose();
      }
    },
  };

  /** OpenAI's JSON variant: `images: [{image_url}]`, `mask: {image_url}`. */
  async function editFromJson(request: Request, response: Response): Promise<void> {
    const body = jsonBody(request);
    const row = rowOf(response);
    const { images, mask, ...rest } = body;
    const list = Array.isArray(images) ? images.map((each, index) => urlOf(each, `images[${index}].image_url`)) : [];
    if (list.length === 0)
      throw new GatewayError('invalid_request', 'images is missing; give at least one picture to edit', {
        param: 'images',
      });
    checkCount(list.length, row, 'images');
    const decoded = decodeImageBody(rest, row);
    const input: ImageCreate = {
      ...decoded,
      shape: 'edit',
      images: list,
      ...(mask !== undefined && { mask: urlOf(mask, 'mask.image_url') }),
    };
    await answer(
      parts,
      response,
      { caller: callerOf(response), row, input, endpoint: OPERATIONS.editImage.path },
      body['stream'] === true,
    );
  }
}

function urlOf(value: unknown, param: string): ImageInput {
  const url = isJsonObject(value) ? value['image_url'] : undefined;
  if (typeof url === 'string' && /^(https?:\/\/|data:image\/)/i.test(url)) return { url, param };
  throw new GatewayError('invalid_request', `${param} must be an http(s) address or a data:image/…;base64 url`, {
    param,
  });
}

async function answer(
  { images, now }: ImageRouteParts,
  response: Response,
  call: ImageCall,
  stream: boolean,
): Promise<void> {
  const context = contextOf(response);
  const trace = newTrace();
  context.trace = trace;
  try {
    if (!stream) {
      const result = await images.generate(call, trace);
      writeTrace(response, trace);
      response.json(result);
      return;
    }
    const events = await images.stream(call, trace);
    writeTrace(response, trace);
    context.firstByteAt = now();
    startEventStream(response);
    await pipeBody(eventTexts(events, call.row.imageShape === 'prompt'), response);
  } catch (error) {
    if (!response.headersSent) writeTrace(response, trace);
    throw error;
  }
}

async function* eventTexts(
  events: AsyncIterable<{ readonly event: string; readonly data: unknown }>,
  endsWithDone: boolean,
): AsyncGenerator<string> {
  for await (const { event, data } of events) yield `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  if (endsWithDone) yield 'data: [DONE]\n\n';
}

function editOf(form: Form, row: ModelRow): ImageCreate {
  const field = (name: string): string | undefined => {
    const value = form.fields.get(name);
    return value === '' ? undefined : value;
  };
  const pictures = form.files.filter(
    ({ name }) => name === 'image' || name === 'image[]' || /^image\[\d+\]$/.test(name),
  );
  const masks = form.files.filter(({ name }) => name === 'mask');
  const stranger = form.files.find((file) => !pictures.includes(file) && !masks.includes(file));
  if (stranger !== undefined)
    throw new GatewayError(
      'invalid_request',
      `${stranger.name} is no file field of an edit; pictures go into image, a mask into mask`,
      { param: stranger.name },
    );
  if (pictures.length === 0)
    throw new GatewayError('invalid_request', 'image is missing, or was sent as text; send the picture as a file', {
      param: 'image',
    });
  checkCount(pictures.length, row, 'image');
  const images = pictures.map((file, index) =>
    inputOf(file, pictures.length === 1 ? 'image' : `image[${index}]`, PICTURES),
  );
  const mask = masks[0] === undefined ? undefined : inputOf(masks[0], 'mask', [MASK_TYPE]);
  if (masks[0] !== undefined && pictures[0] !== undefined) sameSize(masks[0], pictures[0]);
  const size = field('size');
  const count = field('n');
  const compression = field('output_compression');
  const partial = field('partial_images');
  const extra: JsonObject = Object.fromEntries([...form.fields].filter(([name]) => !KNOWN_FIELDS.includes(name)));
  return {
    shape: 'edit',
    prompt: promptOf(form.fields.get('prompt'), 'prompt'),
    images,
    ...(mask !== undefined && { mask }),
    ...(size !== undefined && { size: sizeOf(size, row, 'size') }),
    ...(count !== undefined && { count: whole(count, 'n', 1, 10) }),
    ...responseFormatOf(field('response_format') ?? null),
    ...(compression !== undefined && { outputCompression: whole(compression, 'output_compression', 0, 100) }),
    ...(partial !== undefined && { partialImages: whole(partial, 'partial_images', 0, 3) }),
    ...given('quality', field('quality')),
    ...given('background', field('background')),
    ...given('outputFormat', field('output_format')),
    ...given('user', field('user')),
    extra,
  };
}

function given<Name extends string>(name: Name, value: string | undefined): { [key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]: string });
}

function inputOf(file: FormFile, param: string, types: readonly string[]): ImageInput {
  if (!types.includes(file.mime)) {
    throw new GatewayError(
      'invalid_request',
      `${param} is ${file.mime === '' ? 'no picture' : file.mime} by its bytes; it must be ${types.join(', ')}`,
      { param },
    );
  }
  return {
    filename: file.filename === '' ? 'picture' : file.filename,
    mime: file.mime,
    size: file.size,
    open: () => file.open(),
    param,
  };
}

function sameSize(mask: FormFile, picture: FormFile): void {
  const [of, mine] = [dimensionsOf(picture, 'image'), dimensionsOf(mask, 'mask')];
  if (of.width !== mine.width || of.height !== mine.height) {
    throw new GatewayError(
      'invalid_request',
      `mask is ${mine.width}x${mine.height} and the picture ${of.width}x${of.height}; they must be of the same size`,
      { param: 'mask' },
    );
  }
}

function dimensionsOf(file: FormFile, param: string): { readonly width: number; readonly height: number } {
  try {
    return imageSize(file.head);
  } catch {
    throw new GatewayError('invalid_request', `${param} has no readable dimensions; is the picture whole?`, { param });
  }
}

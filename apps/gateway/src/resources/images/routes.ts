/** Pictures: generation from JSON, editing from a form. */
import type { Request, Response } from 'express';
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  decodeImageBody,
  findModel,
  MOST_EDIT_IMAGES,
  newTrace,
  readEditBody,
  readEditForm,
  readVariationForm,
  readPredictBody,
  type Catalogue,
  type ImageCall,
  type MadeImages,
  type ApiKeyAuthenticator,
  type ModelRow,
  type ImageEvent,
} from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import { isForm } from '../../http/form.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { mediaControl } from '../../http/request-control.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { answerForm, type PaidFormParts } from '../../http/steps/idempotency.ts';
import { pipeBody, sendJson, startEventStream, writeTrace } from '../../http/reply.ts';
import { includesCost, withCost } from '../../http/answer-cost.ts';
import { imageReplyOf, predictionsOf } from './reply.ts';
import { answerImageTask, type ImageTaskParts } from './task.ts';
import { faultItem, pictureItem, tokensOf } from './picture.ts';

const LARGEST_IMAGE = 50 * 1024 * 1024;

export interface ImageRouteParts extends PaidFormParts, ImageTaskParts {
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
}

/** Handlers of the image operations. */
export function imageRoutes(parts: ImageRouteParts): Handlers {
  const rowOf = (response: Response): ModelRow =>
    findModel(parts.catalogue(), response.locals.exchange.model, ['image', 'image-edit']);
  const controlOf = (request: Request, response: Response) =>
    mediaControl(request, parts.catalogue, response.locals.exchange.caller.key.group);
  const predict: Handler = async (request, response) => {
    const body = jsonBody(request);
    const row = rowOf(response);
    const { input, dropped } = readPredictBody(body, row);
    const call = {
      caller: response.locals.exchange.caller,
      row,
      input,
      read: (each: ModelRow) => readPredictBody(body, each).input,
      endpoint: OPERATIONS.generateImages.path,
      ...controlOf(request, response),
    };
    await answer(parts, { request, response }, call, { dropped, print: predictionsOf });
  };
  return {
    generateImages: predict,
    generateImagesV1: predict,
    generateImagesVertex: predict,
    async createImage(request, response) {
      const { async: isTask, ...body } = jsonBody(request);
      const row = rowOf(response);
      if (isTask === true) {
        await answerImageTask(parts, response, { body, row, control: controlOf(request, response) });
        return;
      }
      const call = {
        caller: response.locals.exchange.caller,
        row,
        input: decodeImageBody(body, row),
        read: (each: ModelRow) => decodeImageBody(body, each),
        endpoint: OPERATIONS.createImage.path,
        ...controlOf(request, response),
      };
      await answer(parts, { request, response }, call, { stream: body['stream'] === true });
    },
    async editImage(request, response) {
      if (!isForm(request)) {
        await editFromJson(request, response);
        return;
      }
      await editFromForm(request, response, { read: readEditForm, endpoint: OPERATIONS.editImage.path });
    },
    createImageVariation: (request, response) =>
      editFromForm(request, response, { read: readVariationForm, endpoint: OPERATIONS.createImageVariation.path }),
  };

  async function editFromForm(
    request: Request,
    response: Response,
    { read, endpoint }: { readonly read: typeof readEditForm; readonly endpoint: string },
  ): Promise<void> {
    const bounds = { mostFiles: MOST_EDIT_IMAGES + 1, largestFile: LARGEST_IMAGE };
    await answerForm(parts, { request, response }, bounds, async (form) => {
      admitModel(parts.authenticator, response, form.fields.get('model'), 'image');
      const row = rowOf(response);
      const call = {
        caller: response.locals.exchange.caller,
        row,
        input: read(form, row),
        read: (each: ModelRow) => read(form, each),
        endpoint,
        ...controlOf(request, response),
      };
      await answer(parts, { request, response }, call, { stream: form.fields.get('stream') === 'true' });
    });
  }

  async function editFromJson(request: Request, response: Response): Promise<void> {
    const body = jsonBody(request);
    const row = rowOf(response);
    await answer(
      parts,
      { request, response },
      {
        caller: response.locals.exchange.caller,
        row,
        input: readEditBody(body, row),
        read: (each) => readEditBody(body, each),
        endpoint: OPERATIONS.editImage.path,
        ...controlOf(request, response),
      },
      { stream: body['stream'] === true },
    );
  }
}

interface Answering {
  readonly stream?: boolean;
  /** What was left out before a vendor was asked. */
  readonly dropped?: readonly string[];
  /** The form of the answer: that of the request's shape, unless said. */
  readonly print?: (call: ImageCall, made: MadeImages, now: number) => JsonObject;
}

async function answer(
  { images, now }: ImageRouteParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  call: ImageCall,
  { stream = false, dropped = [], print = imageReplyOf }: Answering,
): Promise<void> {
  const exchange = response.locals.exchange;
  const trace = newTrace();
  exchange.trace = trace;
  const isCosted = includesCost(request);
  try {
    if (!stream) {
      const made = await images.generate(call, trace);
      trace.dropped = [...trace.dropped, ...dropped.map((field) => ({ field, reason: 'it makes no such pictures' }))];
      writeTrace(response, trace);
      await sendJson(response, print(call, made, now()));
      return;
    }
    const events = await images.stream(call, trace);
    const created = Math.floor(now() / 1000);
    writeTrace(response, trace);
    exchange.firstByteAt = now();
    exchange.streamed = true;
    startEventStream(response);
    const texts = imageStreamOf(call, events, created);
    await pipeBody(isCosted ? withCost(texts, trace) : texts, response);
  } catch (error) {
    if (!response.headersSent) writeTrace(response, trace);
    throw error;
  }
}

/** The texts of the events as they are sent. `created` is in unix seconds. */
export async function* imageStreamOf(
  { row, input }: Pick<ImageCall, 'row' | 'input'>,
  events: AsyncIterable<ImageEvent>,
  created: number,
): AsyncGenerator<string, void, undefined> {
  const isSeedream = row.imageShape === 'prompt';
  const prefix = input.shape === 'edit' ? 'image_edit' : 'image_generation';
  const place = (index: number): JsonObject => ({ model: row.code, created, image_index: index });
  let last: JsonObject | undefined;
  for await (const event of events) {
    if (event.type === 'partial') {
      yield textOf(`${prefix}.partial_image`, {
        ...pictureItem(event.picture),
        partial_image_index: event.index,
        created_at: created,
        ...event.echo,
      });
    } else if (event.type === 'image') {
      const picture = pictureItem(event.picture);
      if (isSeedream) yield textOf(`${prefix}.partial_succeeded`, { ...place(event.index), ...picture, ...event.echo });
      else last = { ...picture, created_at: created, ...event.echo };
    } else if (event.type === 'failed') {
      yield textOf(`${prefix}.partial_failed`, { ...place(event.index), ...faultItem(event.fault) });
    } else if (event.type === 'completed') {
      yield textOf(`${prefix}.completed`, {
        ...(isSeedream && { model: row.code, created }),
        ...last,
        usage: event.vendorUsage ?? tokensOf(event.usage),
      });
    } else {
      const { code, message } = event.error;
      yield textOf('error', { error: { code, message } });
    }
  }
  if (isSeedream) yield 'data: [DONE]\n\n';
}

function textOf(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

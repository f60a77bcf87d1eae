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
  type ChatTrace,
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
  const routes = new ImageRoutes(parts);
  return {
    generateImages: routes.predict,
    generateImagesV1: routes.predict,
    generateImagesVertex: routes.predict,
    createImage: routes.create,
    editImage: routes.edit,
    createImageVariation: routes.vary,
  };
}

type ImageInput = ImageCall['input'];

interface Asked {
  readonly request: Request;
  readonly response: Response;
}

interface Answering {
  readonly stream?: boolean;
  /** What was left out before a vendor was asked. */
  readonly dropped?: readonly string[];
  /** The form of the answer: that of the request's shape, unless said. */
  readonly print?: (call: ImageCall, made: MadeImages, now: number) => JsonObject;
}

class ImageRoutes {
  private readonly parts: ImageRouteParts;

  constructor(parts: ImageRouteParts) {
    this.parts = parts;
  }

  readonly predict: Handler = async (request, response) => {
    const body = jsonBody(request);
    const row = this.rowOf(response);
    const { input, dropped } = readPredictBody(body, row);
    const read = (each: ModelRow): ImageInput => readPredictBody(body, each).input;
    const call = this.callOf({ request, response }, { row, input, read, endpoint: OPERATIONS.generateImages.path });
    await this.answer({ request, response }, call, { dropped, print: predictionsOf });
  };

  readonly create: Handler = async (request, response) => {
    const { async: isTask, ...body } = jsonBody(request);
    const row = this.rowOf(response);
    if (isTask === true) {
      await answerImageTask(this.parts, response, { body, row, control: this.controlOf({ request, response }) });
      return;
    }
    const read = (each: ModelRow): ImageInput => decodeImageBody(body, each);
    const endpoint = OPERATIONS.createImage.path;
    const call = this.callOf({ request, response }, { row, input: read(row), read, endpoint });
    await this.answer({ request, response }, call, { stream: body['stream'] === true });
  };

  readonly edit: Handler = async (request, response) => {
    const asked = { request, response };
    if (isForm(request)) await this.editFromForm(asked, readEditForm, OPERATIONS.editImage.path);
    else await this.editFromJson(asked);
  };

  readonly vary: Handler = async (request, response) => {
    await this.editFromForm({ request, response }, readVariationForm, OPERATIONS.createImageVariation.path);
  };

  private async editFromForm(asked: Asked, readForm: typeof readEditForm, endpoint: string): Promise<void> {
    const { parts } = this;
    const bounds = { mostFiles: MOST_EDIT_IMAGES + 1, largestFile: LARGEST_IMAGE };
    await answerForm(parts, asked, bounds, async (form) => {
      admitModel(parts.authenticator, asked.response, form.fields.get('model'), 'image');
      const row = this.rowOf(asked.response);
      const read = (each: ModelRow): ImageInput => readForm(form, each);
      const call = this.callOf(asked, { row, input: read(row), read, endpoint });
      await this.answer(asked, call, { stream: form.fields.get('stream') === 'true' });
    });
  }

  private async editFromJson(asked: Asked): Promise<void> {
    const body = jsonBody(asked.request);
    const row = this.rowOf(asked.response);
    const read = (each: ModelRow): ImageInput => readEditBody(body, each);
    const call = this.callOf(asked, { row, input: read(row), read, endpoint: OPERATIONS.editImage.path });
    await this.answer(asked, call, { stream: body['stream'] === true });
  }

  private rowOf(response: Response): ModelRow {
    return findModel(this.parts.catalogue(), response.locals.exchange.model, ['image', 'image-edit']);
  }

  private callOf(asked: Asked, call: Pick<ImageCall, 'row' | 'input' | 'read' | 'endpoint'>): ImageCall {
    return { caller: asked.response.locals.exchange.caller, ...call, ...this.controlOf(asked) };
  }

  private controlOf({ request, response }: Asked): ReturnType<typeof mediaControl> {
    return mediaControl(request, this.parts.catalogue, response.locals.exchange.caller.key.group);
  }

  private async answer(asked: Asked, call: ImageCall, { stream = false, ...form }: Answering): Promise<void> {
    const { response } = asked;
    const trace = newTrace();
    response.locals.exchange.trace = trace;
    // Another word in its header is refused before anything is drawn.
    const isCosted = includesCost(asked.request);
    try {
      await (stream ? this.stream(response, call, trace, isCosted) : this.answerWhole(response, call, trace, form));
    } catch (error) {
      if (!response.headersSent) writeTrace(response, trace);
      throw error;
    }
  }

  private async answerWhole(
    response: Response,
    call: ImageCall,
    trace: ChatTrace,
    { dropped = [], print = imageReplyOf }: Answering,
  ): Promise<void> {
    const made = await this.parts.images.generate(call, trace);
    trace.dropped = [...trace.dropped, ...dropped.map((field) => ({ field, reason: 'it makes no such pictures' }))];
    writeTrace(response, trace);
    await sendJson(response, print(call, made, this.parts.now()));
  }

  private async stream(response: Response, call: ImageCall, trace: ChatTrace, isCosted: boolean): Promise<void> {
    const { images, now } = this.parts;
    const exchange = response.locals.exchange;
    const events = await images.stream(call, trace);
    const created = Math.floor(now() / 1000);
    writeTrace(response, trace);
    exchange.firstByteAt = now();
    exchange.streamed = true;
    startEventStream(response);
    const texts = imageStreamOf(call, events, created);
    await pipeBody(isCosted ? withCost(texts, trace) : texts, response);
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

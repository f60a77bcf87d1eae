/** A picture as a task: what `async` in the body asks for. */
import type { Response } from 'express';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  decodeImageBody,
  readCallback,
  type ImageCall,
  type Images,
  type MadeImages,
  type ModelRow,
  type TaskEngine,
  type TaskRecord,
} from '@model-gateway/core';
import { mimeByName } from '@model-gateway/provider-kit';
import { seconds } from '../videos/task-fields.ts';
import { imageReplyOf } from './reply.ts';

export interface ImageTaskParts {
  readonly tasks: Pick<TaskEngine, 'createImage'>;
  readonly images: Images;
  readonly now: () => number;
}

interface AskedPicture {
  /** Without `async`. */
  readonly body: JsonObject;
  readonly row: ModelRow;
  readonly control: Pick<ImageCall, 'control'>;
}

/** Answers with a task; the picture is drawn as for a request that waits. */
export async function answerImageTask(
  { tasks, images, now }: ImageTaskParts,
  response: Response,
  { body: { callback_url: callback, ...body }, row, control }: AskedPicture,
): Promise<void> {
  refuse(body, 'stream', true, 'a task has no stream; follow it at GET /v1/video/generations/{task_id}');
  refuse(body, 'response_format', 'b64_json', 'a task keeps addresses; leave response_format out, or set it to url');
  const read = (each: ModelRow) => ({ ...decodeImageBody(body, each), responseFormat: 'url' as const });
  const input = read(row);
  const callbackUrl = readCallback(callback ?? undefined);
  const task = await tasks.createImage(response.locals.exchange.caller, {
    row,
    prompt: input.prompt,
    ...(callbackUrl !== undefined && { callbackUrl }),
    async draw(caller, trace) {
      const endpoint = OPERATIONS.createImage.path;
      const call: ImageCall = { caller, row, input, read, endpoint, isReadLater: true, ...control };
      const made = await images.generate(call, trace);
      // What a header says of an answer at once.
      const dropped = trace.dropped.map(({ field }) => field);
      const answer = imageReplyOf(call, made, now());
      return { files: filesOf(made), answer: dropped.length > 0 ? { ...answer, dropped } : answer };
    },
  });
  const { accountId, vendor, upstreamModel } = task;
  response.locals.exchange.task = { accountId, vendor, upstreamModel, attempts: 0, dropped: [] };
  response.setHeader('x-gateway-account', String(accountId));
  response.json(acknowledgementOf(task));
}

function refuse(body: JsonObject, param: string, value: unknown, why: string): void {
  if (body[param] === value) throw new GatewayError('invalid_request', `${param}: ${why}`, { param });
}

function filesOf({ pictures }: MadeImages): { readonly url: string; readonly mime: string }[] {
  return pictures.flatMap((picture) =>
    'fault' in picture || picture.url === undefined
      ? []
      : [{ url: picture.url, mime: mimeByName(picture.url, 'image/png') }],
  );
}

function acknowledgementOf({ id, model, createdAt }: TaskRecord): JsonObject {
  return { id, task_id: id, object: 'image', model, status: 'queued', progress: 0, created_at: seconds(createdAt) };
}

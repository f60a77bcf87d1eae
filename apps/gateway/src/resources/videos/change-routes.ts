/** Videos out of finished ones, as OpenAI's SDK asks for them: remixes, edits, extensions. */
import type { Request } from 'express';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { AskedChange } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import { isForm } from '../../http/form.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { refuseControl } from '../../http/request-control.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { acknowledgedAsVideo, answerCreated, idempotencyOf, type TaskRouteParts } from './create-task.ts';
import { readChangeForm } from './video-form.ts';

/** As a body says it: the video by its id. */
type ChangeByName = Omit<AskedChange, 'source'> & { readonly of: string };
type ChangeParts = Pick<TaskRouteParts, 'tasks' | 'authenticator'>;

/** Handlers of what is made of a finished video. */
export function videoChangeRoutes(parts: ChangeParts): Handlers {
  return {
    remixVideo: changing(parts, (body, request) => ({
      change: 'remix',
      of: String(request.params['video_id']),
      prompt: promptIn(body),
    })),
    editVideo: changing(parts, (body) => ({ change: 'edit', of: videoIn(body), prompt: promptIn(body) })),
    extendVideo: changing(parts, (body) => ({
      change: 'extend',
      of: videoIn(body),
      prompt: promptIn(body),
      seconds: secondsIn(body),
    })),
  };
}

function changing(
  { tasks, authenticator }: ChangeParts,
  askedIn: (body: JsonObject, request: Request) => ChangeByName,
): Handler {
  return async (request, response) => {
    refuseControl(request);
    const form = isForm(request);
    const { caller, bodyHold } = response.locals.exchange;
    const body = form ? await readChangeForm(request, bodyHold) : jsonBody(request);
    const { of, ...asked } = askedIn(body, request);
    const source = await tasks.get(caller, of).catch((error: unknown) => {
      throw error instanceof GatewayError && error.code === 'task_not_exist' ? noVideo({ ...asked, of }) : error;
    });
    admitModel(authenticator, response, source.model, 'video');
    const idempotency = idempotencyOf(request, response, acknowledgedAsVideo, form ? body : undefined);
    const created = await tasks.changeVideo(
      caller,
      { ...asked, source },
      idempotency === undefined ? {} : { idempotency },
    );
    answerCreated(response, created, acknowledgedAsVideo);
  };
}

/** In the path it is what is not there; in a body, what is wrong. */
function noVideo({ change, of }: Pick<ChangeByName, 'change' | 'of'>): GatewayError {
  const message = `there is no video '${of.slice(0, 80)}'`;
  return change === 'remix'
    ? new GatewayError('not_found', message, { param: 'video_id' })
    : new GatewayError('invalid_request', `video.id: ${message}`, { param: 'video.id' });
}

function videoIn({ video }: JsonObject): string {
  const id = isJsonObject(video) ? video['id'] : undefined;
  if (typeof id === 'string' && id !== '') return id;
  throw wrong('video', 'must name a finished video of yours: {"id": "video_…"}');
}

function promptIn({ prompt }: JsonObject): string {
  if (typeof prompt === 'string' && prompt.trim() !== '') return prompt;
  throw wrong('prompt', 'must say in words what is to be seen');
}

function secondsIn({ seconds }: JsonObject): number {
  const length = typeof seconds === 'string' && /^\d{1,4}$/.test(seconds) ? Number(seconds) : seconds;
  if (typeof length === 'number' && length > 0) return length;
  throw wrong('seconds', 'must be how many seconds longer the video is to be, as text, such as "8"');
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { param });
}

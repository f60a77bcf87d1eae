/** Making a task, whichever form it is asked for in: its Idempotency-Key, and what the request is answered with. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type {
  ApiKeyAuthenticator,
  Catalogue,
  Created,
  CreateOptions,
  TaskEngine,
  TaskRecord,
} from '@model-gateway/core';
import type { Exchange } from '../../http/exchange.ts';
import { isForm } from '../../http/form.ts';
import { headerText } from '../../http/reply.ts';
import { mediaControl } from '../../http/request-control.ts';
import { errorBody, errorHeaders } from '../../http/steps/print-error.ts';
import { acknowledgementOf } from './acknowledgement.ts';
import { secondsOf, sizeOf } from './task-fields.ts';
import { subjectAcknowledgementOf } from './subject.ts';

const LONGEST_IDEMPOTENCY_KEY = 255;
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

export interface TaskRouteParts {
  readonly tasks: TaskEngine;
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
  /** Reads a multipart form of /v1/videos into the JSON body it stands for; its files become data: URLs. */
  readonly readVideoForm: (request: Request, hold: Exchange['bodyHold']) => Promise<JsonObject>;
  readonly platformOf: (vendor: string) => string;
  readonly publicUrl: () => string;
}

/** What a POST answers with, in the form of its path. */
export type PrintCreated = (task: TaskRecord) => object;

export interface AskedTask {
  readonly request: Request;
  readonly response: Response;
  /** As it is read: of a form the JSON body that it stands for. */
  readonly body: JsonObject;
  readonly endpoint: CreateOptions['endpoint'];
  readonly print: PrintCreated;
}

/** Makes the video of a request and answers it. */
export async function answerVideo(
  { tasks, catalogue }: Pick<TaskRouteParts, 'tasks' | 'catalogue'>,
  { request, response, body, endpoint, print }: AskedTask,
): Promise<void> {
  const caller = response.locals.exchange.caller;
  const idempotency = idempotencyOf(request, response, print, isForm(request) ? body : undefined);
  const created = await tasks.createVideo(caller, body, {
    endpoint,
    // The document says which numbers there are.
    priority: Number(request.headers['x-gateway-priority'] ?? 0),
    ...mediaControl(request, catalogue, caller.key.group),
    ...(idempotency !== undefined && { idempotency }),
  });
  answerCreated(response, created, print);
}

/** Answers with a new task, or with what an earlier request with the same Idempotency-Key was answered. */
export function answerCreated(response: Response, created: Created, print: PrintCreated): void {
  if (created.replayed !== undefined) {
    const { status, headers, body } = created.replayed;
    response.status(status);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, headerText(value));
    response.setHeader('idempotent-replayed', 'true');
    response.send(Buffer.from(body));
    return;
  }
  const { task, dropped, attempts, route } = created;
  const { accountId, vendor, upstreamModel } = task;
  response.locals.exchange.task = { accountId, vendor, upstreamModel, attempts, dropped };
  response.setHeader('x-gateway-account', String(task.accountId));
  if (attempts > 0) response.setHeader('x-gateway-attempts', String(attempts));
  if (route !== undefined) response.setHeader('x-gateway-route', headerText(route));
  if (dropped.length > 0) response.setHeader('x-gateway-dropped', headerText(dropped.join(', ')));
  response.json(print(task));
}

/** What the POST answers outside Google's form, for either kind. */
export function acknowledged(task: TaskRecord): object {
  return task.kind === 'subject' ? subjectAcknowledgementOf(task) : acknowledgementOf(task);
}

/** What the POST of OpenAI's form answers, of whatever family: its SDKs require a length and a size. */
export function acknowledgedAsVideo(task: TaskRecord): object {
  return { ...acknowledged(task), seconds: secondsOf(task), size: sizeOf(task) };
}

/** The Idempotency-Key, what it was used for, and how its route prints an error that is replayed. */
export function idempotencyOf(
  request: Request,
  response: Response,
  print: PrintCreated,
  formBody?: JsonObject,
): CreateOptions['idempotency'] {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return undefined;
  if (Array.isArray(key) || key.length > LONGEST_IDEMPOTENCY_KEY) {
    throw new GatewayError(
      'invalid_request',
      `the Idempotency-Key must be a single value of at most ${LONGEST_IDEMPOTENCY_KEY} characters`,
      { param: 'Idempotency-Key' },
    );
  }
  const exchange = response.locals.exchange;
  const hash = createHash('sha256').update(`${request.method} ${request.path}\n`);
  hash.update(formBody === undefined ? (exchange.rawBody ?? '') : JSON.stringify(formBody));
  return {
    key,
    fingerprint: hash.digest('hex'),
    print: {
      created: (task, dropped) => ({
        status: 200,
        headers: { ...JSON_HEADERS, ...(dropped.length > 0 && { 'x-gateway-dropped': dropped.join(', ') }) },
        body: Buffer.from(JSON.stringify(print(task))),
      }),
      refused: (error) => ({
        status: error.status(exchange.openAiStatuses),
        headers: { ...errorHeaders(error), ...JSON_HEADERS },
        body: Buffer.from(JSON.stringify(errorBody(error, exchange))),
      }),
    },
  };
}

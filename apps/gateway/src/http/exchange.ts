/** What is known of one request while it is answered: each step adds what it learned, later ones read it. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import type {
  Caller,
  CallerLabels,
  ChatTrace,
  KeyRecord,
  LineDelivery,
  OwnSpending,
  TaskRecord,
} from '@model-gateway/core';
import type { ErrorCode, GatewayError, JsonObject } from '@model-gateway/contracts';
import type { OpenSession } from '../resources/console/sessions.ts';
import type { ContentListener } from '../telemetry/content.ts';
import type { RequestSpan } from '../telemetry/request-tracing.ts';
import type { BodyHold } from './steps/body-budget.ts';
import type { DeprecatedModels } from './deprecated-models.ts';
import type { Match } from './route-table.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Express's own way to type `response.locals`
  namespace Express {
    interface Locals {
      exchange: Exchange;
    }
  }
}

/** What is known when a request has arrived. */
export interface Arrival {
  readonly requestId: string;
  readonly startedAt: number;
  /** The client's address, behind the operator's own proxies. */
  readonly address: string | undefined;
  /** The operation that is asked for, or why there is none. */
  readonly match: Match;
}

/** One request on its way; handlers and steps find it as `response.locals.exchange`. */
export class Exchange implements Arrival {
  readonly requestId: string;
  readonly startedAt: number;
  readonly address: string | undefined;
  readonly match: Match;
  /** Errors take their status from the column with 429 and 500 (docs/architecture.md#errors). */
  openAiStatuses: boolean;

  // Learned by authentication.
  /** The caller; absent if the operation takes no client key. */
  knownCaller: Caller | undefined = undefined;
  key: KeyRecord | undefined = undefined;
  admin = false;
  /** The realtime session that the request's client secret opens. */
  realtimeSession: JsonObject | undefined = undefined;
  /** The session of the cookie, if the request has no key. */
  session: OpenSession | undefined = undefined;

  // Learned by reading and checking the body.
  /** The caller's bytes, as they came. */
  rawBody: Buffer | undefined = undefined;
  /** The body's share of the memory for all bodies. */
  bodyHold: BodyHold | undefined = undefined;
  /** The model that is asked for; the key may use it. */
  knownModel: string | undefined = undefined;

  /** A limit of the run refuses the request, and the caller wants a message that says so. */
  refusal: GatewayError | undefined = undefined;

  /** Says in headers that a model is given up; absent in tests. */
  deprecated: DeprecatedModels | undefined = undefined;

  // Learned by answering.
  trace: ChatTrace | undefined = undefined;
  /** The new task, the account that runs it, and the fields that were dropped. */
  task:
    | (Pick<TaskRecord, 'accountId' | 'vendor' | 'upstreamModel'> & {
        readonly attempts: number;
        readonly dropped: readonly string[];
      })
    | undefined = undefined;
  /** The answer carries a secret: it is never kept. */
  secretAnswer = false;
  errorCode: ErrorCode | undefined = undefined;
  firstByteAt: number | undefined = undefined;
  /** The answer is streamed. */
  streamed = false;
  /** It ended before the answer was whole. */
  brokeOff = false;

  // Where traces are wanted.
  span: RequestSpan | undefined = undefined;
  /** Where an operator records what was said. */
  content: ContentListener | undefined = undefined;

  constructor({ requestId, startedAt, address, match }: Arrival) {
    this.requestId = requestId;
    this.startedAt = startedAt;
    this.address = address;
    this.match = match;
    this.openAiStatuses = match.place.openAiStatuses === true;
  }

  /** The caller of an operation that is behind a client key. */
  get caller(): Caller {
    if (this.knownCaller === undefined) throw new Error('the operation is not behind a client key');
    return this.knownCaller;
  }

  /** The model of an operation that names one. */
  get model(): string {
    if (this.knownModel === undefined) throw new Error('the operation names no model');
    return this.knownModel;
  }
}

/** The JSON body, checked by the validator to be an object. */
export function jsonBody(request: Request): JsonObject {
  return request.body as JsonObject;
}

const connections = new WeakMap<Socket, AbortSignal>();

/** Aborted when the caller's connection closes. All requests of a connection share it, so remove listeners when they are done. */
export function connectionSignal(socket: Socket): AbortSignal {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const hangUp = new AbortController();
  if (socket.destroyed) hangUp.abort();
  else socket.once('close', () => hangUp.abort());
  connections.set(socket, hangUp.signal);
  return hangUp.signal;
}

/** Aborted when the response ends, complete or not, so that everything opened for it can be released. */
export function responseSignal(response: Response): AbortSignal {
  const over = new AbortController();
  response.once('close', () => over.abort());
  return over.signal;
}

/** Whose request it is that comes over a connection without a key in it. */
export interface Actor {
  readonly key: KeyRecord;
  readonly labels: CallerLabels;
  readonly spending: OwnSpending;
  readonly delivery?: LineDelivery;
  /** Its exchange, once it is let in. */
  exchange?: Exchange;
}

const actors = new WeakMap<Duplex, Actor>();

/** The caller of this connection, if the connection itself identifies it. */
export function actorOf(connection: Duplex): Actor | undefined {
  return actors.get(connection);
}

/** From now on, all requests over the connection belong to this actor. */
export function letAct(connection: Duplex, actor: Actor): void {
  actors.set(connection, actor);
}

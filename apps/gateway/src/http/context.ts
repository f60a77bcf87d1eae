import type { Request, Response } from 'express';
import type { Caller, ChatTrace, KeyRecord, TaskRecord } from '@model-gateway/core';
import type { JsonObject } from '@model-gateway/contracts';
import type { OpenSession } from '../resources/console/sessions.ts';
import type { BodyHold } from './body/budget.ts';
import type { Match } from './route-table.ts';
import type { ContentListener } from '../telemetry/content.ts';
import type { RequestSpan } from '../telemetry/request-tracing.ts';

/** What is known of a request while it is answered; kept in `response.locals`. */
export interface Context {
  readonly requestId: string;
  readonly startedAt: number;
  /** Where it comes from, behind the operator's own proxies. */
  readonly address: string | undefined;
  /** The operation that is asked for, or why there is none. */
  readonly match: Match;
  /** Errors take their status from the column with 429 and 500 (docs/architecture.md#errors). */
  openAiStatuses: boolean;
  caller?: Caller;
  key?: KeyRecord;
  admin?: boolean;
  /** The session of the cookie, where the request brought no key. */
  session?: OpenSession;
  /** The task that was made, by whom it is worked on and what was dropped for that. */
  task?: Pick<TaskRecord, 'accountId' | 'vendor' | 'upstreamModel'> & {
    readonly attempts: number;
    readonly dropped: readonly string[];
  };
  /** The caller's bytes, as they came. */
  rawBody?: Buffer;
  /** What the body takes of the bytes that all bodies may take. */
  bodyHold?: BodyHold;
  /** The model that is asked for; the key may use it. */
  model?: string;
  trace?: ChatTrace;
  /** The answer carries a secret: it is never kept. */
  secretAnswer?: boolean;
  errorCode?: string;
  firstByteAt?: number;
  /** The answer is sent as it comes. */
  streamed?: boolean;
  /** Where traces are wanted. */
  span?: RequestSpan;
  /** Where an operator records what was said. */
  content?: ContentListener;
}

/** The context of a request. */
export function contextOf(response: Response): Context {
  return response.locals['context'] as Context;
}

/** The caller of an authenticated request. */
export function callerOf(response: Response): Caller {
  const { caller } = contextOf(response);
  if (caller === undefined) throw new Error('the route is not behind authentication');
  return caller;
}

/** The model of a request whose operation names one. */
export function modelOf(response: Response): string {
  const { model } = contextOf(response);
  if (model === undefined) throw new Error('the operation names no model');
  return model;
}

/** The JSON body, checked by the validator to be an object. */
export function jsonBody(request: Request): JsonObject {
  return request.body as JsonObject;
}

import type { Request, Response } from 'express';
import type { Caller, ChatTrace, KeyRecord } from '@model-gateway/core';
import type { DialectName, JsonObject } from '@model-gateway/contracts';

/** In which form an error is printed: a chat dialect, or the task routes' double form. */
export type ErrorForm = DialectName | 'task';

/** What is known of a request while it is answered; kept in `response.locals`. */
export interface Context {
  readonly requestId: string;
  readonly startedAt: number;
  errorForm: ErrorForm;
  /** The groups that list 429 and 500 instead of 403 and 503 (design.md §3). */
  openAiGroup: boolean;
  caller?: Caller;
  key?: KeyRecord;
  admin?: boolean;
  /** The caller's bytes, as they came. */
  rawBody?: Buffer;
  /** For the log. */
  model?: string;
  trace?: ChatTrace;
  /** The answer carries a secret: it is never kept. */
  secretAnswer?: boolean;
  errorCode?: string;
  firstByteAt?: number;
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

/** The JSON body, checked by the validator to be an object. */
export function jsonBody(request: Request): JsonObject {
  return request.body as JsonObject;
}

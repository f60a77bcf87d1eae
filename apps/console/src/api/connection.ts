/** The way to the gateway: every request of the console goes through `send`. */
import { useSyncExternalStore } from 'react';
import { t } from '../text/text.ts';
import { csrfHeaders, lookAtSession } from './session.ts';

/** True while the gateway cannot be reached. */
export const isAway = signal(false);

/** Resolves when the gateway can no more be reached, or can be again. */
export function connectionChange(): Promise<void> {
  return new Promise((resolve) => {
    const stop = isAway.listen(() => {
      stop();
      resolve();
    });
  });
}

/**
 * Sends a request with the session's cookie. Throws `network` when no answer came, which also shows the banner; an answer of 401 asks for signing
 * in again, over the page as it stands.
 */
export async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const request = new Request(input, { credentials: 'same-origin', ...init });
  for (const [name, value] of Object.entries(csrfHeaders(request.method))) request.headers.set(name, value);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    isAway.set(true);
    throw new FaultError({
      message: t('The gateway cannot be reached.'),
      code: 'network',
      status: 0,
      requestId: undefined,
    });
  }
  isAway.set(false);
  if (response.status === 401) void lookAtSession();
  return response;
}

/** The same; throws what the gateway refused. */
export async function sendWell(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await send(input, init);
  if (response.ok) return response;
  throw new FaultError(readFault(await readBody(response), response));
}

/** The same with a JSON body. */
export function postJson(path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return sendWell(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Looks whether the gateway is there again. */
export async function lookAgain(): Promise<boolean> {
  try {
    await fetch('/healthz');
    isAway.set(false);
    return true;
  } catch {
    return false;
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export interface Signal<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Calls `listener` after each change, until the function that it gives is called. */
  readonly listen: (listener: () => void) => () => void;
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useSignal<T>(followed: Signal<T>): T {
  return useSyncExternalStore(followed.listen, followed.get);
}

export interface Fault {
  readonly message: string;
  /** A code of the document's list, or `network`. */
  readonly code: string;
  /** The status of the answer; 0 when none came. */
  readonly status: number;
  readonly requestId: string | undefined;
}

export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Reads a refusal in any of the forms that the gateway has: OpenAI's, Anthropic's, Google's. */
export function readFault(body: unknown, response: Response): Fault {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : undefined;
  const said = [error?.['message'], isRecord(body) ? body['message'] : undefined].find(isText);
  const code = [error?.['code'], error?.['type'], error?.['status']].find(isText);
  return {
    message: said ?? t('The gateway answered with status {status}.', { status: response.status }),
    code: code ?? `http_${response.status}`,
    status: response.status,
    requestId,
  };
}

/** What an error of any kind says to people. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: 'internal', status: 0, requestId: undefined };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

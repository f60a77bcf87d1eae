/** The way to the gateway: every request of the console goes through `send`. */
import { t } from '../text/text.ts';
import { FaultError, readFault } from './fault.ts';
import { csrfHeaders, lookAtSession } from './session.ts';
import { signal } from './signal.ts';

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
export function postJson(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return sendWell(path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
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

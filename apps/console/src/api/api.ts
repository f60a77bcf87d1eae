/** The operations of the document, typed by it. */
import type { components, paths } from '@model-gateway/contracts';
import createClient from 'openapi-fetch';
import { send } from './connection.ts';
import { FaultError, readFault } from './fault.ts';

export type Schemas = components['schemas'];
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** What of the bodies of an answer is JSON: files are opened by their address. */
type JsonBody<T> = T extends { readonly arrayBuffer: unknown } ? never : NonNullable<T>;

/** The body of an answer; throws what the gateway refused. */
export async function ask<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<JsonBody<T>> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined && data !== null) return data as JsonBody<T>;
  throw new FaultError(readFault(error, response));
}

/** The operations of the document, typed by it. */
import type { components, paths } from '@model-gateway/contracts';
import createClient from 'openapi-fetch';
import { send } from './connection.ts';
import { FaultError, readFault } from './fault.ts';

export type Schemas = components['schemas'];
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** The body of an answer; throws what the gateway refused. */
export async function ask<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined && data !== null) return data;
  throw new FaultError(readFault(error, response));
}

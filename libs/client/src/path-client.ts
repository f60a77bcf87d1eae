/** For who thinks in paths: openapi-fetch over the client's transport. */
import createFetch, { type Client as PathClient } from 'openapi-fetch';
import type { paths } from './contracts.ts';
import type { Core } from './core.ts';
import { deadlineOf } from './transport.ts';

/** `pathClient(client).GET('/v1/models')`. Refusals are thrown, as everywhere here. */
export function pathClient(core: Core): PathClient<paths> {
  return createFetch<paths>({
    baseUrl: core.baseUrl,
    fetch: async (request: Request) => {
      const { url, method, headers, signal } = request;
      const body = await request.arrayBuffer();
      const outgoing = { url, method, headers: new Headers(headers), ...(body.byteLength > 0 && { body }) };
      const response = await core.send(outgoing, { signal }, 'open');
      deadlineOf(response)?.rest();
      return response;
    },
  });
}

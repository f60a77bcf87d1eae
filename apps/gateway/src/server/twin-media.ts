/** The twin's pictures and films under the gateway's own address, so that they open wherever the gateway is reached. */
import type { RequestHandler } from 'express';
import { request as ask } from 'undici';
import { pipeBody } from '../http/reply.ts';
import { TWIN_MOUNT } from '../http/mounts.ts';

const COPIED = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/**
 * A link as the twin gives it out, and nothing else: not a query, no dots that lead elsewhere, nothing encoded. Anything that reached the
 * twin by another path would be a vendor's route without a key.
 */
const LINK = new RegExp(`^${TWIN_MOUNT}/media/([\\w-]{1,4096}\\.[\\w-]{22}\\.\\w{1,5})$`);

/** Makes the handler of the twin's mount. */
export function twinMedia(twinUrl: string): RequestHandler {
  return (request, response, next) => {
    const [, name] = LINK.exec(request.url) ?? [];
    if (name === undefined) {
      next();
      return;
    }
    const range = request.headers.range;
    ask(`${twinUrl}/media/${name}`, {
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      headers: range === undefined ? {} : { range },
    })
      .then((reply) => {
        response.status(reply.statusCode);
        response.setHeader('x-content-type-options', 'nosniff');
        for (const name of COPIED) {
          const value = reply.headers[name];
          if (value !== undefined) response.setHeader(name, value);
        }
        return pipeBody(reply.body, response);
      })
      .catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else next(error);
      });
  };
}

/** The twin's pictures and films under the gateway's own address, so that they open wherever the gateway is reached. */
import type { RequestHandler } from 'express';
import { request as ask } from 'undici';
import { TWIN_MOUNT } from '../http/mounts.ts';

const COPIED = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/** Makes the handler of the twin's mount. */
export function twinMedia(twinUrl: string): RequestHandler {
  return (request, response, next) => {
    if (!request.path.startsWith(`${TWIN_MOUNT}/media/`)) {
      next();
      return;
    }
    const range = request.headers.range;
    ask(`${twinUrl}${request.url.slice(TWIN_MOUNT.length)}`, {
      method: request.method,
      headers: range === undefined ? {} : { range },
    })
      .then((reply) => {
        response.status(reply.statusCode);
        for (const name of COPIED) {
          const value = reply.headers[name];
          if (value !== undefined) response.setHeader(name, value);
        }
        reply.body.on('error', () => response.destroy()).pipe(response);
      })
      .catch(next);
  };
}

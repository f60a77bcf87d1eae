/** The admin API on a port of its own: there and nowhere else, and nothing of the public API beside it. */
import type { RequestHandler } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { isAdminPath } from './auth.ts';

/** For load balancers and monitoring: on both ports. */
const ON_BOTH = ['/healthz', '/readyz', '/metrics', '/openapi.json'];

/** Makes the middleware that keeps the two apart by the port a request came in on. */
export function onItsOwnPort(adminPort: number): RequestHandler {
  return (request, _response, next) => {
    const { path } = request;
    if (ON_BOTH.includes(path) || isAdminPath(path) === (request.socket.localPort === adminPort)) {
      next();
      return;
    }
    throw new GatewayError('not_found', `there is no ${request.method} ${path.slice(0, 200)} on this port`);
  };
}

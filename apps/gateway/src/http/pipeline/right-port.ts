/** The admin API on a port of its own: there and nowhere else, and nothing of the public API beside it. */
import type { RequestHandler } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { contextOf } from '../context.ts';

/** Makes the step that keeps the two apart by the port a request came in on. Without a port of its own everything is on one. */
export function onRightPort(adminPort: number | undefined): RequestHandler {
  return (request, response, next) => {
    if (adminPort === undefined) {
      next();
      return;
    }
    const { access, everyPort } = contextOf(response).match.place;
    if (everyPort === true || (access === 'admin') === (request.socket.localPort === adminPort)) {
      next();
      return;
    }
    throw new GatewayError('not_found', `there is no ${request.method} ${request.path.slice(0, 200)} on this port`);
  };
}

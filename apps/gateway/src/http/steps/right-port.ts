/** The admin API on a port of its own: there and nowhere else, and nothing of the public API beside it. */
import type { RequestHandler } from 'express';
import { GatewayError } from '@model-gateway/contracts';

/** Makes the step that keeps the two apart by the port a request came in on. Without a port of its own everything is on one. `adminPort` is asked per request: it is known when the ports are open. */
export function onRightPort(adminPort: () => number | undefined): RequestHandler {
  return (request, response, next) => {
    const port = adminPort();
    if (port === undefined) {
      next();
      return;
    }
    const { access, everyPort, adminPort: onAdminPort } = response.locals.exchange.match.place;
    const isForAdmin = access === 'admin' || onAdminPort === true;
    if (everyPort === true || isForAdmin === (request.socket.localPort === port)) {
      next();
      return;
    }
    throw new GatewayError('not_found', `there is no ${request.method} ${request.path.slice(0, 200)} on this port`);
  };
}

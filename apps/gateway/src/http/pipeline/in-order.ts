import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** Middlewares as one: the router matches and wraps each of its own anew for every request. */
export function inOrder(steps: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    let at = 0;
    const go = (error?: unknown): void => {
      const step = steps[at++];
      if (step === undefined || (error !== undefined && error !== null)) {
        next(error);
        return;
      }
      try {
        const done: unknown = step(request, response, go);
        if (done instanceof Promise) done.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    go();
  };
}

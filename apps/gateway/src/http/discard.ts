/** What becomes of the rest of a body that was answered before it was read. */
import type { IncomingMessage } from 'node:http';

/** Goes on reading a request that has been answered, and throws away what comes. Returns at once. */
export type Discard = (request: IncomingMessage) => void;

export interface DiscardLimits {
  /** Bytes of the rest that are read at most. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/**
 * Makes it. Who sends a body often looks at the answer only when all of it has been sent: a connection that is closed before loses the
 * answer. One that goes on for longer than the limits allow is cut.
 */
export function createDiscard({ bytes, milliseconds }: DiscardLimits): Discard {
  return (request) => {
    if (request.complete || request.destroyed) return;
    let size = 0;
    const cut = (): void => {
      clearTimeout(deadline);
      request.socket.destroy();
    };
    // A process that ends waits for nobody's body.
    const deadline = setTimeout(cut, milliseconds).unref();
    const stop = (): void => clearTimeout(deadline);
    request.removeAllListeners('data');
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) cut();
    });
    request.once('end', stop);
    request.once('close', stop);
    // A sender that gives up is no fault of ours.
    request.on('error', stop);
    request.resume();
  };
}

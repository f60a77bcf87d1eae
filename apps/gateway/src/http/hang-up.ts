/** How work learns that nobody waits for it any more. */
import type { Socket } from 'node:net';
import type { Response } from 'express';

const connections = new WeakMap<Socket, AbortSignal>();

/** Aborted when the caller's connection closes: one for all requests that come over it, so whoever listens stops listening when done. */
export function connectionSignal(socket: Socket): AbortSignal {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const hangUp = new AbortController();
  if (socket.destroyed) hangUp.abort();
  else socket.once('close', () => hangUp.abort());
  connections.set(socket, hangUp.signal);
  return hangUp.signal;
}

/** Aborted when the response is over, whole or not: what was opened for it is let go. */
export function responseSignal(response: Response): AbortSignal {
  const over = new AbortController();
  response.once('close', () => over.abort());
  return over.signal;
}

/** Streams that are read again, from where their reader stopped. */
import type { Request } from 'express';
import { GatewayError, type DialectName } from '@model-gateway/contracts';
import type { Followed, FollowStream, StreamLogState } from '@model-gateway/core';
import { dialects, withNextNumber } from '@model-gateway/translate';
import type { Handlers } from '../../http/operation.ts';
import { pipeBody, startEventStream } from '../../http/reply.ts';

const NUMBER = /^\d{1,15}$/;

/** Handlers of kept streams. */
export function streamRoutes({ follow }: { readonly follow: FollowStream }): Handlers {
  return {
    async getStream(request, response) {
      const { key, mode, requestId, signal } = response.locals.exchange.caller;
      const id = response.locals.exchange.match.parameters['stream_id'] ?? '';
      const tenant = { ownerId: key.ownerId, mode };
      const followed = await follow({ tenant, id, after: lastEventOf(request), signal });
      response.setHeader('x-gateway-stream-id', id);
      startEventStream(response);
      response.flushHeaders();
      await pipeBody(withEnd(followed, requestId), response);
    },
  };
}

function lastEventOf({ headers }: Request): number {
  const given = headers['last-event-id'];
  if (given === undefined || given === '') return 0;
  if (typeof given === 'string' && NUMBER.test(given)) return Number(given);
  throw new GatewayError(
    'invalid_request',
    'Last-Event-ID must be the number in the `id:` of an event of this stream',
    {
      param: 'Last-Event-ID',
    },
  );
}

/** What the stream cannot give is said in it, in the caller's format. */
async function* withEnd({ format, events }: Followed, requestId: string): AsyncGenerator<Uint8Array | string> {
  let last: Uint8Array = Buffer.alloc(0);
  let state: StreamLogState;
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) {
        state = value;
        break;
      }
      last = value;
      yield value;
    }
  } finally {
    await events.return('open');
  }
  const fault = faultOf(state);
  if (fault === undefined) return;
  const event = dialects[format as DialectName].errorEvent(fault, requestId);
  yield withNextNumber(event, [Buffer.from(last).toString('latin1')]);
}

function faultOf(state: StreamLogState): GatewayError | undefined {
  if (state === 'lost')
    return new GatewayError(
      'unavailable',
      'the process that read this answer has stopped, so the rest of it is lost; you are charged for the part that was received',
    );
  if (state === 'cut')
    return new GatewayError(
      'unavailable',
      'this answer is larger than a stored stream may be; the rest was not stored',
    );
  return undefined;
}

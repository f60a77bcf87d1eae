/** What a caller says of answers that are kept (docs/guides/response-cache.md). */
import type { Request } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import type { CacheWord } from '@model-gateway/core';

const HEADER = 'x-gateway-cache';

/** `no-store`: nothing kept is given, and nothing is kept; `refresh`: a new answer takes the place of what is kept. Throws `invalid_request` for another word. */
export function cacheWordOf({ headers }: Pick<Request, 'headers'>): CacheWord | undefined {
  const word = headers[HEADER];
  if (word === undefined || word === 'no-store' || word === 'refresh') return word;
  throw new GatewayError(
    'invalid_request',
    `${HEADER} is '${String(word).slice(0, 40)}'; it must be no-store or refresh`,
    { param: HEADER },
  );
}

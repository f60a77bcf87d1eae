import type { Request, RequestHandler, Response } from 'express';
import { isReadable, type ContentKeeper, type KeyRecord } from '@model-gateway/core';
import type { Json } from '@model-gateway/contracts';

/** Bytes of one answer that are listened to: media are among them, which are left out later. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Bytes of all answers that are listened to at once. */
const MOST_LISTENED = 128 * 1024 * 1024;
const SHORTEST_SECRET = 8;

/** The step that begins to listen where the key wants it, once it is known whose the request is. */
export type Listen = RequestHandler;

/** Makes what listens for a keeper. */
export function createListen(keeper: Pick<ContentKeeper, 'add'>): Listen {
  let listened = 0;

  const listenTo = (request: Request, response: Response, key: KeyRecord): void => {
    const chunks: Buffer[] = [];
    let size = 0;
    let kept = 0;
    let isFull = false;
    let contentType: string | undefined;
    const hear = (chunk: unknown, encoding: unknown): void => {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
      contentType ??= String(response.getHeader('content-type') ?? '');
      const form = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
      const length = typeof chunk === 'string' ? Buffer.byteLength(chunk, form) : chunk.length;
      size += length;
      isFull ||= !isReadable(contentType) || kept + length > LARGEST_ANSWER || listened + length > MOST_LISTENED;
      if (isFull) return;
      kept += length;
      listened += length;
      // A copy: who wrote it may use its bytes again.
      chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, form) : Buffer.from(chunk));
    };
    const say = { write: response.write.bind(response), end: response.end.bind(response) };
    response.write = ((...given: Parameters<typeof response.write>): boolean => {
      if (!response.destroyed) hear(given[0], given[1]);
      return say.write(...given);
    }) as typeof response.write;
    response.end = ((...given: Parameters<typeof response.end>): Response => {
      if (!response.destroyed) hear(given[0], given[1]);
      say.end(...given);
      return response;
    }) as typeof response.end;
    response.once('close', () => {
      listened -= kept;
      const { requestId, startedAt, match, knownModel: model, rawBody, secretAnswer } = response.locals.exchange;
      if (secretAnswer) return;
      keeper.add({
        id: requestId,
        at: startedAt,
        ownerId: key.ownerId,
        mode: key.mode,
        dialect: match.operation?.dialect,
        model,
        asked: rawBody === undefined ? undefined : (request.body as Json | undefined),
        askedBytes: rawBody?.length ?? 0,
        contentType: contentType ?? '',
        answer: chunks,
        answerBytes: size,
        secrets: secretsOf(request),
      });
    });
  };

  return (request, response, next) => {
    const { key, match } = response.locals.exchange;
    if (key?.keepBodies === true && match.operation?.limited === true && request.method === 'POST')
      listenTo(request, response, key);
    next();
  };
}

/** What the caller showed that it is: it may have said it in the body, too. */
function secretsOf({ headers, query }: Request): readonly string[] {
  const given = [
    headers['authorization'],
    headers['x-api-key'],
    headers['x-goog-api-key'],
    headers['api-key'],
    query['key'],
  ];
  return given.flatMap((value) => {
    const secret = typeof value === 'string' ? (value.trim().split(/\s+/).at(-1) ?? '') : '';
    return secret.length < SHORTEST_SECRET ? [] : [secret];
  });
}

/** Idempotency-Key for any handler: what it sends is recorded while it is sent, and given again byte for byte. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import type { IdempotencyService, StoredAnswer, AnswerClaim, KeyRecord } from '@model-gateway/core';
import { responseSignal } from '../exchange.ts';
import { errorBody, errorHeaders } from './print-error.ts';
import { isForm, type Form, readForm } from '../form.ts';
import { identify } from '../request-identity.ts';
import type { Handler } from '../operation.ts';
import type { Operation } from '../route-table.ts';

const LONGEST_KEY = 255;
/** Answers larger than this are paid and sent, but not kept. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
const KEPT_HEADERS = /^(content-type|content-disposition|retry-after|x-should-retry|x-gateway-[a-z-]+)$/;
const ADMIN = 0;

/** Does the work of a request once per Idempotency-Key; without one it just does it. `content` is what the body says: read only for a key. */
export type RunIdempotently = (
  request: Request,
  response: Response,
  content: () => Uint8Array | string | Promise<string>,
  work: () => unknown,
  /** Counts a repetition against the limits of its key, or throws; what is done within its handler is counted there. */
  countReplay?: () => void | Promise<void>,
) => Promise<void>;

/** Makes the runner over an idempotency service. */
export function idempotentRunner(idempotency: IdempotencyService, keptAnswers: KeptAnswers): RunIdempotently {
  return async (request, response, content, work, countReplay) => {
    const idempotencyKey = keyOf(request);
    if (idempotencyKey === undefined) {
      await work();
      return;
    }
    const exchange = response.locals.exchange;
    const { knownCaller: caller } = exchange;
    const gone = caller?.signal ?? responseSignal(response);
    const question = {
      keyId: caller?.key.id ?? ADMIN,
      idempotencyKey,
      fingerprint: createHash('sha256')
        .update(`${request.method} ${request.url}\n`)
        .update(await content())
        .digest('hex'),
    };
    const { claim, answer } = await idempotency.begin(question, gone).then(
      (begun) =>
        begun.claim === undefined ? { claim: undefined, answer: begun.answer } : { ...begun, answer: undefined },
      (error: unknown) => {
        if (!gone.aborted) throw error;
        response.destroy();
        return { claim: undefined, answer: undefined };
      },
    );
    if (answer !== undefined) {
      await countReplay?.();
      send(response, answer);
    }
    if (claim === undefined) return;
    // A repetition will ask for the whole answer: who hangs up now does not cut it.
    if (caller !== undefined) exchange.knownCaller = { ...caller, signal: claim.signal };
    const recording = record(response, claim, (bytes) => keptAnswers.take(caller?.key, bytes));
    let failed = true;
    try {
      await work();
      failed = false;
    } finally {
      // An error that can still be printed comes through `end` like any other answer.
      if (!failed || response.headersSent) await recording.cut();
    }
  };
}

/**
 * Wraps the handler of an operation whose answers are kept here. Forms are read by their own handlers, which call `RunIdempotently`
 * themselves; a task's key is bound to its row, a top-up's to its entry.
 */
export function idempotently(
  { idempotent }: Operation,
  runIdempotently: RunIdempotently,
  handler: Handler,
  countReplay: (response: Response) => void | Promise<void>,
): Handler {
  if (idempotent !== 'stored-answer' && idempotent !== 'secret') return handler;
  return (request, response) => {
    if (request.headers['idempotency-key'] === undefined || isForm(request)) return handler(request, response);
    const exchange = response.locals.exchange;
    // A repetition is told that it was done, and that the secret was shown once.
    if (idempotent === 'secret') exchange.secretAnswer = true;
    return runIdempotently(
      request,
      response,
      () => exchange.rawBody ?? '',
      () => handler(request, response),
      () => countReplay(response),
    );
  };
}

/** What a form says, whatever its boundary is: SDKs draw a new one for every try. */
export async function contentOfForm(form: Form): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, values] of [...form.values].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([name, ...values]));
  for (const file of form.files) {
    hash.update(JSON.stringify([file.name, file.filename, file.size]));
    for await (const chunk of file.open()) hash.update(chunk);
  }
  return hash.digest('hex');
}

function keyOf(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return undefined;
  if (Array.isArray(key) || key.length > LONGEST_KEY) {
    throw new GatewayError(
      'invalid_request',
      `the Idempotency-Key must be a single value of at most ${LONGEST_KEY} characters`,
      {
        param: 'Idempotency-Key',
      },
    );
  }
  return key;
}

function send(response: Response, { status, headers, body }: StoredAnswer): void {
  response.setHeader('idempotent-replayed', 'true');
  response.writeHead(status, { ...headers, 'content-length': body.byteLength });
  response.end(body);
}

interface Recording {
  /** Ends it where it is, unless it has ended: the handler has nothing more to say. */
  cut(): Promise<void>;
}

/**
 * Listens to what is said to the caller, who may hang up meanwhile. The last byte goes out when the answer is stored, so that a caller
 * who has the whole answer can always have it again.
 */
function record(response: Response, claim: AnswerClaim, hasRoom: (bytes: number) => boolean): Recording {
  const chunks: Buffer[] = [];
  let size = 0;
  let gone = false;
  let settled: Promise<void> | undefined;
  const say = { write: response.write.bind(response), end: response.end.bind(response) };

  const keep = (given: readonly unknown[]): void => {
    const [chunk, encoding] = given;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk);
    size += bytes.length;
    if (size <= LARGEST_ANSWER) chunks.push(bytes);
    else chunks.length = 0;
  };
  const settle = (): Promise<void> =>
    (settled ??= isDone(response)
      ? claim.keep(refusalToKeep(response, size, hasRoom) ?? answerOf(response, chunks))
      : claim.forget(response.headersSent ? answerOf(response, chunks) : undefined));

  response.once('close', () => {
    gone = true;
  });
  // Handlers stop when nobody listens; here somebody does.
  let destroyed = false;
  Object.defineProperty(response, 'destroyed', {
    configurable: true,
    get: () => settled !== undefined && destroyed,
    set: (value: boolean) => {
      destroyed = value;
    },
  });
  response.write = ((...given: Parameters<typeof response.write>): boolean => {
    keep(given);
    return gone || say.write(...given);
  }) as typeof response.write;
  response.end = ((...given: Parameters<typeof response.end>): Response => {
    keep(given);
    void settle().then(() => {
      if (!gone) say.end(...given);
    });
    return response;
  }) as typeof response.end;
  return { cut: settle };
}

/**
 * Whether the work was done: what was charged, or will be where it is made in the background, is done once; what cost nothing may be
 * asked again. Only chat and media have a trace.
 */
function isDone(response: Response): boolean {
  const { trace } = response.locals.exchange;
  return trace === undefined ? response.statusCode < 400 : trace.usage !== undefined || trace.isQueued;
}

function answerOf(response: Response, chunks: readonly Buffer[]): StoredAnswer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined && KEPT_HEADERS.test(name)) headers[name] = String(value);
  }
  return { status: response.statusCode, headers, body: Buffer.concat(chunks) };
}

/** What a repetition is told instead of an answer that cannot be kept. */
function refusalToKeep(
  response: Response,
  size: number,
  hasRoom: (bytes: number) => boolean,
): StoredAnswer | undefined {
  const exchange = response.locals.exchange;
  const reason = exchange.secretAnswer
    ? 'was made by an earlier request, and its secret is shown once'
    : size > LARGEST_ANSWER
      ? `gave an answer larger than ${LARGEST_ANSWER / 1024 / 1024} MB, which was not kept; it was given once and charged once`
      : hasRoom(size)
        ? undefined
        : 'gave an answer that was not kept, because those of your account fill what there is for a day; it was given once and charged once';
  if (reason === undefined) return undefined;
  const error = new GatewayError('conflict', `what this Idempotency-Key asks for ${reason}`, {
    param: 'Idempotency-Key',
  });
  return {
    status: error.status(exchange.openAiStatuses),
    headers: { 'content-type': 'application/json; charset=utf-8', ...errorHeaders(error) },
    body: Buffer.from(JSON.stringify(errorBody(error, exchange))),
  };
}

const HOUR_MS = 3_600_000;
/** As long as an answer is kept, and the hour that has begun. */
const HOURS = 25;

export interface KeptAnswers {
  /** Counts an answer of so many bytes that is to be kept; false when those of the last day leave no room for it. The admin API has no bound. */
  take(key: Pick<KeyRecord, 'ownerId' | 'mode'> | undefined, bytes: number): boolean;
}

export interface KeptAnswersOptions {
  /** Bytes of one owner and mode, in this process. */
  readonly most: number;
  readonly now: () => number;
}

/** Makes the count of one process. It begins at nothing with each start. */
export function createKeptAnswers({ most, now }: KeptAnswersOptions): KeptAnswers {
  /** By owner and mode: bytes by hour. Those of whom nothing is kept any more go. */
  const tenants = new Map<string, Map<number, number>>();
  let swept = 0;

  const sweep = (hour: number): void => {
    swept = hour;
    for (const [tenant, hours] of tenants) {
      for (const each of hours.keys()) if (each <= hour - HOURS) hours.delete(each);
      if (hours.size === 0) tenants.delete(tenant);
    }
  };

  return {
    take(key, bytes) {
      if (key === undefined) return true;
      const hour = Math.floor(now() / HOUR_MS);
      if (hour !== swept) sweep(hour);
      const name = `${key.ownerId} ${key.mode}`;
      const hours = tenants.get(name) ?? new Map<number, number>();
      let kept = 0;
      for (const each of hours.values()) kept += each;
      if (kept + bytes > most) return false;
      hours.set(hour, (hours.get(hour) ?? 0) + bytes);
      tenants.set(name, hours);
      return true;
    },
  };
}

export interface PaidFormParts {
  readonly runIdempotently: RunIdempotently;
  /** Bytes of a whole form. */
  readonly formLimit: number;
}

/** `mostFiles` of `largestFile` bytes each. Throws what reading and `answer` throw. */
export async function answerForm(
  { runIdempotently, formLimit }: PaidFormParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  { mostFiles, largestFile }: { readonly mostFiles: number; readonly largestFile: number },
  answer: (form: Form) => Promise<void>,
): Promise<void> {
  const form = await readForm(request, {
    mostFiles,
    largestFile,
    largestBody: formLimit,
    hold: response.locals.exchange.bodyHold,
  });
  identify(request, response.locals.exchange, Object.fromEntries(form.fields));
  try {
    await runIdempotently(
      request,
      response,
      () => contentOfForm(form),
      () => answer(form),
    );
  } finally {
    await form.dispose();
  }
}

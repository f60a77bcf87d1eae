/** Compares what a gateway of this process sends with the document: the very bytes, after everything that makes them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { matchOperation, openApiDocument } from '@model-gateway/gateway';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const STARTED = 'http.server.request.start';
const JSON_TYPE = /^application\/json\b/;

export interface ReplyCheck {
  /** What was sent and is not in the document, one sentence each. */
  readonly violations: readonly string[];
  /** Stops listening. */
  stop(): void;
}

/** Listens to the servers of this process that `isOurs` knows by their port. Streams of events have tests of their own. */
export function startReplyCheck(isOurs: (port: number) => boolean): ReplyCheck {
  const violations: string[] = [];
  const listen = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!isOurs(request.socket.localPort ?? 0)) return;
    const { method = 'GET', url = '/' } = request;
    const [path = ''] = url.split('?');
    const { operation } = matchOperation(method, path);
    if (operation === undefined) return;
    const bytes = copyOf(response);
    response.once('finish', () => {
      const type = String(response.getHeader('content-type') ?? '');
      const fault = faultOf({ ...operation, status: response.statusCode, type, bytes: bytes() });
      if (fault !== undefined) violations.push(`${operation.id} (${method} ${path}) answered ${fault}`);
    });
  };
  subscribe(STARTED, listen);
  return {
    violations,
    stop() {
      unsubscribe(STARTED, listen);
    },
  };
}

/** Keeps what is written beside writing it. */
function copyOf(response: ServerResponse): () => Buffer {
  const chunks: Buffer[] = [];
  const keep = ([chunk, encoding]: readonly unknown[]): void => {
    if (typeof chunk === 'string')
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (...given: unknown[]) => boolean;
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.write = ((...given: unknown[]) => {
    keep(given);
    return write(...given);
  }) as typeof response.write;
  response.end = ((...given: unknown[]) => {
    keep(given);
    return end(...given);
  }) as typeof response.end;
  return () => Buffer.concat(chunks);
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

function faultOf({ method, path, status, type, bytes }: Sent): string | undefined {
  const responses = ['paths', path, method.toLowerCase(), 'responses'];
  const way = resolved([...responses, String(status)]) ?? resolved([...responses, 'default']);
  if (way === undefined) return `${status}, which the document does not have: ${bytes.toString('utf8').slice(0, 200)}`;
  if (!JSON_TYPE.test(type)) return undefined;
  const check = checkOf([...way, 'content', 'application/json', 'schema']);
  if (check === undefined) return `${status} with JSON, which the document does not have there`;
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return `${status} with broken JSON: ${bytes.toString('utf8').slice(0, 200)}`;
  }
  if (check(body)) return undefined;
  const [first] = check.errors ?? [];
  return `${status} with a body the document does not have: ${first?.instancePath ?? ''} ${first?.message ?? ''}: ${JSON.stringify(body).slice(0, 400)}`;
}

/** Where a part of the document is, behind its reference. */
function resolved(way: readonly string[]): readonly string[] | undefined {
  const found = partAt(way);
  if (found === undefined) return undefined;
  const { $ref } = found;
  return typeof $ref === 'string' ? $ref.split('/').slice(1) : way;
}

function partAt(way: readonly string[]): JsonObject | undefined {
  return way.reduce<JsonObject | undefined>((from, name) => {
    const next = from?.[name];
    return isJsonObject(next) ? next : undefined;
  }, openApiDocument());
}

const checks = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function checkOf(way: readonly string[]): ValidateFunction | undefined {
  if (partAt(way) === undefined) return undefined;
  const pointer = way.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const known = checks.get(pointer);
  if (known !== undefined) return known;
  const check = compiler().compile({ $ref: `document#${encodeURI(pointer)}` });
  checks.set(pointer, check);
  return check;
}

function compiler(): Ajv2020 {
  if (ajv === undefined) {
    // Whether the document itself is sound is checked where it is written.
    ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
    ajv.addSchema(openApiDocument(), 'document');
  }
  return ajv;
}

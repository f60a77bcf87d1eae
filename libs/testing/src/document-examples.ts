/** The examples of the document as requests of paid operations, in every way that these can be asked. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OPERATIONS, type JsonObject, type OperationFacts } from '@model-gateway/contracts';

export const EXAMPLES_FOLDER = fileURLToPath(new URL('../../../spec/examples/', import.meta.url));
/** Members whose texts are words of a list. */
const WORDS = new Set(['type', 'role', 'model', 'voice', 'format', 'response_format', 'size', 'language', 'name']);

export interface PaidRequest {
  readonly operationId: string;
  /** `createChatCompletion.text, streamed` */
  readonly name: string;
  readonly path: string;
  readonly body: JsonObject;
  /** The body goes out as a form. */
  readonly form: boolean;
}

export interface PaidAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly replayed: boolean;
  readonly text: string;
  /** SHA-256 of the body's bytes. */
  readonly bytes: string;
}

/** Operations that cost money or make a task. */
export function paidOperations(): string[] {
  return Object.entries<OperationFacts>(OPERATIONS).flatMap(([id, { paid, idempotent, forwards }]) =>
    !OF_EARLIER_ONES.has(id) && ((paid && forwards !== true) || idempotent === 'task') ? [id] : [],
  );
}

/** What is asked of a finished video or of a kept content names it, and has no request that stands by itself. */
export const OF_EARLIER_ONES: ReadonlySet<string> = new Set([
  ...['remixVideo', 'editVideo', 'extendVideo'],
  ...['updateCachedContent', 'updateCachedContentV1'],
]);

/** Every example of a paid operation, and where it streams or works in the background, the first of them so. */
export function paidRequestsOf(operationId: string): PaidRequest[] {
  const facts: OperationFacts | undefined = new Map(Object.entries<OperationFacts>(OPERATIONS)).get(operationId);
  if (facts === undefined) throw new Error(`the document has no operation ${operationId}`);
  const examples = independentExamples(operationId, facts);
  const [first] = examples;
  if (first === undefined) return [];
  const how = (words: string, members: JsonObject): PaidRequest => ({
    ...first,
    name: `${first.name}, ${words}`,
    body: { ...first.body, ...members },
  });
  const streams = facts.streams && facts.model === 'body' && !first.form;
  return [
    ...examples,
    ...(streams ? [how('streamed', { stream: true })] : []),
    ...(facts.dialect === 'openai-responses'
      ? [
          how('in the background', { background: true }),
          how('in the background, streamed', { background: true, stream: true }),
        ]
      : []),
  ];
}

/** Sends one, under an Idempotency-Key where one is given. */
export async function sendPaid(
  { url, key, signal }: { readonly url: string; readonly key: string; readonly signal?: AbortSignal },
  { path, body, form }: PaidRequest,
  idempotencyKey?: string,
): Promise<PaidAnswer> {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(!form && { 'content-type': 'application/json' }),
    },
    body: form ? formOf(body) : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return {
    status: reply.status,
    headers: reply.headers,
    replayed: reply.headers.get('idempotent-replayed') === 'true',
    text: bytes.toString(),
    bytes: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** The same request with another question: its longest text that is no file, address, JSON or word of a list is longer; a recording gets a prompt. */
export function withOtherText(request: PaidRequest): PaidRequest {
  const texts: string[] = [];
  JSON.stringify(request.body, (name, value: unknown) => {
    if (typeof value === 'string' && /^(?!data:|https?:|[[{])/.test(value) && !WORDS.has(name)) texts.push(value);
    return value;
  });
  const [longest] = texts.sort((a, b) => b.length - a.length);
  if (longest === undefined) return { ...request, body: { ...request.body, prompt: 'Else.' } };
  const text = JSON.stringify(request.body).replace(JSON.stringify(longest), JSON.stringify(`${longest} Else.`));
  return { ...request, body: JSON.parse(text) as JsonObject };
}

/** A `data:` URL in a form stands for the file. */
export function formOf(value: JsonObject): FormData {
  const form = new FormData();
  for (const [name, entry] of Object.entries(value)) {
    for (const each of Array.isArray(entry) ? entry : [entry]) {
      const data = /^data:([^;]+);base64,(.*)$/s.exec(String(each));
      if (data === null) form.append(name, String(each));
      else form.append(name, new Blob([Buffer.from(data[2] ?? '', 'base64')], { type: data[1] ?? '' }), `${name}.png`);
    }
  }
  return form;
}

/** Those that ask for nothing that another example has made. */
function independentExamples(operationId: string, facts: OperationFacts): PaidRequest[] {
  const files = readdirSync(EXAMPLES_FOLDER).filter((file) => file.startsWith(`${operationId}.`));
  return files.sort().flatMap((file) => {
    const text = readFileSync(`${EXAMPLES_FOLDER}${file}`, 'utf8');
    if (/"\$\w+\.\w+[#@]/.test(text)) return [];
    const { value: body, 'x-request': given = {} } = JSON.parse(text) as {
      readonly value: JsonObject;
      readonly 'x-request'?: Partial<Record<'path' | 'query', Readonly<Record<string, string>>>>;
    };
    let { path } = facts;
    for (const [name, value] of Object.entries(given.path ?? {}))
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    const query = new URLSearchParams(given.query).toString();
    const form = facts.form === true && Object.values(body).some((value) => String(value).startsWith('data:'));
    return [
      {
        operationId,
        name: file.slice(0, -'.json'.length),
        path: query === '' ? path : `${path}?${query}`,
        body,
        form,
      },
    ];
  });
}

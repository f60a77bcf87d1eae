/** Every example of the document is sent to the running gateway; replies are held against the document, events of streams too. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  EXAMPLES_FOLDER as FOLDER,
  formOf,
  openTestGateway,
  startModernMcpServer,
  type TestGateway,
  type TestMcpServer,
} from '@model-gateway/testing';
import { createSseParser } from '@model-gateway/translate';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../src/http/document.ts';

const MOST_TRIES = 600;

interface Example {
  readonly summary: string;
  readonly value?: Json;
  readonly 'x-request'?: {
    readonly path?: Record<string, Json>;
    readonly query?: Record<string, Json>;
    readonly headers?: Record<string, Json>;
    readonly body?: Record<string, Json>;
    readonly url?: string;
    readonly until?: Record<string, Json[]>;
    readonly expect?: number[];
  };
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly multipart: ReadonlySet<string>;
  readonly eventSchema: Json | undefined;
}
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

const document = openApiDocument();
const operations = readOperations();
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))
  .sort();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', ...document });

let gateway: TestGateway;
let docs: TestMcpServer;
const answers = new Map<string, Promise<Answer>>();

beforeAll(async () => {
  docs = await startModernMcpServer();
  gateway = await openTestGateway({
    yaml: `config: { source: database }
security: { encryption_key: '${Buffer.alloc(32, 1).toString('base64')}', allow_private: ['${new URL(docs.url).host}'] }
mcp: { servers: [{ name: docs, url: '${docs.url}', test_keys: true }] }`,
    twinOptions: { media: 'tiny', seconds: { video: 0.5, subject: 0.3, image: 0.2 } },
  });
});
afterAll(async () => {
  await gateway.close();
  await docs.close();
});

describe.each([...operations.keys()])('%s', (id) => {
  const own = names.filter((name) => name.startsWith(`${id}.`));
  if (own.length === 0) return;
  it.each(own)('%s', async (name) => {
    const answer = await answerOf(name);
    const right = exampleOf(name)['x-request']?.expect ?? [200];
    expect({ status: answer.status, says: right.includes(answer.status) ? '' : answer.text.slice(0, 600) }).toEqual({
      status: right.length === 1 ? right[0] : expect.any(Number),
      says: '',
    });
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) expectEvents(id, answer.text);
  });
});

function exampleOf(name: string): Example {
  return JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')) as Example;
}

function answerOf(name: string): Promise<Answer> {
  let answer = answers.get(name);
  if (answer === undefined) {
    answer = sendUntil(name);
    answers.set(name, answer);
  }
  return answer;
}

async function sendUntil(name: string): Promise<Answer> {
  const until = exampleOf(name)['x-request']?.until;
  for (let tries = 0; ; tries++) {
    const answer = await send(name);
    const done =
      until === undefined || Object.entries(until).every(([place, values]) => values.includes(at(answer.json, place)));
    if (done || tries === MOST_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function send(name: string): Promise<Answer> {
  const example = exampleOf(name);
  const { path = {}, query = {}, headers = {}, body = {}, url } = example['x-request'] ?? {};
  const operation = operations.get(name.slice(0, name.indexOf('.')));
  if (operation === undefined) throw new Error(`${name} belongs to no operation`);
  const value = (await filled(example.value ?? null)) as JsonObject | null;
  for (const [place, what] of Object.entries(body)) put(value, place, await filled(what));
  let address = url === undefined ? `${gateway.url}${operation.path}` : String(await filled(url));
  for (const [key, what] of Object.entries(path))
    address = address.replace(`{${key}}`, encodeURIComponent(String(await filled(what))));
  const search = new URLSearchParams();
  for (const [key, what] of Object.entries(query)) search.set(key, String(await filled(what)));
  if (search.size > 0) address += `?${search.toString()}`;
  const sent = new Headers();
  for (const [key, what] of Object.entries(headers)) sent.set(key, String(await filled(what)));
  const key = operation.tags.includes('admin')
    ? gateway.adminKey
    : operation.tags.includes('operations') || url !== undefined
      ? undefined
      : gateway.testKey;
  if (key !== undefined && !sent.has('authorization')) sent.set('authorization', `Bearer ${key}`);
  const form = operation.multipart.has(name.slice(name.indexOf('.') + 1));
  if (value !== null && !form) sent.set('content-type', 'application/json');
  const reply = await fetch(address, {
    method: operation.method.toUpperCase(),
    headers: sent,
    redirect: 'manual',
    ...(value !== null && { body: form ? formOf(value) : JSON.stringify(value) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: parse(text) };
}

/** Replaces `$example#/pointer` and `$example@header` by what that example's answer says. */
async function filled(value: Json): Promise<Json> {
  if (Array.isArray(value)) return Promise.all(value.map(filled));
  if (isJsonObject(value)) {
    const entries = await Promise.all(
      Object.entries(value).map(async ([key, entry]) => [key, await filled(entry)] as const),
    );
    return Object.fromEntries(entries);
  }
  const link = typeof value === 'string' ? /^\$([A-Za-z0-9]+\.[A-Za-z0-9]+)(?:#(.*)|@(.*))$/.exec(value) : null;
  if (link === null) return value;
  const answer = await answerOf(link[1] ?? '');
  return link[3] === undefined ? at(answer.json, link[2] ?? '') : (answer.headers.get(link[3]) ?? null);
}

function at(json: Json, pointer: string): Json {
  let place = json;
  for (const part of pointer.split('/').slice(1)) {
    const next: Json | undefined = Array.isArray(place)
      ? place[Number(part)]
      : isJsonObject(place)
        ? place[part]
        : undefined;
    place = next ?? null;
  }
  return place;
}

function put(json: Json, pointer: string, value: Json): void {
  const parts = pointer.split('/').slice(1);
  const last = parts.pop() ?? '';
  const parent = at(json, ['', ...parts].join('/'));
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (isJsonObject(parent)) parent[last] = value;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function expectEvents(id: string, text: string): void {
  const schema = operations.get(id)?.eventSchema;
  if (schema === undefined) return;
  const validate = compiled(id, schema);
  const parser = createSseParser();
  const events = [...parser.push(Buffer.from(text)), ...parser.end()].filter(({ data }) => data !== '[DONE]');
  expect(events.length).toBeGreaterThan(0);
  for (const { data } of events) {
    const valid = validate(JSON.parse(data));
    expect({ data: valid ? '' : data, errors: validate.errors ?? [] }).toEqual({ data: '', errors: [] });
  }
}

const validators = new Map<string, ValidateFunction>();
function compiled(id: string, schema: Json): ValidateFunction {
  let validate = validators.get(id);
  if (validate === undefined) {
    validate = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as JsonObject,
    );
    validators.set(id, validate);
  }
  return validate;
}

function readOperations(): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document['paths'] as Record<string, Record<string, JsonObject>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (typeof operation['operationId'] !== 'string') continue;
      const body = at(operation, '/requestBody/content');
      const form = isJsonObject(body) ? at(body['multipart/form-data'] ?? null, '/examples') : null;
      const events = at(operation, '/responses/200/content');
      found.set(operation['operationId'], {
        method,
        path,
        tags: operation['tags'] as string[],
        multipart: new Set(isJsonObject(form) ? Object.keys(form) : []),
        eventSchema:
          isJsonObject(events) && isJsonObject(events['text/event-stream'])
            ? events['text/event-stream']['schema']
            : undefined,
      });
    }
  }
  return found;
}

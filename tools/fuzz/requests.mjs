/** Requests to throw at a gateway, from its document: each is decided by the random numbers it is given. */
import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../libs/contracts/src/generated/openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'trace'];

/** Values that programs trip over. */
const HOSTILE = [
  null,
  true,
  0,
  -0,
  -1,
  1e308,
  -1e308,
  0.1,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '😀',
  'null',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'data:image/png;base64,',
  'data:;base64,AAAA',
  'http://127.0.0.1:1/',
  'http://[::7f00:1]/',
  'file:///etc/passwd',
  'a'.repeat(5_000),
  '='.repeat(3_000),
  ' '.repeat(3_000) + 'x',
  '{"a":'.repeat(500),
  [],
  {},
  [[]],
  [null],
  { __proto__x: {} },
];
const SEGMENTS = [
  '%',
  '%ff',
  '%00',
  '..',
  '%2e%2e',
  '\\',
  'a'.repeat(3_000),
  '%F0%9F%98%80',
  ':',
  'a:b:c',
  '{id}',
  ';',
  '%2F',
];
const HEADERS = [
  [
    'content-type',
    [
      'text/plain',
      'application/json; charset=utf-16',
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      '',
      'application/json'.repeat(200),
    ],
  ],
  ['idempotency-key', ['', 'x', 'a'.repeat(300), '\u00ff']],
  ['x-forwarded-for', ['1.2.3.4', ', ,', 'a'.repeat(2_000), '::ffff:127.0.0.1']],
  ['accept', ['', 'text/event-stream', '*/*;q=nope']],
  ['range', ['bytes=0-', 'bytes=-1', 'bytes=9-1', `bytes=${'0-1,'.repeat(300)}0-1`, 'lines=1']],
  ['anthropic-beta', ['x', 'a'.repeat(3_000)]],
  ['anthropic-version', ['', 'nope']],
  ['x-request-id', ['a b', 'a'.repeat(500)]],
  ['authorization', ['Bearer', 'Basic eDp5', 'Bearer  x y', `Bearer ${'k'.repeat(2_000)}`]],
  ['x-api-key', ['', 'x']],
  ['content-encoding', ['gzip', 'identity']],
];

/** Every operation of the document: method, path, what its bodies look like, whether an admin calls it. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, operation]) => {
      const json = operation.requestBody?.content?.['application/json'];
      const examples = [json?.example, ...Object.values(json?.examples ?? {}).map(({ value }) => value)];
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isAdmin: path.startsWith('/admin'),
        examples: examples.filter((example) => example !== undefined),
        schema: json?.schema,
      };
    }),
);

/** One request. `random` gives 0 ≤ x < 1. */
export function requestOf(random, { key, adminKey, models }) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const chance = (part) => random() < part;
  const operation = pick(operations);
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name) =>
    chance(0.3)
      ? pick(SEGMENTS)
      : name === 'model'
        ? encodeURIComponent(pick(models))
        : pick(['1', 'task_1', 'video_1', 'x']),
  );
  const query = chance(0.2)
    ? `?${pick(['limit', 'after', 'key', 'wait', 'signature', 'alt', 'x'])}=${encodeURIComponent(String(pick(HOSTILE)).toWellFormed())}`
    : '';
  const method = chance(0.05) ? pick(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']) : operation.method;
  const headers = { authorization: `Bearer ${operation.isAdmin ? adminKey : key}`, 'content-type': 'application/json' };
  while (chance(0.2)) {
    const [name, values] = pick(HEADERS);
    headers[name] = pick(values);
  }
  if (chance(0.03)) delete headers.authorization;
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf({ random, pick, chance, models, operation });
  return { id: operation.id, method, path: `${path}${query}`, headers, body };
}

function bodyOf(how) {
  const { pick, chance, operation, models, random } = how;
  if (chance(0.03)) return pick(['', '{', '[]', 'null', '"x"', '1', '\u0000', '{"a":1}{', '['.repeat(400), '\ufeff{}']);
  let value =
    operation.examples.length > 0 && chance(0.6)
      ? structuredClone(pick(operation.examples))
      : valueOf(operation.schema ?? {}, how, 0);
  if (typeof value === 'object' && value !== null && chance(0.3)) value.model = pick(models);
  for (let change = 0; chance(0.7) && change < 6; change++) value = mutated(value, how);
  const text = JSON.stringify(value) ?? 'null';
  if (!chance(0.03)) return text;
  // One character more, less or other.
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + pick(['', '"', ',', '\\', '\u0001']) + text.slice(at + 1);
}

/** A value that a schema might let through. */
function valueOf(schema, how, depth) {
  const { pick, chance, random } = how;
  if (depth > 6) return null;
  if (schema.$ref !== undefined) {
    const found = schema.$ref
      .split('/')
      .slice(1)
      .reduce((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    return valueOf(found ?? {}, how, depth + 1);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(schema.enum);
  if (schema.examples !== undefined && chance(0.5)) return structuredClone(pick(schema.examples));
  if (schema.example !== undefined && chance(0.5)) return structuredClone(schema.example);
  const among = schema.oneOf ?? schema.anyOf;
  if (among !== undefined) return valueOf(pick(among), how, depth + 1);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((each) => valueOf(each, how, depth + 1)));
  const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
  if (type === 'object' || schema.properties !== undefined) {
    const members = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) || chance(0.3),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, valueOf(member, how, depth + 1)]));
  }
  if (type === 'array')
    return Array.from({ length: Math.floor(random() * 3) + 1 }, () => valueOf(schema.items ?? {}, how, depth + 1));
  if (type === 'integer' || type === 'number') return pick([1, 0, schema.minimum ?? 2, schema.maximum ?? 7, 1.5]);
  if (type === 'boolean') return chance(0.5);
  if (type === 'string') return pick(['hello', 'm', 'https://example.com/a.png', '10s', 'auto']);
  return pick(HOSTILE);
}

/** The value with one of its parts another. */
function mutated(value, how) {
  const { pick, chance, random } = how;
  if (typeof value !== 'object' || value === null || chance(0.1)) return structuredClone(pick(HOSTILE));
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const names = Object.keys(copy);
  if (names.length === 0 || chance(0.1)) {
    if (Array.isArray(copy)) copy.push(pick(HOSTILE));
    else copy[pick(['model', 'stream', 'n', 'tools', 'messages', 'x', '__proto__', 'toString'])] = pick(HOSTILE);
    return copy;
  }
  const name = pick(names);
  if (chance(0.1)) delete copy[name];
  else if (Array.isArray(copy) && chance(0.1)) copy.push(...Array(Math.floor(random() * 200)).fill(copy[name]));
  else copy[name] = mutated(copy[name], how);
  return copy;
}

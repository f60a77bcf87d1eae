/** Bodies that are large or dear in one way each. Every shape is a function of the bytes it may have; it returns JSON, or nearly. */
const MB = 1024 * 1024;

const repeated = (text, bytes) => text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))));
const list = (text, bytes) => repeated(`${text},`, bytes - text.length) + text;
const members = (bytes, value = '1') => {
  const parts = [];
  for (let size = 0, at = 0; size < bytes; at++) {
    const part = `"k${at * 7919}":${value}`;
    parts.push(part);
    size += part.length + 1;
  }
  return `{${parts.join(',')}}`;
};

/** What stands in an unknown field of the body. */
export const VALUES = {
  'empty objects': (bytes) => `[${list('{}', bytes)}]`,
  'empty arrays': (bytes) => `[${list('[]', bytes)}]`,
  'small numbers': (bytes) => `[${list('1', bytes)}]`,
  'long numbers': (bytes) => `[${list('1.2345678901234567e-300', bytes)}]`,
  'one long number': (bytes) => repeated('1', bytes),
  'short strings': (bytes) => `[${list('"abcd"', bytes)}]`,
  'different members': (bytes) => members(bytes),
  'the same member': (bytes) => `{${list('"a":1', bytes)}}`,
  'small objects': (bytes) => `[${list('{"a":1,"b":"c"}', bytes)}]`,
  deep: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'one long string': (bytes) => `"${repeated('a', bytes)}"`,
  'long string of two-byte letters': (bytes) => `"${repeated('é', bytes)}"`,
  'long string of escapes': (bytes) => `"${repeated('\\n', bytes)}"`,
  'long string of quotes': (bytes) => `"${repeated('\\"', bytes)}"`,
  'long string of unicode escapes': (bytes) => `"${repeated('\\u0001', bytes)}"`,
  'white space': (bytes) => `${repeated(' ', bytes)}1`,
  'not closed': (bytes) => `"${repeated('a', bytes)}`,
};

const user = (text) => `{"role":"user","content":${text}}`;
const text = (letters) => `"${letters}"`;

/** Whole bodies of chat: [path, body], by what is large in them. */
export const CHATS = {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [
      name,
      (bytes) => ['/v1/chat/completions', `{"model":"m","x":${value(bytes)},"messages":[${user('"hi"')}]}`],
    ]),
  ),
  'a long model name': (bytes) => [
    '/v1/chat/completions',
    `{"model":"${repeated('gpt-', bytes)}","messages":[${user('"hi"')}]}`,
  ],
  'many messages': (bytes) => ['/v1/chat/completions', `{"model":"m","messages":[${list(user('"hi"'), bytes)}]}`],
  'one long text': (bytes) => [
    '/v1/chat/completions',
    `{"model":"m","messages":[${user(text(repeated('word ', bytes)))}]}`,
  ],
  'one long text, translated': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user(text(repeated('word ', bytes)))}]}`,
  ],
  'one long text of escapes, translated': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user(text(repeated('\\n\\"', bytes)))}]}`,
  ],
  'many messages, translated': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${list(user('"hi"'), bytes)}]}`,
  ],
  'many parts, translated': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user(`[${list('{"type":"text","text":"hi"}', bytes)}]`)}]}`,
  ],
  'a picture, translated': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user(`[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${repeated('iVBORw0K', bytes)}"}}]`)}]}`,
  ],
  'responses, translated': (bytes) => ['/v1/responses', `{"model":"m","input":${text(repeated('word ', bytes))}}`],
  'gemini, translated': (bytes) => [
    '/v1beta/models/m:generateContent',
    `{"contents":[{"role":"user","parts":[{"text":${text(repeated('word ', bytes))}}]}]}`,
  ],
  'many tools': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user('"hi"')}],"tools":[${list('{"name":"t","description":"d","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}', bytes)}]}`,
  ],
  'a long tool name': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user('"hi"')}],"tools":[{"name":${text(repeated('t', bytes))},"input_schema":{"type":"object"}}]}`,
  ],
  'a long schema': (bytes) => [
    '/v1/messages',
    `{"model":"m","max_tokens":5,"messages":[${user('"hi"')}],"tools":[{"name":"t","input_schema":{"type":"object","properties":${members(bytes, '{"type":"string"}')}}}]}`,
  ],
  'counting tokens': (bytes) => [
    '/v1/messages/count_tokens',
    `{"model":"m","messages":[${user(text(repeated('word ', bytes)))}]}`,
  ],
  'an estimate': (bytes) => [
    '/v1/estimate',
    `{"endpoint":"/v1/chat/completions","body":{"model":"m","messages":[${user(text(repeated('word ', bytes)))}]}}`,
  ],
};

/** What of each is sent: as large as is taken, and as dear as is let through. */
export const SIZES = { most: 62 * MB, dear: 2.4 * MB };

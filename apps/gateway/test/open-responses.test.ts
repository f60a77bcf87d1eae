/** What the Open Responses specification asks of every answer, over HTTP, as a stream and over a WebSocket, by models of five vendors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { isEnd, openSocket } from './open-socket.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** `gpt-5.2-pro` answers in this dialect itself, the others are translated. */
const MODELS = [
  { model: 'gpt-5.2-pro', sees: true },
  { model: 'gpt-5.2', sees: true },
  { model: 'claude-sonnet-5', sees: true },
  { model: 'gemini-3.1-pro', sees: true },
  { model: 'qwen3-max', sees: false },
  { model: 'deepseek-chat', sees: false },
];

interface Answer {
  readonly response: JsonObject;
  /** None where the answer came whole. */
  readonly events?: readonly JsonObject[];
}
type Ask = (body: JsonObject) => Promise<Answer>;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: `security: { encryption_key: '${KEY}' }` });
});
afterAll(() => gateway.close());

async function post(body: JsonObject): Promise<Response> {
  const reply = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${String(reply.status)} ${await reply.text()}`);
  return reply;
}

const answerOf = (events: readonly JsonObject[]): Answer => ({
  response: events.at(-1)?.['response'] as JsonObject,
  events,
});

const TRANSPORTS: Readonly<Record<string, Ask>> = {
  'HTTP, whole': async (body) => ({ response: (await (await post(body)).json()) as JsonObject }),
  'HTTP, streamed': async (body) => {
    const reply = await post({ ...body, stream: true });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    const blocks = (await reply.text()).split('\n\n').filter((block) => block.includes('data: {'));
    return answerOf(
      blocks.map((block) => {
        const event = JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as JsonObject;
        expect(/^event: (.*)$/m.exec(block)?.[1]).toBe(event['type']);
        return event;
      }),
    );
  },
  WebSocket: async (body) => {
    const socket = await openSocket(gateway.url, { authorization: `Bearer ${gateway.liveKey}` });
    socket.send({ ...body, type: 'response.create' });
    const events = await socket.until(isEnd);
    await socket.close();
    return answerOf(events);
  },
};

type Check = (value: Json | undefined) => boolean;
const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const integer: Check = (value) => Number.isInteger(value);
const bool: Check = (value) => typeof value === 'boolean';
const object: Check = (value) => isJsonObject(value);
const list: Check = Array.isArray;
const oneOf =
  (...words: Json[]): Check =>
  (value) =>
    words.includes(value as Json);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

/** Every member that the specification requires of a response. */
const RESPONSE: Readonly<Record<string, Check>> = {
  id: text,
  object: oneOf('response'),
  created_at: integer,
  completed_at: orNull(integer),
  status: text,
  incomplete_details: orNull(object),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(either(text, list)),
  output: list,
  error: orNull(object),
  tools: list,
  tool_choice: either(text, object),
  truncation: oneOf('auto', 'disabled'),
  parallel_tool_calls: bool,
  text: object,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  temperature: number,
  reasoning: orNull(object),
  user: orNull(text),
  usage: orNull(object),
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  store: bool,
  background: bool,
  service_tier: text,
  metadata: object,
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
};
const STATUS = oneOf('in_progress', 'completed', 'incomplete');
const ITEMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  message: { id: text, status: STATUS, role: oneOf('assistant'), content: list },
  function_call: { id: text, call_id: text, name: text, arguments: text, status: STATUS },
  reasoning: { id: text, summary: list },
};
const FUNCTION = { name: text, description: orNull(text), parameters: orNull(object), strict: orNull(bool) };
const USAGE = {
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  input_tokens_details: object,
  output_tokens_details: object,
};

function faults(value: JsonObject, checks: Readonly<Record<string, Check>>, where: string): string[] {
  return Object.entries(checks).flatMap(([name, check]) =>
    check(value[name]) ? [] : [`${where}.${name}: ${name in value ? JSON.stringify(value[name]) : 'missing'}`],
  );
}

const objectsOf = (value: Json | undefined): JsonObject[] => value as JsonObject[];

function responseFaults(response: JsonObject): string[] {
  const usage = response['usage'];
  return [
    ...faults(response, RESPONSE, 'response'),
    ...objectsOf(response['tools']).flatMap((tool) =>
      tool['type'] === 'function' ? faults(tool, FUNCTION, 'tools') : [],
    ),
    ...objectsOf(response['output']).flatMap((item) => faults(item, ITEMS[String(item['type'])] ?? {}, 'output')),
    ...objectsOf(response['output'])
      .filter(({ type }) => type === 'message')
      .flatMap((item) => objectsOf(item['content']))
      .flatMap((part) =>
        part['type'] === 'output_text'
          ? faults(part, { text, annotations: list, logprobs: list }, 'content')
          : faults(part, { refusal: text }, 'content'),
      ),
    ...(isJsonObject(usage) ? faults(usage, USAGE, 'usage') : []),
    ...(isJsonObject(usage) && isJsonObject(usage['input_tokens_details'])
      ? faults(usage['input_tokens_details'], { cached_tokens: integer }, 'usage')
      : []),
    ...(isJsonObject(usage) && isJsonObject(usage['output_tokens_details'])
      ? faults(usage['output_tokens_details'], { reasoning_tokens: integer }, 'usage')
      : []),
  ];
}

/** The order of a stream: the response around its items, each opened once and closed as it is in the answer. */
function expectOrder({ events, response }: Answer): void {
  if (events === undefined) return;
  const types = events.map(({ type }) => String(type));
  expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, index) => index));
  expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
  expect(types.at(-1)).toBe(`response.${String(response['status'])}`);
  const itemsOf = (type: string): JsonObject[] =>
    events.filter((event) => event['type'] === type).map(({ item }) => item as JsonObject);
  expect(itemsOf('response.output_item.done')).toEqual(response['output']);
  expect(itemsOf('response.output_item.added').map(({ id }) => id)).toEqual(
    objectsOf(response['output']).map(({ id }) => id),
  );
  for (const event of events)
    if (isJsonObject(event['response'])) expect(responseFaults(event['response'])).toEqual([]);
  for (const [delta, done, member] of [
    ['response.output_text.delta', 'response.output_text.done', 'text'],
    ['response.function_call_arguments.delta', 'response.function_call_arguments.done', 'arguments'],
  ] as const) {
    for (const end of events.filter(({ type }) => type === done)) {
      const pieces = events.filter(({ type, item_id: id }) => type === delta && id === end['item_id']);
      expect(pieces.length).toBeGreaterThan(0);
      expect(pieces.map((piece) => piece['delta']).join('')).toBe(end[member]);
    }
  }
}

const said = (role: string, content: Json): JsonObject => ({ type: 'message', role, content });
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

interface Case {
  readonly body: JsonObject;
  readonly expected: JsonObject;
  /** A type of item that the output must have. */
  readonly has?: string;
  readonly text?: string;
  readonly sees?: true;
}
const CASES: Readonly<Record<string, Case>> = {
  'a text': { body: { input: 'Hello there.' }, expected: { status: 'completed', error: null }, text: 'Hello there.' },
  'a list of messages': { body: { input: [said('user', 'Hi.')] }, expected: { status: 'completed' }, text: 'Hi.' },
  instructions: {
    body: { input: 'Hi.', instructions: 'Be a pirate.' },
    expected: { instructions: 'Be a pirate.' },
    text: 'Be a pirate.',
  },
  'a system message': {
    body: { input: [said('system', 'Be a pirate.'), said('user', 'Hi.')] },
    expected: { status: 'completed' },
    text: 'Be a pirate.',
  },
  'a developer message': {
    body: { input: [said('developer', 'Be a pirate.'), said('user', 'Hi.')] },
    expected: { status: 'completed' },
    text: 'Be a pirate.',
  },
  'earlier turns': {
    body: { input: [said('user', 'I am Alice.'), said('assistant', 'Hello Alice!'), said('user', 'Who am I?')] },
    expected: { status: 'completed' },
    text: 'Who am I?',
  },
  'a picture': {
    body: {
      input: [
        said('user', [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: PICTURE },
        ]),
      ],
    },
    expected: { status: 'completed' },
    text: 'Images seen: 1.',
    sees: true,
  },
  'a tool that is called': {
    body: { input: '[[twin:tool]] Weather?', tools: [WEATHER] },
    expected: { status: 'completed', tools: [expect.objectContaining({ name: 'get_weather' })] },
    has: 'function_call',
  },
  'tools that are called at once': {
    body: { input: '[[twin:tools]] Weather?', tools: [WEATHER] },
    expected: { status: 'completed', parallel_tool_calls: true },
    has: 'function_call',
  },
  'a tool that must be called': {
    body: { input: '[[twin:tool]] Weather?', tools: [WEATHER], tool_choice: 'required' },
    expected: { tool_choice: 'required' },
    has: 'function_call',
  },
  'the answer of a tool': {
    body: {
      input: [
        said('user', 'Weather?'),
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"location":"Brest"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'It rains.' },
      ],
      tools: [WEATHER],
    },
    expected: { status: 'completed' },
    has: 'message',
  },
  'a limit that is reached': {
    body: { input: '[[twin:long=400]]', max_output_tokens: 20 },
    expected: { status: 'incomplete', max_output_tokens: 20, incomplete_details: { reason: 'max_output_tokens' } },
  },
  thinking: {
    body: { input: 'Think.', reasoning: { effort: 'low' } },
    expected: { status: 'completed', reasoning: expect.objectContaining({ effort: 'low' }) },
    has: 'message',
  },
  'data of the caller': {
    body: { input: 'Hi.', metadata: { trip: '7' } },
    expected: { metadata: { trip: '7' } },
  },
};

describe.each(Object.entries(TRANSPORTS))('%s', (_transport, ask) => {
  describe.each(MODELS)('$model', ({ model, sees }) => {
    it.each(Object.entries(CASES).filter(([, { sees: picture }]) => sees || picture !== true))(
      '%s',
      async (_name, { body, expected, has, text: words }) => {
        const answer = await ask({ model, ...body });
        const { response } = answer;
        expect(responseFaults(response)).toEqual([]);
        expect(response).toMatchObject(expected);
        expectOrder(answer);
        const output = objectsOf(response['output']);
        expect(new Set(output.map(({ id }) => id)).size).toBe(output.length);
        if (has !== undefined) expect(output.map(({ type }) => type)).toContain(has);
        if (words !== undefined) expect(JSON.stringify(output)).toContain(words);
      },
    );

    it('goes on from an answer by its id', async () => {
      const first = await ask({ model, input: 'I sail from Brest.', store: true });
      const id = String(first.response['id']);
      const next = await ask({ model, input: 'And?', previous_response_id: id });
      expect(responseFaults(next.response)).toEqual([]);
      expect(next.response).toMatchObject({ status: 'completed', previous_response_id: id, store: true });
    });
  });
});

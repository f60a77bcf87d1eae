/** Answers of every chat model in every format, whole, streamed and over a WebSocket, held against the types of the vendors' own SDKs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { createSseParser } from '@model-gateway/translate';
import { isEnd, openSocket } from './open-socket.ts';
import { faultsOf } from './pass-through/conformity.ts';

let gateway: TestGateway;
let models: readonly string[];
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
  });
  models = [...gateway.server.catalogue().models.values()]
    .filter(({ kind }) => kind === 'chat')
    .map(({ code }) => code);
});
afterAll(() => gateway.close());

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const QUESTIONS: Readonly<Record<string, { readonly text: string; readonly calls?: true }>> = {
  'a text': { text: 'High tide.' },
  'a call of a tool': { text: '[[twin:tool]] Weather?', calls: true },
};
interface Format {
  readonly path: (model: string, stream: boolean) => string;
  readonly body: (model: string, text: string, calls: boolean) => JsonObject;
  readonly reply: string;
  readonly event: string;
}
const FORMATS: Readonly<Record<string, Format>> = {
  'chat completions': {
    path: () => '/v1/chat/completions',
    body: (model, content, calls) => ({
      ...{ model, messages: [{ role: 'user', content }], stream_options: { include_usage: true } },
      ...(calls && { tools: [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }] }),
    }),
    reply: 'ChatCompletionReply',
    event: 'ChatCompletionEvent',
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, input, calls) => ({
      ...{ model, input },
      ...(calls && { tools: [{ type: 'function', name: 'weather', parameters: PARAMETERS, strict: false }] }),
    }),
    reply: 'ResponseReply',
    event: 'ResponseEvent',
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, content, calls) => ({
      ...{ model, max_tokens: 2000, messages: [{ role: 'user', content }] },
      ...(calls && { tools: [{ name: 'weather', input_schema: PARAMETERS }] }),
    }),
    reply: 'MessageReply',
    event: 'MessageEvent',
  },
  generateContent: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_model, text, calls) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      ...(calls && { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: PARAMETERS }] }] }),
    }),
    reply: 'GenerateContentReply',
    event: 'GenerateContentReply',
  },
};

/**
 * Where answers are not what the types say, and why. Members of newer types that may be null and are left out read as null in the SDKs:
 * nothing tells them apart but `in`.
 */
const KNOWN: readonly (readonly [fault: RegExp, why: string])[] = [
  [/\.system_fingerprint: null/, 'docs/service.md has it, and vendors answer null'],
  [/^Response.*\.(?:user|usage): null/, 'OpenAI’s own answers have null there'],
  [/\.access_programs is missing/, 'null without a program of OpenAI’s own'],
  [/^Message.*\.(?:container|diagnostics|caller|citations|stop_details) is missing/, 'null where there is none'],
  [/^Message.*\.usage\.(?:speed|server_tool_use|inference_geo|service_tier) is missing/, 'null where there is none'],
  [/^Message.*\.(?:output_tokens_details|cache_\w+) is missing/, 'null where there is none'],
  [/^MessageEvent\.type: "ping"/, 'Anthropic sends it, and its SDK knows it without a type'],
  [/^GenerateContentReply\.initialPromptTokenCount is missing/, 'a member of the SDK’s class, which it fills itself'],
  [
    /^VideoReply\.(?:completed_at|error|expires_at|prompt|remixed_from_video_id) is missing/,
    'docs/service.md lists what the POST of a video answers',
  ],
  [/^ChatCompletionEvent\.object: ""/, 'a vendor’s own event, forwarded as it came'],
];
const seen = new Set<RegExp>();

function unknownFaults(name: string, value: Json): readonly string[] {
  return faultsOf(name, value).filter((fault) => {
    const known = KNOWN.find(([pattern]) => pattern.test(fault));
    if (known !== undefined) seen.add(known[0]);
    return known === undefined;
  });
}

async function post(path: string, body: JsonObject): Promise<string> {
  const reply = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} ${String(body['model'])}: ${reply.status} ${text}`);
  return text;
}

function eventsIn(text: string): Json[] {
  const parser = createSseParser();
  const found = [...parser.push(Buffer.from(text)), ...parser.end()];
  return found.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as Json);
}

/** Models that answer the question as it is: those that only make pictures or speak take no tools. */
const asked = (calls: boolean): readonly string[] =>
  calls ? models.filter((model) => !/image|audio/.test(model)) : models;

describe.each(Object.entries(FORMATS))('%s', (_name, { path, body, reply, event }) => {
  it.each(Object.entries(QUESTIONS))('%s', async (_question, { text, calls = false }) => {
    for (const model of asked(calls)) {
      const whole = JSON.parse(await post(path(model, false), withoutStream(body(model, text, calls)))) as Json;
      expect(unknownFaults(reply, whole), model).toEqual([]);
      const stream = reply === 'GenerateContentReply' ? {} : { stream: true };
      const events = eventsIn(await post(path(model, true), { ...body(model, text, calls), ...stream }));
      expect(events.length).toBeGreaterThan(0);
      expect(
        events.flatMap((each) => unknownFaults(event, each)),
        `${model}, streamed`,
      ).toEqual([]);
    }
  });
});

it.each(Object.entries(QUESTIONS))('responses over a WebSocket: %s', async (_question, { text, calls = false }) => {
  const socket = await openSocket(gateway.url, { authorization: `Bearer ${gateway.liveKey}` });
  for (const model of asked(calls)) {
    socket.send({ type: 'response.create', ...FORMATS['responses']!.body(model, text, calls) });
    const events = await socket.until(isEnd);
    expect(
      events.flatMap((each) => [
        ...unknownFaults('ResponseEvent', each),
        ...unknownFaults('ResponseSocketEvent', each),
      ]),
      model,
    ).toEqual([]);
  }
  await socket.close();
});

it('an answer with phases, and what is refused over a WebSocket', async () => {
  const ask = { model: 'gpt-5.2-pro', input: '[[twin:phases]] Four?', store: false };
  const whole = JSON.parse(await post('/v1/responses', ask)) as Json;
  expect(unknownFaults('ResponseReply', whole)).toEqual([]);
  expect(
    unknownFaults(
      'CompactedReply',
      JSON.parse(await post('/v1/responses/compact', { model: ask.model, input: 'Four?' })) as Json,
    ),
  ).toEqual([]);
  const socket = await openSocket(gateway.url, { authorization: `Bearer ${gateway.liveKey}` });
  for (const body of [
    { ...ask, previous_response_id: 'resp_that_never_was' },
    { model: 'none-of-them', input: 'Hi' },
  ]) {
    socket.send({ type: 'response.create', ...body });
    expect(unknownFaults('ResponseSocketEvent', (await socket.until(isEnd)).at(-1)!)).toEqual([]);
  }
  await socket.close();
});

it('a video, made without a size, as it begins and as it is read', async () => {
  for (const model of ['sora-2', 'veo-3.1', 'kling-v3', 'MiniMax-Hailuo-2.3', 'doubao-seedance-2-0-fast']) {
    const made = JSON.parse(await post('/v1/videos', { model, prompt: 'A kite' })) as JsonObject;
    expect(unknownFaults('VideoReply', made), model).toEqual([]);
    const reply = await fetch(`${gateway.url}/v1/videos/${String(made['id'])}`, {
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    expect(unknownFaults('VideoReply', (await reply.json()) as Json), `${model}, read`).toEqual([]);
  }
});

it('finds what is missing, what is null and what is another word', async () => {
  const { path, body } = FORMATS['responses']!;
  const whole = JSON.parse(
    await post(path('claude-sonnet-5', false), body('claude-sonnet-5', 'Hi', false)),
  ) as JsonObject;
  const { tools: _tools, ...less } = whole;
  expect(unknownFaults('ResponseReply', less)).toEqual(['ResponseReply.tools is missing']);
  expect(unknownFaults('ResponseReply', { ...whole, object: 'answer' })).toHaveLength(1);
  expect(unknownFaults('ResponseReply', { ...whole, output: null })).toHaveLength(1);
  expect(unknownFaults('ChatCompletionReply', whole)).toContain('ChatCompletionReply.choices is missing');
});

it('what is known of is still so', () => {
  expect(KNOWN.filter(([pattern]) => !seen.has(pattern))).toEqual([]);
});

function withoutStream({ stream_options: _options, ...body }: JsonObject): JsonObject {
  return body;
}

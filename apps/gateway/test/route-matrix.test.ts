/** Everything that routing does, through every kind that it applies to: chat in its four formats, whole and streamed, and all others. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rowNamed } from '@model-gateway/core';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import sharp from 'sharp';
import { routeTree } from '../src/resources/models/route-tree.ts';
import { askInFormat, FORMATS, type Format } from './ask-in-format.ts';
import { soundFile } from './sound-files.ts';

const MINI = '{ account: openai, model: gpt-5-mini, dialects: [openai-chat] }';
const CHAT_ROWS = `
  - { code: smart, aliases: [clever], routes: [{ model: gpt-5-mini }], fallbacks: { on_error: [claude-haiku-4-5], on_context_too_long: [gemini-2.5-flash], on_content_refusal: [claude-haiku-4-5] } }
  - { code: 'wild/*', routes: [{ model: gpt-5-mini }] }
  - { code: tagged, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, when: { tags: { team: [ads] } } }] }
  - { code: dear, routes: [{ model: claude-opus-4-8 }, { model: gpt-5-mini, priority: 2 }] }
  - { code: waits, kind: chat, offers: [${MINI}], price: { input: 1, output: 1 }, timeout_seconds: { first_byte: 0.1 }, fallbacks: { on_error: [claude-haiku-4-5] } }
  - { code: soon, routes: [{ model: gpt-5-mini }], timeout_seconds: { first_token: 1 }, fallbacks: { on_error: [claude-haiku-4-5] } }
  - { code: hedged, hedge: { budget: 1 }, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, priority: 2 }] }`;
const OTHER_ROWS = `
  - { code: draw, aliases: [paint], kind: image, body: prompt, routes: [{ model: doubao-seedream-4-0 }], fallbacks: { on_error: [qwen-image-2.0] } }
  - { code: touch-up, aliases: [retouch], kind: image-edit, routes: [{ model: gpt-image-2 }], fallbacks: { on_error: [qwen-image-edit-plus] } }
  - { code: speak, kind: speech, offers: [{ account: openai, model: tts-1 }], voices: [alloy], price: { character: 15 }, limits: { formats: [wav] } }
  - { code: say, aliases: [tell], kind: speech, routes: [{ model: gpt-4o-mini-tts }], fallbacks: { on_error: [speak] } }
  - { code: vectors, aliases: [embed], kind: embedding, routes: [{ model: text-embedding-v4 }], fallbacks: { on_error: [gemini-embedding-001] } }
  - { code: rank, aliases: [order], kind: rerank, routes: [{ model: rerank-v3.5 }], fallbacks: { on_error: [qwen3-rerank] } }
  - { code: checker, kind: moderation, offers: [{ account: openai, model: omni-moderation-latest }], price: { input: 1 } }
  - { code: other-checker, kind: moderation, offers: [{ account: openai, model: omni-moderation-2024-09-26 }], price: { input: 1 } }
  - { code: check, aliases: [look-at], kind: moderation, routes: [{ model: checker }], fallbacks: { on_error: [other-checker] } }
  - { code: hear, aliases: [listen], kind: transcription, routes: [{ model: gpt-4o-transcribe }], fallbacks: { on_error: [whisper-1] } }
  - { code: movie, aliases: [film], kind: video, body: prompt, routes: [{ model: doubao-seedance-2-0-fast }], fallbacks: { on_error: [sora-2] } }`;

let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  gateway = await openTestGateway({ clock: () => now, yaml: `models:${CHAT_ROWS}${OTHER_ROWS}\n` });
  // Time stands still: what is usual is nothing, and any wait is unusual.
  for (const stream of [false, true])
    for (let each = 0; each < 20; each++) await askInFormat(gateway, { format: 'chat', model: 'hedged', stream });
});
afterEach(() => {
  gateway.twin.faults.clear();
  // What cooled is due again.
  now += 3_600_000;
});
afterAll(() => gateway.close());

type TwinFault = Parameters<TestGateway['twin']['faults']['always']>[2];
const refusal = (code: string): TwinFault => ({
  kind: 'status',
  status: 400,
  body: { error: { message: 'no', type: 'invalid_request_error', param: null, code } },
});

describe('chat', () => {
  const ALL = FORMATS.flatMap((format) => [false, true].map((stream) => ({ format, stream })));
  interface Case {
    readonly name: string;
    readonly model: string;
    /** Of OpenAI. */
    readonly fault?: TwinFault;
    readonly headers?: Readonly<Record<string, string>>;
    /** Of streams alone. */
    readonly ofStreams?: boolean;
    readonly route: string;
    readonly attempts?: string;
  }
  const LEADS = 'gpt-5-mini; route; weighted';
  const FALLS = 'claude-haiku-4-5; on_error';
  const CASES: readonly Case[] = [
    { name: 'an alias', model: 'clever', route: LEADS },
    { name: 'a wildcard', model: 'wild/one', route: LEADS },
    { name: 'a route without its condition', model: 'tagged', route: LEADS },
    {
      name: 'a route with its condition',
      model: 'tagged',
      headers: { 'x-gateway-tags': 'team=ads' },
      route: 'claude-haiku-4-5; route; weighted',
    },
    { name: 'a 429', model: 'smart', fault: { kind: 'status', status: 429 }, route: FALLS, attempts: '2' },
    { name: 'a 503', model: 'smart', fault: { kind: 'status', status: 503 }, route: FALLS, attempts: '2' },
    { name: 'a broken connection', model: 'smart', fault: { kind: 'reset' }, route: FALLS, attempts: '2' },
    { name: 'a timeout', model: 'waits', fault: { kind: 'hang' }, route: FALLS, attempts: '2' },
    {
      name: 'no first token in time',
      model: 'soon',
      fault: { kind: 'hang' },
      ofStreams: true,
      route: FALLS,
      attempts: '2',
    },
    {
      name: 'an input that is too long',
      model: 'smart',
      fault: refusal('context_length_exceeded'),
      route: 'gemini-2.5-flash; on_context_too_long',
      attempts: '2',
    },
    {
      name: 'a refusal of the content',
      model: 'smart',
      fault: refusal('content_policy_violation'),
      route: 'claude-haiku-4-5; on_content_refusal',
      attempts: '2',
    },
    {
      name: 'a hedge',
      model: 'hedged',
      fault: { kind: 'hang' },
      route: 'claude-haiku-4-5; route; weighted',
      attempts: '2',
    },
    { name: 'a ceiling', model: 'dear', headers: { 'x-gateway-max-cost': '0.001' }, route: LEADS },
    { name: 'no ceiling', model: 'dear', route: 'claude-opus-4-8; route; weighted' },
    { name: 'a vendor that is not wanted', model: 'smart', headers: { 'x-gateway-vendors': '-openai' }, route: FALLS },
    { name: 'the one that is', model: 'smart', headers: { 'x-gateway-vendors': 'anthropic' }, route: FALLS },
  ];

  it.each(
    CASES.flatMap((each) =>
      ALL.filter(({ stream }) => stream || each.ofStreams !== true).map((way) => ({ ...each, ...way })),
    ),
  )('$name: $format (stream: $stream)', async ({ model, fault, headers, route, attempts = '1', format, stream }) => {
    if (fault !== undefined) gateway.twin.faults.always('openai', '*', fault);
    const reply = await askInFormat(gateway, { format, model, stream, mostTokens: 100, ...(headers && { headers }) });
    expect(reply).toMatchObject({
      status: 200,
      route,
      attempts,
      text: expect.not.stringContaining('there is no') as unknown,
    });
    expect(reply.text).not.toMatch(/"error":\s*\{/);
  });

  it.each(ALL)('no fallback is the first one’s error: $format (stream: $stream)', async ({ format, stream }) => {
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 503 });
    const headers = { 'x-gateway-no-fallback': 'true' };
    const reply = await askInFormat(gateway, { format, model: 'smart', stream, headers });
    expect([500, 503]).toContain(reply.status);
    expect(reply.route).toBe(LEADS);
  });

  const REFUSED: Readonly<Record<Format, JsonObject>> = {
    chat: { error: { type: 'invalid_request_error', param: 'x-gateway-no-fallback' } },
    responses: { error: { type: 'invalid_request_error', param: 'x-gateway-no-fallback' } },
    messages: { type: 'error', error: { type: 'invalid_request_error' } },
    gemini: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  };
  it.each(ALL)('a word that is none: $format (stream: $stream)', async ({ format, stream }) => {
    const headers = { 'x-gateway-no-fallback': 'maybe' };
    const reply = await askInFormat(gateway, { format, model: 'smart', stream, headers });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject(REFUSED[format]);
    expect(reply.text).toContain('x-gateway-no-fallback is');
  });
});

interface Sent {
  readonly path: string;
  readonly body: (model: string) => JsonObject | FormData;
}
interface Kind extends Sent {
  readonly kind: string;
  readonly model: string;
  readonly alias: string;
  /** Who is asked first, whose vendor is refused or fails, and who then. */
  readonly first: string;
  readonly vendor: Parameters<TestGateway['twin']['faults']['always']>[0];
  /** The vendor's name for callers, where it is the maker behind a compatible wire. */
  readonly maker?: string;
  readonly second: string;
  /** Both are of one vendor: one fault is enough, and leaving it out leaves nobody. */
  readonly isAlone?: boolean;
}

let pixels: Buffer;
beforeAll(async () => {
  pixels = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
});
function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, name === 'image' ? 'boat.png' : 'boat.wav');
  return form;
}
const file = (bytes: Buffer, type: string): Blob => new Blob([new Uint8Array(bytes)], { type });

const KINDS: readonly Kind[] = [
  {
    kind: 'image',
    model: 'draw',
    alias: 'paint',
    path: '/v1/images/generations',
    body: (model) => ({ model, prompt: 'a boat' }),
    first: 'doubao-seedream-4-0',
    vendor: 'ark',
    second: 'qwen-image-2.0',
  },
  {
    kind: 'image-edit',
    model: 'touch-up',
    alias: 'retouch',
    path: '/v1/images/edits',
    body: (model) => formOf({ model, prompt: 'red', image: file(pixels, 'image/png') }),
    first: 'gpt-image-2',
    vendor: 'openai',
    second: 'qwen-image-edit-plus',
  },
  {
    kind: 'speech',
    model: 'say',
    alias: 'tell',
    path: '/v1/audio/speech',
    body: (model) => ({ model, input: 'hello', voice: 'alloy', response_format: 'wav' }),
    first: 'gpt-4o-mini-tts',
    vendor: 'openai',
    second: 'speak',
    isAlone: true,
  },
  {
    kind: 'embedding',
    model: 'vectors',
    alias: 'embed',
    path: '/v1/embeddings',
    body: (model) => ({ model, input: 'a boat at dawn '.repeat(20) }),
    first: 'text-embedding-v4',
    vendor: 'dashscope',
    second: 'gemini-embedding-001',
  },
  {
    kind: 'rerank',
    model: 'rank',
    alias: 'order',
    path: '/v1/rerank',
    body: (model) => ({ model, query: 'a boat', documents: ['a boat', 'a bill'] }),
    first: 'rerank-v3.5',
    vendor: 'cohere',
    maker: 'cohere',
    second: 'qwen3-rerank',
  },
  {
    kind: 'moderation',
    model: 'check',
    alias: 'look-at',
    path: '/v1/moderations',
    body: (model) => ({ model, input: 'a boat at dawn '.repeat(20) }),
    first: 'checker',
    vendor: 'openai',
    second: 'other-checker',
    isAlone: true,
  },
  {
    kind: 'transcription',
    model: 'hear',
    alias: 'listen',
    path: '/v1/audio/transcriptions',
    body: (model) => formOf({ model, file: file(soundFile(1), 'audio/wav') }),
    first: 'gpt-4o-transcribe',
    vendor: 'openai',
    second: 'whisper-1',
    isAlone: true,
  },
  {
    kind: 'video',
    model: 'movie',
    alias: 'film',
    path: '/v1/video/generations',
    body: (model) => ({ model, prompt: 'a boat', duration: 4 }),
    first: 'doubao-seedance-2-0-fast',
    vendor: 'ark',
    second: 'sora-2',
  },
];

describe.each(KINDS)(
  '$kind',
  ({ path, body, model, alias, first, vendor, second, isAlone = false, maker = vendor }) => {
    const ask = async (code: string, headers: Record<string, string> = {}) => {
      const sent = body(code);
      const reply = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.liveKey}`,
          ...(sent instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: sent instanceof FormData ? sent : JSON.stringify(sent),
      });
      const text = await reply.text();
      return { status: reply.status, route: reply.headers.get('x-gateway-route'), text };
    };

    it('goes where the route leads, by its alias too', async () => {
      for (const code of [model, alias])
        expect(await ask(code)).toMatchObject({ status: 200, route: `${first}; route; weighted` });
    });

    it('goes elsewhere when the vendor certainly has not taken it, and not when the caller does not want that', async () => {
      gateway.twin.faults.next(vendor, '*', { kind: 'status', status: 429 });
      expect(await ask(model)).toMatchObject({ status: 200, route: `${second}; on_error` });
      now += 3_600_000;
      gateway.twin.faults.next(vendor, '*', { kind: 'status', status: 429 });
      const alone = await ask(model, { 'x-gateway-no-fallback': 'true' });
      expect([429, 500, 503]).toContain(alone.status);
    });

    it('goes to the vendors that the caller wants', async () => {
      const without = await ask(model, { 'x-gateway-vendors': `-${maker}` });
      expect(without).toMatchObject(isAlone ? { status: 400 } : { status: 200, route: `${second}; on_error` });
      expect(await ask(model, { 'x-gateway-vendors': maker })).toMatchObject({ route: `${first}; route; weighted` });
      expect(await ask(model, { 'x-gateway-vendors': 'kling' })).toMatchObject({
        status: 400,
        text: expect.stringContaining('x-gateway-vendors leaves no vendor') as unknown,
      });
    });

    it.each([
      ['x-gateway-max-cost', '0.000000001', 'x-gateway-max-cost allows'],
      ['x-gateway-max-cost', 'little', 'must be US dollars'],
      ['x-gateway-timeout', '5', 'is for chat requests'],
      ['x-gateway-vendors', 'opnai', 'did you mean openai?'],
      ['x-gateway-no-fallback', 'maybe', 'must be true or false'],
      ['x-gateway-tags', 'team', 'must be name=value'],
    ])('refuses %s: %s, by its name, and asks nobody', async (header, value, says) => {
      const before = gateway.twin.requests.list().length;
      const reply = await ask(model, { [header]: value });
      expect(reply).toMatchObject({ status: 400, text: expect.stringContaining(header) as unknown });
      expect(reply.text).toContain(says);
      expect(gateway.twin.requests.list()).toHaveLength(before);
    });

    it('takes a ceiling that it keeps, and tags', async () => {
      const headers = { 'x-gateway-max-cost': '1000', 'x-gateway-tags': 'team=ads' };
      expect(await ask(model, headers)).toMatchObject({ status: 200, route: `${first}; route; weighted` });
    });

    it('is explained, by the admin API and as a tree', async () => {
      const reply = await fetch(`${gateway.server.adminUrl}/admin/routes/explain`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: alias }),
      });
      const { candidates } = (await reply.json()) as { candidates: { model: string; by: string }[] };
      expect(candidates.map(({ model: code, by }) => `${code} ${by}`)).toEqual([
        `${first} route`,
        `${second} on_error`,
      ]);
      const catalogue = gateway.server.catalogue();
      const row = rowNamed(catalogue, alias);
      const tree = row === undefined ? '' : routeTree(catalogue, row);
      expect(tree.split('\n').filter((line) => /^[a-z├└]/.test(line))).toEqual([
        `${model} (weighted)`,
        expect.stringContaining(`├─ ${first}`),
        expect.stringContaining(`└─ ${second} — when nobody could answer`),
      ]);
    });
  },
);

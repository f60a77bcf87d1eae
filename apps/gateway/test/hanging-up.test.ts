/**
 * Hanging up is not free: whoever leaves in the middle pays what the vendor bills where its stream is read to the end, and at least what
 * was delivered where it is cut. Every caller's format × every vendor's × when, against the twin's own books.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { LedgerEntry } from '@model-gateway/core';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import { startVendorTwin, type LedgerAnswer, type VendorTwin } from '@model-gateway/vendor-twin';

const LONG = 100;
const PRICE = { input: 1, output: 10 };
const UNITS = 500_000;

const VENDORS = {
  'openai-chat': { vendor: 'openai', model: 'gpt-5.2' },
  'openai-responses': { vendor: 'openai', model: 'gpt-5.2' },
  'anthropic-messages': { vendor: 'anthropic', model: 'claude-sonnet-5' },
  'gemini-generate': { vendor: 'gemini', model: 'gemini-2.0-flash' },
} as const;
type Format = keyof typeof VENDORS;
const FORMATS = Object.keys(VENDORS) as Format[];
const MODES = ['drain', 'abort'] as const;

interface Question {
  readonly path: string;
  readonly body: JsonObject;
}
const QUESTIONS: Record<Format, (model: string, text: string) => Question> = {
  'openai-chat': (model, text) => ({
    path: '/v1/chat/completions',
    body: { model, stream: true, messages: [{ role: 'user', content: text }] },
  }),
  'openai-responses': (model, text) => ({ path: '/v1/responses', body: { model, stream: true, input: text } }),
  'anthropic-messages': (model, text) => ({
    path: '/v1/messages',
    body: { model, stream: true, max_tokens: 4096, messages: [{ role: 'user', content: text }] },
  }),
  'gemini-generate': (model, text) => ({
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text }] }] },
  }),
};
/** What a client has before the last event. */
const LAST_WORD: Record<Format, (heard: string) => boolean> = {
  'openai-chat': (heard) => heard.includes('"finish_reason":"stop"'),
  'openai-responses': (heard) => heard.includes('response.output_text.done'),
  // An expression with "anything" between them takes a second of CPU for these tests.
  'anthropic-messages': (heard) =>
    heard.lastIndexOf('content_block_stop') > heard.indexOf('text_delta') && heard.includes('text_delta'),
  'gemini-generate': (heard) => heard.includes('"finishReason":"STOP"'),
};
const WHEN = {
  'at the first byte': () => true,
  'in the middle': (heard: string) => (heard.match(/^data: /gm) ?? []).length > 40,
  'just before the end': (heard: string, format: Format) => LAST_WORD[format](heard),
} as const;
type When = keyof typeof WHEN;

let twin: VendorTwin;
let gateway: TestGateway;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 1 });
  const accounts: string[] = [];
  const models: string[] = [];
  for (const mode of MODES) {
    for (const vendor of ['openai', 'anthropic', 'gemini'] as const)
      accounts.push(
        `{ id: ${accounts.length + 1}, name: ${vendor}-${mode}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' }, on_disconnect: ${mode} }`,
      );
    const limits = 'limits: { max_output_tokens: 4096 }';
    for (const format of FORMATS) {
      const { vendor, model } = VENDORS[format];
      models.push(
        `{ code: ${format}-${mode}, kind: chat, ${limits}, offers: [{ account: ${vendor}-${mode}, model: ${model}, dialect: ${format} }], price: { input: 1, output: 10 } }`,
      );
    }
    models.push(
      `{ code: sound-${mode}, kind: chat, ${limits}, offers: [{ account: openai-${mode}, model: gpt-audio, dialect: openai-chat }], price: { input: 1, output: 10, output_audio: 80 } }`,
      `{ code: picture-${mode}, kind: chat, ${limits}, offers: [{ account: gemini-${mode}, model: gemini-2.5-flash-image, dialect: gemini-generate }], price: { input: 1, output: 10, output_image: 30 } }`,
      `{ code: drafts-${mode}, kind: image, body: messages, offers: [{ account: openai-${mode}, model: gpt-image-1 }], price: { input: 5, output: 40 } }`,
      `{ code: voice-${mode}, kind: speech, offers: [{ account: openai-${mode}, model: gpt-4o-mini-tts }], price: { input: 1, output: 12 } }`,
    );
  }
  gateway = await openTestGateway({
    twin,
    yaml: `extends: none\naccounts:\n${accounts.map((each) => `  - ${each}`).join('\n')}\nmodels:\n${models.map((each) => `  - ${each}`).join('\n')}\n`,
  });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

interface Heard {
  readonly requestId: string;
  readonly text: string;
}

/** Reads until `isEnough` and hangs up. */
async function hangUp({ path, body }: Question, isEnough: (heard: string) => boolean): Promise<Heard> {
  const over = new AbortController();
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: over.signal,
  });
  if (reply.status !== 200) throw new Error(await reply.text());
  let text = '';
  const reader = reply.body!.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += Buffer.from(read.value).toString('latin1');
    if (isEnough(text)) break;
  }
  over.abort();
  return { requestId: reply.headers.get('x-request-id') ?? '', text };
}

/** The vendor's own bill of what it answers after the first `count`; one that is hung up on writes it when it finds out. */
async function billAfter(count: number, vendor: 'openai' | 'gemini'): Promise<LedgerAnswer> {
  await until(() => twin.ledger.answers(vendor).length > count);
  return twin.ledger.answers(vendor).at(-1)!;
}

/** The charge of a request, as soon as it is in the ledger. */
async function charge(requestId: string): Promise<LedgerEntry> {
  const { ledger } = gateway.server.parts.store;
  for (let round = 0; round < 1_500; round++) {
    // Charges are written many at a time.
    await gateway.server.own.flush();
    const [entry] = await ledger.entries({ requestId, kind: 'capture', limit: 1 });
    if (entry !== undefined) return entry;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error('nothing was charged');
}
const usageOf = ({ detail }: LedgerEntry): Usage => detail['usage'] as Usage;
const unitsOf = ({ inputTokens = 0, outputTokens = 0 }: Usage, price = PRICE): number =>
  ((inputTokens * price.input + outputTokens * price.output) * UNITS) / 1e6;

/** Characters of text among events, as far as they are whole. */
function charactersIn(text: string): number {
  let characters = 0;
  for (const [, found = ''] of text.matchAll(/"(?:content|delta|text)": ?"((?:[^"\\]|\\.)*)"(?=[,}])/g))
    characters += found.length;
  return characters;
}

const PAIRS = FORMATS.flatMap((caller) => FORMATS.map((vendor) => ({ caller, vendor })));

describe('text', () => {
  it.each(PAIRS)('drained, $caller → $vendor: the vendor’s own bill, whenever the caller leaves', async (pair) => {
    const { vendor } = VENDORS[pair.vendor];
    const before = twin.ledger.totals(vendor);
    const entries = await Promise.all(
      (Object.keys(WHEN) as When[]).map(async (when) => {
        const question = QUESTIONS[pair.caller](`${pair.vendor}-drain`, `[[twin:long=${LONG}]] Tell me of the sea.`);
        const heard = await hangUp(question, (text) => WHEN[when](text, pair.caller));
        return charge(heard.requestId);
      }),
    );
    const after = twin.ledger.totals(vendor);
    expect(after.abortedStreams - before.abortedStreams).toBe(0);
    const sum = (of: (usage: Usage) => number | undefined): number =>
      entries.reduce((total, entry) => total + (of(usageOf(entry)) ?? 0), 0);
    expect(sum(({ outputTokens }) => outputTokens)).toBe(after.outputTokens - before.outputTokens);
    expect(sum(({ inputTokens }) => inputTokens)).toBe(after.inputTokens - before.inputTokens);
  });

  it.each(PAIRS)('cut, $caller → $vendor: no less than what the caller heard', async (pair) => {
    const left = async (when: When) => {
      const question = QUESTIONS[pair.caller](`${pair.vendor}-abort`, `[[twin:long=${LONG}]] Tell me of the sea.`);
      const heard = await hangUp(question, (text) => WHEN[when](text, pair.caller));
      return { when, heard, entry: await charge(heard.requestId) };
    };
    for (const { when, heard, entry } of await Promise.all((Object.keys(WHEN) as When[]).map(left))) {
      const tokens = when === 'just before the end' ? LONG : charactersIn(heard.text) / 4;
      expect(entry.charged).toBeGreaterThan(0);
      expect(usageOf(entry).inputTokens).toBeGreaterThan(0);
      expect(usageOf(entry).outputTokens).toBeGreaterThanOrEqual(Math.floor(tokens * 0.7));
    }
  });
});

describe('reasoning that nobody sees', () => {
  /** Asked for in the words of each format. */
  const thinking: Record<Format, JsonObject> = {
    'openai-chat': { reasoning_effort: 'high' },
    'openai-responses': { reasoning: { effort: 'high' } },
    'anthropic-messages': { thinking: { type: 'adaptive' } },
    'gemini-generate': { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
  };
  const pairs = FORMATS.flatMap((caller) =>
    (['openai-chat', 'openai-responses', 'anthropic-messages'] as const).map((vendor) => ({ caller, vendor })),
  );
  it.each(pairs)(
    'cut, $caller → $vendor: what was heard and what may have been thought, within the quote',
    async (pair) => {
      const asked = QUESTIONS[pair.caller](`${pair.vendor}-abort`, `[[twin:think]] [[twin:long=${LONG}]] Tell me.`);
      const body = { ...asked.body, ...thinking[pair.caller] };
      const heard = await hangUp({ ...asked, body }, (text) => WHEN['in the middle'](text));
      const usage = usageOf(await charge(heard.requestId));
      expect(usage.estimated).toBe(true);
      expect(usage.outputTokens).toBeLessThanOrEqual(4096);
      expect(usage.outputTokens).toBeGreaterThanOrEqual(Math.floor((charactersIn(heard.text) / 4) * 0.7));
    },
  );
  it.each(pairs)('drained, $caller → $vendor: the vendor’s own bill', async (pair) => {
    const { vendor } = VENDORS[pair.vendor];
    const asked = QUESTIONS[pair.caller](`${pair.vendor}-drain`, `[[twin:think]] [[twin:long=${LONG}]] Tell me.`);
    const body = { ...asked.body, ...thinking[pair.caller] };
    const heard = await hangUp({ ...asked, body }, () => true);
    const { charged } = await charge(heard.requestId);
    const billed = twin.ledger.answers(vendor).at(-1);
    expect(billed).toMatchObject({ aborted: false });
    expect(charged).toBe(Math.round(unitsOf(billed!.billed)));
  });
});

const SOUND = (model: string): Question => ({
  path: '/v1/chat/completions',
  body: {
    model,
    stream: true,
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'pcm16' },
    messages: [{ role: 'user', content: '[[twin:long=60]] Say it.' }],
  },
});
const PICTURE = (caller: Format, model: string): Question => {
  const asked = QUESTIONS[caller](model, 'Draw a boat.');
  return caller === 'gemini-generate'
    ? { ...asked, body: { ...asked.body, generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } } }
    : asked;
};

describe('sound and pictures of chat', () => {
  it.each(MODES)('sound, %s: the chunks are paid', async (mode) => {
    const answers = twin.ledger.answers('openai').length;
    const heard = await hangUp(SOUND(`sound-${mode}`), (text) => (text.match(/"audio":\{"data"/g) ?? []).length > 0);
    const entry = await charge(heard.requestId);
    const billed = await billAfter(answers, 'openai');
    expect(billed.aborted).toBe(mode === 'abort');
    expect(usageOf(entry).outputAudioTokens).toBeGreaterThan(0);
    if (mode === 'drain') expect(usageOf(entry).outputTokens).toBe(billed.billed.outputTokens);
  });
  it.each(MODES)('a picture, %s: it is paid', async (mode) => {
    const heard = await hangUp(PICTURE('gemini-generate', `picture-${mode}`), (text) => /"data"/.test(text));
    const usage = usageOf(await charge(heard.requestId));
    expect(usage.outputImageTokens).toBeGreaterThan(0);
    if (mode === 'drain') expect(usage.outputTokens).toBe(twin.ledger.answers('gemini').at(-1)!.billed.outputTokens);
  });
  it('a picture, translated and cut: it is paid', async () => {
    const asked = PICTURE('openai-chat', 'picture-abort');
    const heard = await hangUp({ ...asked, body: { ...asked.body, modalities: ['text', 'image'] } }, (text) =>
      /"image_url"|base64/.test(text),
    );
    expect((await charge(heard.requestId)).charged).toBeGreaterThan((1_000 * 30 * UNITS) / 1e6);
  });
});

describe('a stream of pictures', () => {
  const asked = (mode: string): Question => ({
    path: '/v1/images/generations',
    body: { model: `drafts-${mode}`, prompt: 'a paper boat', stream: true, partial_images: 2 },
  });
  it.each([
    { mode: 'drain', when: 'first draft' },
    { mode: 'drain', when: 'second draft' },
    { mode: 'abort', when: 'first draft' },
    { mode: 'abort', when: 'second draft' },
  ])('$mode, hung up at the $when: the picture is paid', async ({ mode, when }) => {
    const drafts = when === 'first draft' ? 1 : 2;
    const answers = twin.ledger.answers('openai').length;
    const heard = await hangUp(asked(mode), (text) => (text.match(/^event: /gm) ?? []).length >= drafts);
    const entry = await charge(heard.requestId);
    const { billed } = await billAfter(answers, 'openai');
    const units = unitsOf(billed, { input: 5, output: 40 });
    if (mode === 'drain') expect(entry.charged).toBe(Math.round(units));
    else expect(entry.charged).toBeGreaterThanOrEqual(units);
  });
});

describe('speech', () => {
  it.each(MODES)('%s, hung up at the first sound: it is paid', async (mode) => {
    const heard = await hangUp(
      {
        path: '/v1/audio/speech',
        body: { model: `voice-${mode}`, input: 'word '.repeat(300), voice: 'alloy', stream_format: 'sse' },
      },
      () => true,
    );
    const { charged } = await charge(heard.requestId);
    const { outputTokens = 0 } = twin.ledger.answers('openai').at(-1)!.billed;
    expect(charged).toBeGreaterThan(mode === 'drain' ? ((outputTokens * 12 * UNITS) / 1e6) * 0.2 : 0);
  });
});

describe('a connection', () => {
  const raw = (model: string, long: number): string => {
    const { body, path } = QUESTIONS['openai-chat'](model, `[[twin:long=${long}]] Tell me of the sea.`);
    const text = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${gateway.liveKey}\r\nx-request-id: half-${model}-${long}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const open = () => connect(Number(new URL(gateway.url).port), '127.0.0.1');
  const newest = async (after: number): Promise<LedgerEntry> => {
    const { ledger } = gateway.server.parts.store;
    for (let round = 0; round < 3_000; round++) {
      const [entry] = await ledger.entries({ kind: 'capture', order: 'newest', limit: 1 });
      if (entry !== undefined && entry.id > after) return entry;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('nothing was charged');
  };
  const lastId = async (): Promise<number> =>
    (await gateway.server.parts.store.ledger.entries({ kind: 'capture', order: 'newest', limit: 1 }))[0]?.id ?? 0;

  it.each(MODES)('closed by half, %s: is paid', async (mode) => {
    const [before, socket] = [await lastId(), open()];
    socket.on('error', () => undefined).resume();
    socket.end(raw(`openai-chat-${mode}`, 90));
    const entry = await newest(before);
    expect(usageOf(entry).inputTokens).toBeGreaterThan(0);
    if (mode === 'drain') expect(usageOf(entry).outputTokens).toBeGreaterThanOrEqual(90);
    socket.destroy();
  });

  it.each(MODES)('whose end never reads and then goes away, %s: is paid', async (mode) => {
    const [before, socket] = [await lastId(), open()];
    const answers = twin.ledger.answers('openai').length;
    const last = twin.requests.last('openai', 'chat');
    socket.on('error', () => undefined).pause();
    socket.write(raw(`openai-chat-${mode}`, 101));
    // What the vendor was never asked for costs nothing.
    await until(() => twin.requests.last('openai', 'chat') !== last);
    await new Promise((resolve) => setTimeout(resolve, 150));
    socket.destroy();
    const entry = await newest(before);
    await billAfter(answers, 'openai');
    expect(entry.charged).toBeGreaterThan(0);
    if (mode === 'drain') expect(usageOf(entry).outputTokens).toBeGreaterThanOrEqual(101);
  });
});

describe('before the answer begins', () => {
  const thinking: JsonObject = { reasoning_effort: 'high' };
  const WAYS = (['whole', 'stream'] as const).flatMap((way) =>
    MODES.flatMap((mode) => [false, true].map((thinks) => ({ way, mode, thinks }))),
  );
  const SLOW_MS = 300;
  const DEADLINE_MS = 100;
  /** What a model may have thought is reckoned by the time: what other work of the machine adds to it. */
  const MOST_APART = 400;

  /** Asks a vendor that takes long, and leaves: by hanging up, or by the deadline of the header. */
  async function leave(by: 'hanging up' | 'its deadline', { way, mode, thinks }: (typeof WAYS)[number]) {
    const asked = QUESTIONS['openai-chat'](
      `openai-chat-${mode}`,
      `${thinks ? '[[twin:think]] ' : ''}[[twin:long=50]] Tell me.`,
    );
    twin.faults.next('openai', '*', { kind: 'slow', ms: SLOW_MS });
    const heard = twin.requests.list().length;
    const over = new AbortController();
    const known = (await captures()).length;
    const answering = fetch(`${gateway.url}${asked.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        'content-type': 'application/json',
        ...(by === 'its deadline' && { 'x-gateway-timeout': String(DEADLINE_MS / 1000) }),
      },
      body: JSON.stringify({ ...asked.body, stream: way === 'stream', ...(thinks && thinking) }),
      signal: over.signal,
    });
    if (by === 'its deadline') expect(await (await answering).text()).toContain('x-gateway-timeout allows');
    else {
      await until(() => twin.requests.list().length > heard);
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS));
      over.abort();
      await answering.catch(() => undefined);
    }
    await until(async () => (await captures()).length > known);
    const [entry] = (await captures()).slice(known);
    return { charged: entry?.charged, usage: usageOf(entry!) };
  }

  async function captures(): Promise<readonly LedgerEntry[]> {
    await gateway.server.own.flush();
    return gateway.server.parts.store.ledger.entries({ kind: 'capture', limit: 999 });
  }

  it.each(WAYS)(
    'a deadline of the caller’s own costs what hanging up costs ($way, $mode, thinking: $thinks)',
    async (way) => {
      const left = await leave('hanging up', way);
      const late = await leave('its deadline', way);
      const [lateOutput = 0, leftOutput = 0] = [late.usage.outputTokens, left.usage.outputTokens];
      expect({ ...late.usage, outputTokens: 0, reasoningTokens: 0 }).toEqual({
        ...left.usage,
        outputTokens: 0,
        reasoningTokens: 0,
      });
      expect(late.charged).toBeGreaterThan(0);
      // Who reads on knows the vendor's own bill; of a vendor that was cut while it may have generated unseen, nobody knows it.
      if (way.mode === 'drain') {
        expect(late).toEqual(left);
        expect(lateOutput).toBe(twin.ledger.answers('openai').at(-1)?.billed.outputTokens);
        return;
      }
      expect(late.usage.estimated).toBe(true);
      // The first event of a stream comes with its first token.
      if (way.way === 'stream' && !way.thinks) expect([lateOutput, leftOutput]).toEqual([0, 0]);
      else {
        expect(Math.min(lateOutput, leftOutput)).toBeGreaterThan(0);
        expect(Math.max(lateOutput, leftOutput)).toBeLessThan(4096);
        expect(Math.abs(lateOutput - leftOutput)).toBeLessThan(MOST_APART);
      }
    },
  );
});

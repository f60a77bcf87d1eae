/** What is set aside covers what may be billed: for arbitrary bodies and every report that their model's limits allow. */
import { describe, expect, it } from 'vitest';
import { GatewayError, type ChatFormat, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import fc from 'fast-check';
import type { ModelRow, Price } from '../../catalogue.ts';
import { billOf } from '../../money/price.ts';
import { largestUsage, leastUsage, withUncounted, askedFactor, mostOfRow, chatReportBound } from './pricing.ts';
import { boundUsage } from '../../paid/payment.ts';
import { checkBillable } from './reservation.ts';

type Row = Pick<ModelRow, 'limits' | 'price'>;
const LIMITS = { max_input_tokens: 30_000, max_output_tokens: 4_000, max_image_tokens: 1_500, max_web_searches: 4 };

/** A body and what a vendor may say of it, known by who made it. */
interface Made {
  readonly dialect: ChatFormat;
  readonly body: JsonObject;
  readonly outside: boolean;
  /** Bytes of text. */
  readonly text: number;
  readonly images: number;
  readonly audio: number;
  readonly forAnHour: boolean;
  readonly output: number;
}

const TEXTS = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom('1'.repeat(400), '漢字'.repeat(90), '😀'.repeat(70), 'QUJD'.repeat(100), '\u0000'.repeat(50)),
);
const PNG = `data:image/png;base64,${'A'.repeat(600)}`;
const WAV = 'U'.repeat(3_200);
const made = fc
  .record({
    dialect: fc.constantFrom<ChatFormat>('openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'),
    texts: fc.array(TEXTS, { maxLength: 4 }),
    images: fc.nat(3),
    audio: fc.nat(2),
    cap: fc.option(fc.integer({ min: 1, max: 9_000 }), { nil: undefined }),
    otherCap: fc.option(fc.integer({ min: 1, max: 9_000 }), { nil: undefined }),
    answers: fc.integer({ min: 1, max: 4 }),
    forAnHour: fc.boolean(),
    outside: fc.boolean(),
  })
  .map((wish): Made => makers[wish.dialect](wish));
interface Wish {
  readonly dialect: ChatFormat;
  readonly texts: readonly string[];
  readonly images: number;
  readonly audio: number;
  readonly cap: number | undefined;
  readonly otherCap: number | undefined;
  readonly answers: number;
  readonly forAnHour: boolean;
  readonly outside: boolean;
}
const textOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const outputOf = (caps: readonly (number | undefined)[], answers: number): number => {
  const given = caps.filter((cap) => cap !== undefined);
  const most = given.length === 0 ? LIMITS.max_output_tokens : Math.min(LIMITS.max_output_tokens, Math.max(...given));
  return most * answers;
};
/** Without the fields that are undefined. */
const absent = (fields: Readonly<Record<string, Json | undefined>>): JsonObject => {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body[name] = value;
  return body;
};

const makers: Record<ChatFormat, (wish: Wish) => Made> = {
  'openai-chat': ({ dialect, texts, images, audio, cap, otherCap, answers, outside }) => ({
    dialect,
    body: absent({
      messages: [
        {
          role: 'user',
          content: [
            ...texts.map((text) => ({ type: 'text', text })),
            ...times(images, { type: 'image_url', image_url: { url: PNG } }),
            ...times(audio, { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }),
            ...(outside ? [{ type: 'file', file: { file_id: 'f' } }] : []),
          ],
        },
      ],
      max_tokens: cap,
      max_completion_tokens: otherCap,
      n: answers,
    }),
    outside,
    text: textOf(texts),
    images,
    audio: audio * (WAV.length / 16),
    forAnHour: false,
    output: outputOf([cap, otherCap], answers),
  }),
  'openai-responses': ({ dialect, texts, images, cap, outside }) => ({
    dialect,
    body: absent({
      input: [
        {
          role: 'user',
          content: [
            ...texts.map((text) => ({ type: 'input_text', text })),
            ...times(images, { type: 'input_image', image_url: PNG }),
          ],
        },
      ],
      max_output_tokens: cap,
      ...(outside && { previous_response_id: 'resp_1' }),
    }),
    outside,
    text: textOf(texts),
    images,
    audio: 0,
    forAnHour: false,
    output: outputOf([cap], 1),
  }),
  'anthropic-messages': ({ dialect, texts, images, cap, forAnHour, outside }) => ({
    dialect,
    body: absent({
      system: [{ type: 'text', text: '', ...(forAnHour && { cache_control: { type: 'ephemeral', ttl: '1h' } }) }],
      messages: [
        {
          role: 'user',
          content: [
            ...texts.map((text) => ({ type: 'text', text })),
            ...times(images, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }),
          ],
        },
      ],
      max_tokens: cap,
      ...(outside && { container: 'c' }),
    }),
    outside,
    text: textOf(texts),
    images,
    audio: 0,
    forAnHour,
    output: outputOf([cap], 1),
  }),
  'gemini-generate': ({ dialect, texts, images, audio, cap, otherCap, answers, outside }) => ({
    dialect,
    body: {
      contents: [
        {
          parts: [
            ...texts.map((text) => ({ text })),
            ...times(images, { inlineData: { mimeType: 'image/png', data: PNG } }),
            ...times(audio, { inline_data: { mime_type: 'audio/wav', data: WAV } }),
            ...(outside ? [{ fileData: { fileUri: 'gs://a' } }] : []),
          ],
        },
      ],
      generationConfig: absent({
        maxOutputTokens: cap,
        max_output_tokens: otherCap,
        candidateCount: answers,
      }),
    },
    outside,
    text: textOf(texts),
    images,
    audio: audio * (WAV.length / 16),
    forAnHour: false,
    output: outputOf([cap, otherCap], answers),
  }),
};

const cents = fc.integer({ min: 0, max: 3_000 }).map((value) => value / 100);
const maybe = fc.option(cents, { nil: undefined });
const prices = fc
  .record({
    input: cents,
    output: cents,
    cached_input: maybe,
    cache_write: maybe,
    cache_write_1h: maybe,
    reasoning: maybe,
    input_audio: maybe,
    input_image: maybe,
    long_context: fc.option(fc.constant({ above: 5_000, input: 2, output: 1.5 }), { nil: undefined }),
  })
  .map((price) => Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined)) as Price);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const shares = fc.record({
  text: share,
  images: share,
  audio: share,
  output: share,
  cached: share,
  written: share,
  long: share,
  reasoning: share,
});
type Shares = typeof shares extends fc.Arbitrary<infer T> ? T : never;

/** Some report that is true for a body of this kind. */
function reportOf({ outside, text, images, audio, forAnHour, output }: Made, by: Shares): Usage {
  const part = (whole: number, of: number): number => Math.floor(whole * of);
  const context = LIMITS.max_input_tokens;
  const audioTokens = outside ? part(context, by.audio) : part(audio, by.audio);
  const imageTokens = outside
    ? part(context - audioTokens, by.images)
    : part(images * LIMITS.max_image_tokens, by.images);
  const textTokens = outside ? part(context - audioTokens - imageTokens, by.text) : part(text, by.text);
  const inputTokens = Math.min(context, audioTokens + imageTokens + textTokens);
  const outputTokens = part(outside ? Math.max(output, LIMITS.max_output_tokens) : output, by.output);
  const cacheWriteTokens = part(inputTokens, by.written);
  return {
    inputTokens,
    inputAudioTokens: audioTokens,
    inputImageTokens: imageTokens,
    cachedInputTokens: part(inputTokens - cacheWriteTokens, by.cached),
    cacheWriteTokens,
    ...(forAnHour && { cacheWriteLongTokens: part(cacheWriteTokens, by.long) }),
    outputTokens,
    reasoningTokens: part(outputTokens, by.reasoning),
  };
}

it('no report that the limits allow is billed for more than was set aside', () => {
  fc.assert(
    fc.property(made, prices, shares, (body, price, by) => {
      const row: Row = { limits: LIMITS, price };
      const cost = dialects[body.dialect].readCost(body.body);
      const bytes = Buffer.byteLength(JSON.stringify(body.body));
      const setAside = billOf(largestUsage(row, cost, bytes), price, { group: 1 }).units;
      const billed = billOf(reportOf(body, by), price, { group: 1 }).units;
      expect(billed).toBeLessThanOrEqual(setAside);
      expect(billOf(leastUsage(cost, bytes), price, { group: 1 }).units).toBeLessThanOrEqual(setAside);
    }),
    { numRuns: 2_000 },
  );
});

describe('what is set aside', () => {
  const price: Price = { input: 1, output: 10 };
  const row: Row = { limits: LIMITS, price };
  const of = (dialect: ChatFormat, body: JsonObject, given: Row = row): Usage =>
    largestUsage(given, dialects[dialect].readCost(body), Buffer.byteLength(JSON.stringify(body)));
  const said = (content: string): JsonObject => ({ messages: [{ role: 'user', content }], max_tokens: 10 });

  it('counts long text to its end, up to the context', () => {
    const large: Row = { limits: { ...LIMITS, max_input_tokens: 10_000_000 }, price };
    expect(of('openai-chat', said('a'.repeat(5_000_000)), large).inputTokens).toBeGreaterThan(5_000_000);
    expect(of('openai-chat', said('a'.repeat(5_000_000))).inputTokens).toBe(LIMITS.max_input_tokens);
  });

  it('of a short request is small, whatever the model could take', () => {
    expect(of('openai-chat', said('hi'))).toEqual({ inputTokens: expect.any(Number), outputTokens: 10 });
    expect(of('openai-chat', said('hi')).inputTokens).toBeLessThan(200);
  });

  it('of a row without limits is what the largest models take and give', () => {
    const unstated: Row = { limits: {}, price };
    const most = { inputTokens: 1_048_576, outputTokens: 131_072 };
    expect(of('openai-responses', { input: 'a', conversation: 'c', max_output_tokens: 1 }, unstated)).toEqual(most);
    expect(of('openai-responses', { input: 'a' }, unstated).outputTokens).toBe(most.outputTokens);
  });

  it('has the rounds of hosted tools and their searches, where the row tells of them', () => {
    const searching: Row = { limits: { ...LIMITS, max_tool_rounds: 3 }, price: { ...price, web_search: 0.01 } };
    const body = { input: 'a', tools: [{ type: 'web_search' }] };
    expect(of('openai-responses', body, searching)).toMatchObject({ inputTokens: 90_000, webSearches: 4 });
    expect(of('openai-responses', { input: 'a', file_ids: ['f'] }, searching)).toMatchObject({ inputTokens: 30_000 });
  });

  it('has reasoning that a vendor counts beside the cap', () => {
    const thinking: Row = { limits: { ...LIMITS, max_reasoning_tokens: 500 }, price };
    expect(of('openai-chat', said('hi'), thinking).outputTokens).toBe(510);
    expect(mostOfRow(thinking).output).toBe(4_500);
  });
});

describe('a report', () => {
  const price: Price = { input: 1, output: 2 };
  const cost = dialects['openai-chat'].readCost({ messages: [], n: 2 });
  const bound = chatReportBound({ limits: LIMITS, price }, cost);

  it('within the limits is billed as it is', () => {
    const report = { inputTokens: 30_000, outputTokens: 8_000, reasoningTokens: 1 };
    expect(boundUsage(report, bound, price)).toBe(report);
  });

  it('beyond them is billed at them', () => {
    expect(
      boundUsage({ inputTokens: 2 ** 40, outputTokens: 1e300, webSearches: 99, cachedInputTokens: 5 }, bound, {
        ...price,
        web_search: 0.01,
      }),
    ).toEqual({
      inputTokens: 30_000,
      outputTokens: 8_000,
      webSearches: 4,
      cachedInputTokens: 5,
    });
  });

  it('that cannot tell of searches is billed for one, where one was asked for and has a price', () => {
    const searching = dialects['openai-chat'].readCost({ messages: [], web_search_options: {} });
    expect(withUncounted({ outputTokens: 1 }, searching, { web_search: 1 })).toEqual({
      outputTokens: 1,
      webSearches: 1,
    });
    expect(withUncounted({ outputTokens: 1 }, searching, {})).toEqual({ outputTokens: 1 });
    expect(withUncounted({ outputTokens: 1 }, cost, { web_search: 1 })).toEqual({ outputTokens: 1 });
  });
});

describe('what changes the price', () => {
  const asked = (body: JsonObject, price: Price, headers = {}, limits: JsonObject = {}) =>
    askedFactor({ price, limits }, dialects['anthropic-messages'].readCost(body, headers));
  const price: Price = {
    input: 1,
    factors: { speed: { fast: 6 }, inference_geo: { us: 1.1 }, 'anthropic-beta': { 'new-2027-01-01': 3 } },
  };

  it('is multiplied', () => {
    expect(asked({ speed: 'fast', inference_geo: 'us' }, price)).toBeCloseTo(6.6);
  });

  it.each([
    ['unknown is the dearest of the row', { speed: 'warp' }, price, 6],
    [
      'unknown is never cheaper than usual',
      { service_tier: 'x' },
      { input: 1, factors: { service_tier: { flex: 0.5 } } },
      1,
    ],
    ['published is known of a row without factors', { speed: 'fast', inference_geo: 'us' }, { input: 1 }, 6.6],
    ['published is dearer, a tier too', { service_tier: 'priority' }, price, 2],
    ['cheaper elsewhere is not believed', { service_tier: 'flex' }, { input: 1 }, 1],
    ['unknown is as usual where nothing is known', { service_tier: 'constructor' }, price, 1],
  ] satisfies readonly (readonly [string, JsonObject, Price, number])[])(
    'a value that is %s',
    (_name, body, of, factor) => {
      expect(asked(body, of)).toBeCloseTo(factor);
    },
  );

  it('costs nothing where the model costs nothing', () => {
    expect(asked({ speed: 'warp' }, { input: 0 })).toBe(1);
  });

  it.each([
    ['of a row’s is multiplied', 'files-api-2025-04-14, new-2027-01-01', price, 200_000, 3],
    ['that nobody knows is billed as usual', 'x-unknown-2030-01-01,constructor', price, 200_000, 1],
    ['for a longer context is dearer', 'context-1m-2025-08-07', price, 200_000, 2],
    ['for a context that the model has anyway is not', 'context-1m-2025-08-07', price, 1_000_000, 1],
    [
      'for a longer context has the row’s own price',
      'context-1m-2025-08-07',
      { input: 1, factors: { 'anthropic-beta': { 'context-1m-2025-08-07': 1.5 } } },
      200_000,
      1.5,
    ],
    [
      'for a longer context that is priced by its length is no dearer',
      'context-1m-2025-08-07',
      { input: 1, long_context: { above: 200_000, input: 2, output: 1.5 } },
      200_000,
      1,
    ],
  ] as const)('a beta %s', (_, beta, own: Price, context, factor) => {
    expect(asked({}, own, { 'anthropic-beta': beta }, { max_input_tokens: context })).toBe(factor);
  });

  it('a longer context is set aside and may be reported', () => {
    const cost = dialects['anthropic-messages'].readCost({}, { 'anthropic-beta': 'context-1m-2025-08-07' });
    const row = { price, limits: { max_input_tokens: 200_000 } };
    expect(chatReportBound(row, cost).believed.inputTokens).toBe(1_000_000);
    expect(largestUsage(row, { ...cost, outside: 'container' }, 100).inputTokens).toBe(1_000_000);
  });
});

it.each<[ChatFormat, JsonObject, string]>([
  ['openai-responses', { background: true }, 'background'],
  ['openai-responses', { background: 'true' }, 'background'],
  ['openai-chat', { deferred: true }, 'deferred'],
  ['openai-chat', { models: ['dear'] }, 'models'],
])('%s %j is refused whoever answers', (dialect, json, param) => {
  const call = { dialect, body: { json }, headers: {} };
  expect(() => checkBillable(call)).toThrow(GatewayError);
  expect(() => checkBillable(call)).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param } }));
  expect(() => checkBillable({ ...call, body: { json: { [param]: false } } })).not.toThrow();
});

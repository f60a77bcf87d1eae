/** Whatever a vendor reports: what is charged lies between nothing and the bound of the quote, for every paid operation of every kind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { ModelRow, Price } from '../catalogue.ts';
import type { KindModule, OperationId } from '../kind-module.ts';
import { billOf } from '../money/price.ts';
import { runPaid } from '../paid/paid-request.ts';
import { REPORT_TOLERANCE, type Quote } from '../paid/payment.ts';
import { UNTIL_ANSWERED } from '../paid/repeat.ts';
import { payer, pictureRow, watch } from '../paid/testing/harness.ts';
import { newTrace } from '../paid/trace.ts';
import type { Caller } from '../parts.ts';
import type { Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { KINDS } from './index.ts';
import { createVideoPrices } from './video/video-price.ts';

const LIMITS = { max_input_tokens: 30_000, max_output_tokens: 4_000, max_web_searches: 4 };
const message = { role: 'user', content: 'hi' };
const contents: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const generate: JsonObject = { ...contents, generationConfig: { maxOutputTokens: 16 } };
const film: JsonObject = { model: 'm', prompt: 'a kite', duration: 4, seconds: '4' };
/** One request of every operation that costs something. */
const BODIES: Readonly<Partial<Record<OperationId, JsonObject>>> = {
  createChatCompletion: { model: 'm', messages: [message], max_tokens: 16, voice: 'alloy', input: 'hi' },
  createCompletion: { model: 'm', prompt: 'hi', max_tokens: 16 },
  createResponse: { model: 'm', input: 'hi', max_output_tokens: 16 },
  compactResponse: { model: 'm', input: 'hi', max_output_tokens: 16 },
  createMessage: { model: 'm', messages: [message], max_tokens: 16 },
  generateContent: generate,
  streamGenerateContent: generate,
  generateContentV1: generate,
  streamGenerateContentV1: generate,
  createImage: { model: 'm', prompt: 'a kite', n: 2 },
  editImage: { model: 'm', prompt: 'a kite', images: [{ image_url: 'https://a.example/b.png' }] },
  createImageVariation: { model: 'm', image: { file: 'image', size: 68 } },
  generateImages: { instances: [{ prompt: 'a kite' }], parameters: { sampleCount: 2 } },
  generateVideos: { instances: [{ prompt: 'a kite' }], parameters: { durationSeconds: 4 } },
  createSpeech: { model: 'm', input: 'hello', voice: 'alloy' },
  createMusic: { model: 'm', prompt: 'a shanty', seconds: 30 },
  createTranscription: { model: 'm', seconds: 3 },
  createTranslation: { model: 'm', seconds: 3 },
  createVideoTask: film,
  createVideo: film,
  createEmbedding: { model: 'm', input: ['hi', 'there'] },
  createEmbed: { model: 'm', texts: ['hi', 'there'] },
  createEmbedV2: { model: 'm', texts: ['hi', 'there'], embedding_types: ['float', 'int8'] },
  embedContent: { content: { parts: [{ text: 'hi' }] } },
  batchEmbedContents: { requests: [{ content: { parts: [{ text: 'hi' }] } }] },
  createModeration: { model: 'm', input: 'hi' },
  createRerank: { model: 'm', query: 'a', documents: ['b', 'c'] },
};
const OF_KIND: Readonly<Record<string, JsonObject>> = {
  'speech createChatCompletion': {
    model: 'm',
    messages: [{ role: 'assistant', content: 'hello' }],
    audio: { voice: 'alloy', format: 'wav' },
  },
};
const PRICES: readonly (keyof Price)[] = [
  'input',
  'cached_input',
  'cached_input_audio',
  'cached_input_image',
  'cache_write',
  'input_audio',
  'input_image',
  'output',
  'reasoning',
  'output_audio',
  'output_image',
  'output_tokens',
  'image',
  'second',
  'video',
  'character',
  'web_search',
  'search_unit',
];
const COUNTS: readonly (keyof Usage)[] = [
  'inputTokens',
  'cachedInputTokens',
  'cachedInputAudioTokens',
  'cachedInputImageTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
  'outputTokens',
  'reasoningTokens',
  'inputAudioTokens',
  'outputAudioTokens',
  'inputImageTokens',
  'outputImageTokens',
  'webSearches',
  'searchUnits',
  'images',
  'seconds',
  'videos',
  'characters',
];

const anything = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom<unknown>(4000, 99_999_999, 1e12, 1e15, 1e308, -1, -0, '4', 'ten', null, true, {}, [], [4]),
  fc.jsonValue(),
);
const reports = fc.dictionary(fc.constantFrom(...COUNTS), anything) as fc.Arbitrary<Usage>;
const prices = fc.dictionary(
  fc.constantFrom(...PRICES),
  fc.constantFrom(0, 0.000_002, 0.1, 3, 75),
) as fc.Arbitrary<Price>;

const OPERATIONS_OF = KINDS.flatMap((kind) =>
  (Object.keys(kind.quote) as OperationId[]).map((operation) => ({ kind, operation, name: kind.name })),
);

let store: Store;
let call: (signal: AbortSignal) => Caller;
beforeAll(async () => {
  store = await openTestStore();
  // More than what is asked below can cost in all.
  call = await payer(store, 1_000_000_000_000);
});
afterAll(() => store.close());

function rowOf(kind: KindModule, price: Price): ModelRow {
  const [row] = Object.keys(kind.rows) as [ModelRow['kind']];
  const made = pictureRow(1);
  const offers = made.offers.map((offer) => ({ ...offer, dialects: ['openai-chat' as const] }));
  return { ...made, kind: row, price, limits: LIMITS, offers };
}

interface Asked {
  readonly kind: KindModule;
  readonly operation: OperationId;
  readonly row: ModelRow;
}

function bodyFor({ kind, operation }: Pick<Asked, 'kind' | 'operation'>): JsonObject {
  const known = operation.replace(/(?:V[12]|Vertex)$/, '') as OperationId;
  const body = OF_KIND[`${kind.name} ${operation}`] ?? BODIES[operation] ?? BODIES[known];
  if (body === undefined) throw new Error(`${operation} has no request here`);
  return body;
}

/** What a request may cost in all: the bound of its quote. */
function boundOf({ kind, operation, row }: Asked) {
  const quoted = kind.quote[operation]?.(bodyFor({ kind, operation }), row);
  if (quoted === undefined) throw new Error(`${operation} has no quote`);
  const { usage, factors, bound } = quoted;
  const unitsOf = (counts: Usage): number => billOf(counts, row.price, { ...factors, group: 1 }).units;
  const most = bound === undefined ? REPORT_TOLERANCE * unitsOf(usage) : unitsOf(bound().believed);
  const quote: Quote = { most: usage, ...(bound !== undefined && { bound }) };
  return { most, quote, factors };
}

/** What is charged, and the most that may be. */
async function chargeFor({ kind, operation, row }: Asked, reported: Usage): Promise<{ charged: number; most: number }> {
  const { most, quote, factors } = boundOf({ kind, operation, row });
  if (!kind.answersAtOnce) {
    const catalogue = { ...watch(store, row).parts.catalogue(), groupFactors: { default: 1 } };
    const input = { prompt: 'a kite', duration: 4, extra: {} };
    return { charged: createVideoPrices(() => catalogue).settle(row, 'default', reported, input).charged, most };
  }
  const trace = newTrace();
  const { parts, spending } = watch(store, row);
  await runPaid(parts, {
    caller: call(new AbortController().signal),
    row,
    endpoint: '/v1/test',
    trace,
    quote,
    ...(factors !== undefined && { factors }),
    repeat: UNTIL_ANSWERED,
    candidates: row.offers.map((offer) => ({ offer })),
    attempt: async (_, payment) => payment.settle({ usage: reported }),
  });
  await spending.close();
  return { charged: trace.charged, most };
}

describe.each(OPERATIONS_OF)('$name: $operation', ({ kind, operation }) => {
  it('a charge lies between nothing and the bound, whatever is reported', () =>
    fc.assert(
      fc.asyncProperty(prices, reports, async (price, reported) => {
        const { charged, most } = await chargeFor({ kind, operation, row: rowOf(kind, price) }, reported);
        expect(Number.isSafeInteger(charged)).toBe(true);
        expect(charged).toBeGreaterThanOrEqual(0);
        expect(charged).toBeLessThanOrEqual(most);
      }),
      { numRuns: 30, seed: 7 },
    ));
});

const answered = OPERATIONS_OF.filter(({ kind }) => kind.answersAtOnce);
const everyPrice = fc.record(Object.fromEntries(PRICES.map((name) => [name, fc.constantFrom(0.000_002, 0.1, 3)])));
const order = fc.record({ at: fc.nat(answered.length - 1), price: everyPrice });
const request = fc.record({
  /** Which of the orders it repeats. */
  order: fc.nat(1),
  /** Nothing: the most that is believed. */
  reported: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, reports),
  /** Turns of the event loop until the vendor has answered. */
  after: fc.nat(4),
  fails: fc.constantFrom(false, false, false, true),
});

it('requests at once, whatever is reported of them: an owner costs at most the funds and the overdraft, or one worst case', () =>
  fc.assert(
    fc.asyncProperty(
      fc.tuple(order, order),
      fc.array(request, { minLength: 2, maxLength: 16 }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 40 }),
      async (orders, requests, tenthsFunded, tenthsOverdrawn) => {
        const asked = orders.map(({ at, price }) => {
          const { kind, operation } = answered[at]!;
          const row = rowOf(kind, price);
          return { row, ...boundOf({ kind, operation, row }) };
        });
        const funds = 1 + Math.floor((asked[0]!.most * tenthsFunded) / 10);
        const overdraft = Math.floor((asked[0]!.most * tenthsOverdrawn) / 10);
        const poor = await payer(store, funds);
        // As chat says it: a payer of little money may try, and the overdraft covers the rest of the worst case.
        const least: Usage = { inputTokens: 1 };
        const { parts, spending } = watch(store, pictureRow(1), { overdraft });
        let billed = 0;
        const runs = requests.map(async ({ order: at, reported, after, fails }) => {
          const { row, quote, factors } = asked[at]!;
          const trace = newTrace();
          await runPaid(
            { ...parts, router: watch(store, row).router },
            {
              caller: poor(new AbortController().signal),
              row,
              endpoint: '/v1/test',
              trace,
              quote: { ...quote, least },
              ...(factors !== undefined && { factors }),
              repeat: UNTIL_ANSWERED,
              candidates: row.offers.map((offer) => ({ offer })),
              attempt: async (_, payment) => {
                for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve));
                if (fails) throw new GatewayError('upstream_unavailable', 'The vendor is away.');
                return payment.settle({ usage: reported ?? quote.bound?.().believed ?? quote.most });
              },
            },
          );
          billed += trace.charged;
        });
        for (const run of await Promise.allSettled(runs)) {
          if (run.status === 'fulfilled') continue;
          expect(['insufficient_quota', 'upstream_unavailable']).toContain(codeOf(run.reason));
        }
        await spending.close();
        const { ownerId } = poor(new AbortController().signal).key;
        const paid = funds - (await store.owners.get(ownerId))!.balance;
        expect(paid).toBeGreaterThanOrEqual(0);
        // What nobody could pay is a shortfall: billed, never taken.
        expect(paid).toBeLessThanOrEqual(billed);
        expect(paid).toBeLessThanOrEqual(funds + Math.max(overdraft, ...asked.map(({ most }) => most)));
      },
    ),
    { numRuns: 60, seed: 7 },
  ));

function codeOf(reason: unknown): unknown {
  if (!(reason instanceof GatewayError)) throw reason;
  return reason.code;
}

it('a report that is not believed is logged with both numbers, counted, and kept with the bill', async () => {
  const row = { ...pictureRow(1), price: { image: 1 } };
  const { parts, spending } = watch(store, row);
  const said: unknown[] = [];
  const caller = call(new AbortController().signal);
  const ask = (reported: Usage) =>
    runPaid(
      {
        ...parts,
        log: { ...parts.log, warn: (told: unknown) => void said.push(told) },
        meter: { ...parts.meter, count: (name, labels) => void said.push({ name, ...labels }) },
      },
      {
        caller: reported.images === 2 ? call(new AbortController().signal) : caller,
        row,
        endpoint: '/v1/test',
        trace: newTrace(),
        quote: { most: { images: 2 } },
        repeat: UNTIL_ANSWERED,
        candidates: row.offers.map((offer) => ({ offer })),
        attempt: async (_, payment) => payment.settle({ usage: reported }),
      },
    );
  const doubts = (): unknown[] => said.filter((each) => JSON.stringify(each).includes('9000') || isCounted(each));
  await ask({ images: 2 });
  expect(doubts()).toEqual([]);
  await ask({ images: 9000 });
  expect(doubts()).toMatchObject([
    { model: 'm', reported: { images: 9000 }, billed: { images: 2 } },
    { name: 'gateway_usage_reports_capped_total', model: 'm' },
  ]);
  await spending.close();
  const [entry] = await store.ledger.entries({
    requestId: caller.requestId,
    kind: 'capture',
    limit: 1,
  });
  expect(entry?.detail).toMatchObject({ usage: { images: 2 }, reported: { images: 9000 } });
});

function isCounted(each: unknown): boolean {
  return JSON.stringify(each).includes('gateway_usage_reports_capped_total');
}

/** The suites of adapters whose answers come whole: vectors, verdicts, scores. Each asks one adapter over real sockets, and the twin does what vendors do. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '@model-gateway/contracts';
import type {
  EmbeddingCreate,
  ModerationCreate,
  ProviderAdapter,
  RerankCreate,
  Upstream,
} from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { AnswerHarness } from './answer-harness.ts';

export interface WholeConformance {
  /** The vendor's name of the model. */
  readonly model: string;
  /** The account's. */
  readonly settings?: Readonly<Record<string, string>>;
}

const TROUBLES: readonly (readonly [name: string, fault: TwinFault, codes: readonly ErrorCode[]])[] = [
  ['an error of the vendor', { kind: 'status', status: 500 }, ['upstream_unavailable']],
  ['a connection reset', { kind: 'reset' }, ['upstream_unavailable']],
  ['no answer at all', { kind: 'no-answer' }, ['upstream_unavailable']],
  ['an answer cut short', { kind: 'cut', afterBytes: 20 }, ['upstream_unavailable']],
  ['half of the JSON', { kind: 'torn-json' }, ['upstream_malformed']],
  ['bytes that are no JSON', { kind: 'malformed' }, ['upstream_malformed']],
  ['JSON of another kind', { kind: 'status', status: 200, body: [] }, ['upstream_malformed']],
];

interface Suite extends WholeConformance {
  readonly what: string;
  readonly operation: Operation;
  readonly ask: (upstream: Upstream) => Promise<unknown>;
  /** What is wrong with an answer, where an adapter leaves that to core. */
  readonly isEmpty: (answer: unknown) => boolean;
}

function describeWhole(adapter: ProviderAdapter, vendor: TwinVendor, suite: Suite): void {
  const { what, operation, model, settings = {}, ask, isEmpty } = suite;

  describe(`${adapter.id} ${what} against the twin’s ${vendor}: ${model}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation, model, settings });
    beforeAll(() => bench.open());
    beforeEach(() => bench.reset());
    afterEach(() => {
      expect(bench.leaks()).toEqual([]);
    });
    afterAll(() => bench.close());

    it('answers', async () => {
      const answer = await ask(bench.upstream());
      expect(isEmpty(answer)).toBe(false);
      expect(answer).toMatchObject({ dropped: [] });
    });

    it('says when a rate limit will pass', async () => {
      bench.meet({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
      const error = await bench.refused(ask(bench.upstream()), 'upstream_rate_limited');
      expect(error.details.retryAfterSeconds).toBe(7);
    });

    it.each(TROUBLES)('%s is no success', async (_name, fault, codes) => {
      bench.meet(fault);
      const asked = ask(bench.upstream());
      // An adapter may leave it to core to see that there is nothing in an answer.
      const answer = await asked.catch(() => undefined);
      if (answer !== undefined) expect(isEmpty(answer)).toBe(true);
      else await bench.refused(asked, codes);
    });

    it('a refused key is the gateway’s affair, and never shown', async () => {
      const error = await bench.refused(ask(bench.upstream({ wrongKey: true })), 'upstream_rejected_key');
      expect(error.details.vendorCode).toBeUndefined();
    });

    it('a caller who has gone ends the vendor’s work', async () => {
      bench.meet({ kind: 'hang' });
      const gone = new AbortController();
      const attempt = ask(bench.upstream({ signal: gone.signal }));
      setImmediate(() => gone.abort());
      await bench.refused(attempt, 'upstream_unavailable');
    });

    it('a model that the vendor does not know is told from a request that is wrong', async () => {
      await bench.refused(ask(bench.upstream({ model: `no-such-${model}` })), [
        'upstream_rejected_model',
        'upstream_unavailable',
      ]);
    });
  });
}

/** The suite every adapter of embeddings runs: `describeEmbeddingAdapter(ark, 'ark', { model: '…' })`. */
export function describeEmbeddingAdapter(
  adapter: ProviderAdapter,
  vendor: TwinVendor,
  options: WholeConformance,
): void {
  const { embeddings } = adapter;
  if (embeddings === undefined) throw new Error(`${adapter.id} makes no vectors`);
  const texts = ['The tide turns at noon.', 'Invoices are due.'];
  const input: EmbeddingCreate = {
    shape: 'input',
    body: { input: texts },
    inputs: texts.map((content, index) => ({ content, param: `input[${index}]` })),
    encoding: 'float',
    extra: {},
  };
  describeWhole(adapter, vendor, {
    ...options,
    what: 'embeddings',
    operation: 'embedding',
    ask: (upstream) => embeddings.embed(input, upstream),
    isEmpty: (answer) =>
      (answer as Awaited<ReturnType<typeof embeddings.embed>>).vectors.length !== input.inputs.length,
  });
}

/** The suite every adapter of moderation runs. */
export function describeModerationAdapter(
  adapter: ProviderAdapter,
  vendor: TwinVendor,
  options: WholeConformance,
): void {
  const { moderations } = adapter;
  if (moderations === undefined) throw new Error(`${adapter.id} does not moderate`);
  const input: ModerationCreate = {
    input: ['The tide turns.', 'You idiot.'],
    results: 2,
    body: { input: ['The tide turns.', 'You idiot.'] },
  };
  describeWhole(adapter, vendor, {
    ...options,
    what: 'moderation',
    operation: 'moderation',
    ask: (upstream) => moderations.moderate(input, upstream),
    isEmpty: (answer) => (answer as Awaited<ReturnType<typeof moderations.moderate>>).results.length !== input.results,
  });
}

/** The suite every adapter of reranking runs. */
export function describeRerankAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: WholeConformance): void {
  const { rerank } = adapter;
  if (rerank === undefined) throw new Error(`${adapter.id} does not rerank`);
  const input: RerankCreate = {
    query: 'When does the tide turn?',
    documents: ['Bills.', 'The tide turns at noon.'],
    body: { query: 'When does the tide turn?', documents: ['Bills.', 'The tide turns at noon.'] },
    extra: {},
  };
  describeWhole(adapter, vendor, {
    ...options,
    what: 'rerank',
    operation: 'rerank',
    ask: (upstream) => rerank.rerank(input, upstream),
    isEmpty: (answer) => (answer as Awaited<ReturnType<typeof rerank.rerank>>).scores.length !== input.documents.length,
  });
}

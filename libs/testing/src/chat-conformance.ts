/**
 * What every chat adapter must do: find the address, sign, and tell one refusal from another, against the vendor twin over real sockets.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DialectName, ErrorCode, JsonObject } from '@model-gateway/contracts';
import {
  numberAt,
  parseVendorJson,
  readSse,
  type ChatCall,
  type ProviderAdapter,
  type Upstream,
  type UpstreamReply,
} from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { AnswerHarness } from './answer-harness.ts';

export interface ChatConformance {
  readonly dialect: DialectName;
  /** The vendor's name for a model of its own. */
  readonly model: string;
  /** A request this dialect takes, without model and stream. */
  readonly body: JsonObject;
  /** How this dialect asks for a stream in the body; default `{ stream: true }`. */
  readonly streamBody?: JsonObject;
  /** True where the model stands in the body; false where it is in the address. Default true. */
  readonly modelInBody?: boolean;
  /** Something only an answer has. */
  readonly answers: (json: unknown) => unknown;
  /** Where the count of a count request stands; absent where the wire has none. */
  readonly counted?: { readonly body: JsonObject; readonly at: string };
  /** What the twin calls this request. Default `chat`. */
  readonly operation?: Operation;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The suite every chat adapter runs, once per dialect: `describeChatAdapter(anthropic, 'anthropic', { … })`. */
export function describeChatAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: ChatConformance): void {
  const { chat } = adapter;
  if (chat === undefined) throw new Error(`${adapter.id} does not chat`);

  describe(`${adapter.id} chat against the twin’s ${vendor}: ${options.dialect}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation: 'chat', ...options });
    beforeAll(() => bench.open());
    beforeEach(() => bench.reset());
    afterEach(() => {
      expect(bench.leaks()).toEqual([]);
    });
    afterAll(() => bench.close());

    const call = (given: JsonObject, how: Partial<ChatCall> = {}): ChatCall => {
      const model = how.model ?? options.model;
      return {
        dialect: options.dialect,
        purpose: 'generate',
        model,
        stream: false,
        body: Buffer.from(JSON.stringify({ ...(options.modelInBody !== false && { model }), ...given })),
        headers: {},
        settings: options.settings ?? {},
        ...how,
      };
    };
    const answer = (upstream: Upstream = bench.upstream(), how: Partial<ChatCall> = {}) =>
      upstream.send(chat.request(call(options.body, how)));
    const stream = (upstream: Upstream = bench.upstream()) =>
      upstream.stream(
        chat.request(call({ ...options.body, ...(options.streamBody ?? { stream: true }) }, { stream: true })),
      );
    const events = async (body: AsyncIterable<Uint8Array>): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { data } of readSse(body)) seen.push(data);
      return seen;
    };
    const asReply = (data: string): UpstreamReply => ({
      status: 200,
      headers: {},
      body: Buffer.from(data),
      json: parseVendorJson(data),
    });

    it('gets an answer', async () => {
      const { json } = await answer();
      expect(options.answers(json)).toBeTruthy();
    });

    it('gets a stream, no event of which is a refusal', async () => {
      const { body, headers } = await stream();
      expect(headers['content-type']).toContain('text/event-stream');
      const seen = await events(body);
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.filter((data) => adapter.readFault(asReply(data)) !== undefined)).toEqual([]);
    });

    const { counted } = options;
    if (counted !== undefined) {
      it('gets a count', async () => {
        const { json } = await bench.upstream().send(chat.request(call(counted.body, { purpose: 'count' })));
        expect(numberAt(json, counted.at)).toBeGreaterThan(0);
      });
    }

    it('says when a rate limit will pass', async () => {
      bench.meet({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
      const error = await bench.refused(answer(), 'upstream_rate_limited');
      expect(error.details.retryAfterSeconds).toBe(7);
    });

    it.each<{ name: string; fault: TwinFault; code: ErrorCode }>([
      { name: 'a bad request', fault: { kind: 'status', status: 400 }, code: 'invalid_request' },
      { name: 'a lack of permission', fault: { kind: 'status', status: 403 }, code: 'upstream_rejected_key' },
      { name: 'a server fault', fault: { kind: 'status', status: 500 }, code: 'upstream_unavailable' },
      { name: 'an overloaded server', fault: { kind: 'status', status: 503 }, code: 'upstream_unavailable' },
      {
        name: 'an overloaded server by another number',
        fault: { kind: 'status', status: 529 },
        code: 'upstream_unavailable',
      },
      { name: 'a reset connection', fault: { kind: 'reset' }, code: 'upstream_unavailable' },
      { name: 'no answer', fault: { kind: 'no-answer' }, code: 'upstream_unavailable' },
      { name: 'a cut answer', fault: { kind: 'cut', afterBytes: 20 }, code: 'upstream_unavailable' },
    ])('tells $name, plain and streamed', async ({ fault, code }) => {
      bench.meet(fault);
      await bench.refused(answer(), code);
      bench.meet(fault);
      await bench.refused(
        stream().then(({ body }) => events(body)),
        code,
      );
    });

    it('a refused key is the gateway’s affair, and never shown', async () => {
      const error = await bench.refused(answer(bench.upstream({ wrongKey: true })), 'upstream_rejected_key');
      expect(error.details.vendorCode).toBeUndefined();
    });

    it('a model the vendor does not have may be had elsewhere', async () => {
      await bench.refused(answer(bench.upstream(), { model: 'no-such-model' }), [
        'upstream_rejected_model',
        'upstream_unavailable',
      ]);
    });

    it('finds the refusal in the first event of a stream', async () => {
      bench.meet({ kind: 'error-event' });
      const { body } = await stream();
      const [first] = await events(body);
      expect(adapter.readFault(asReply(first ?? ''))?.code).toMatch(/^upstream_/);
    });

    it('a caller who has gone ends the vendor’s work', async () => {
      bench.meet({ kind: 'hang' });
      const gone = new AbortController();
      const attempt = answer(bench.upstream({ signal: gone.signal }));
      setTimeout(() => gone.abort(), 50);
      await bench.refused(attempt, 'upstream_unavailable');
    });
  });
}

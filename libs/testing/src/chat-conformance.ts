/**
 * What every chat adapter must do: find the address, sign, and tell one refusal from another, against the vendor twin over real sockets.
 */
import { describe, expect, it } from 'vitest';
import type { DialectName, ErrorCode, JsonObject } from '@model-gateway/contracts';
import {
  numberAt,
  parseVendorJson,
  readSse,
  type ChatAdapter,
  type ChatCall,
  type Fault,
  type ProviderAdapter,
  type UpstreamReply,
  type UpstreamStream,
} from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { AnswerHarness } from './answer-harness.ts';
import {
  itEndsWithItsCaller,
  itNeverShowsARefusedKey,
  itSaysWhenARateLimitWillPass,
  useHarness,
} from './harness-tests.ts';

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

const TROUBLES: readonly { readonly name: string; readonly fault: TwinFault; readonly code: ErrorCode }[] = [
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
];

/** The suite every chat adapter runs, once per dialect: `describeChatAdapter(anthropic, 'anthropic', { … })`. */
export function describeChatAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: ChatConformance): void {
  const { chat } = adapter;
  if (chat === undefined) throw new Error(`${adapter.id} does not chat`);

  describe(`${adapter.id} chat against the twin’s ${vendor}: ${options.dialect}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation: 'chat', ...options });
    const suite = new ChatSuite(adapter, chat, bench, options);
    useHarness(bench);
    itAnswers(suite);
    itSaysWhenARateLimitWillPass(bench, (upstream) => suite.answer(upstream));
    itTellsTroubles(suite);
    itNeverShowsARefusedKey(bench, (upstream) => suite.answer(upstream));
    itTellsRefusals(suite);
    itEndsWithItsCaller(bench, (upstream) => suite.answer(upstream));
  });
}

class ChatSuite {
  readonly adapter: ProviderAdapter;
  readonly chat: ChatAdapter;
  readonly bench: AnswerHarness;
  readonly options: ChatConformance;

  constructor(adapter: ProviderAdapter, chat: ChatAdapter, bench: AnswerHarness, options: ChatConformance) {
    this.adapter = adapter;
    this.chat = chat;
    this.bench = bench;
    this.options = options;
  }

  call(given: JsonObject, how: Partial<ChatCall> = {}): ChatCall {
    const { options } = this;
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
  }

  answer(upstream = this.bench.upstream(), how: Partial<ChatCall> = {}): Promise<UpstreamReply> {
    return upstream.send(this.chat.request(this.call(this.options.body, how)));
  }

  stream(): Promise<UpstreamStream> {
    const { body, streamBody = { stream: true } } = this.options;
    return this.bench.upstream().stream(this.chat.request(this.call({ ...body, ...streamBody }, { stream: true })));
  }

  /** The refusal that an event of a stream is. */
  refusalIn(data: string): Fault | undefined {
    return this.adapter.readFault({ status: 200, headers: {}, body: Buffer.from(data), json: parseVendorJson(data) });
  }
}

async function dataOf(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { data } of readSse(body)) seen.push(data);
  return seen;
}

function itAnswers(suite: ChatSuite): void {
  const { bench, options } = suite;

  it('gets an answer', async () => {
    const { json } = await suite.answer();
    expect(options.answers(json)).toBeTruthy();
  });

  it('gets a stream, no event of which is a refusal', async () => {
    const { body, headers } = await suite.stream();
    expect(headers['content-type']).toContain('text/event-stream');
    const seen = await dataOf(body);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter((data) => suite.refusalIn(data) !== undefined)).toEqual([]);
  });

  const { counted } = options;
  if (counted !== undefined)
    it('gets a count', async () => {
      const { json } = await bench.upstream().send(suite.chat.request(suite.call(counted.body, { purpose: 'count' })));
      expect(numberAt(json, counted.at)).toBeGreaterThan(0);
    });
}

function itTellsTroubles(suite: ChatSuite): void {
  const { bench } = suite;

  it.each(TROUBLES)('tells $name, plain and streamed', async ({ fault, code }) => {
    bench.meet(fault);
    await bench.refused(suite.answer(), code);
    bench.meet(fault);
    await bench.refused(
      suite.stream().then(({ body }) => dataOf(body)),
      code,
    );
  });
}

function itTellsRefusals(suite: ChatSuite): void {
  const { bench } = suite;

  it('a model the vendor does not have may be had elsewhere', async () => {
    await bench.refused(suite.answer(bench.upstream(), { model: 'no-such-model' }), [
      'upstream_rejected_model',
      'upstream_unavailable',
    ]);
  });

  it('finds the refusal in the first event of a stream', async () => {
    bench.meet({ kind: 'error-event' });
    const { body } = await suite.stream();
    const [first] = await dataOf(body);
    expect(suite.refusalIn(first ?? '')?.code).toMatch(/^upstream_/);
  });
}

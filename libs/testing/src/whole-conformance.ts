/** The suites of adapters whose answers come whole: vectors, verdicts, scores, transcripts. Each asks one adapter over real sockets, and the twin does what vendors do. */
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '@model-gateway/contracts';
import type {
  EmbeddingCreate,
  ModerationCreate,
  ProviderAdapter,
  RerankCreate,
  TranscriptEvent,
  TranscriptionAdapter,
  TranscriptionCreate,
  Upstream,
} from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { AnswerHarness } from './answer-harness.ts';
import { itNeverShowsARefusedKey, itSaysWhenARateLimitWillPass, useHarness } from './harness-tests.ts';

export interface WholeConformance {
  /** The vendor's name of the model. */
  readonly model: string;
  /** The account's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the vendor asks for no model: what an offer calls it is not sent. */
  readonly isOneModel?: true;
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
  readonly more?: (bench: AnswerHarness) => void;
}

function describeWhole(adapter: ProviderAdapter, vendor: TwinVendor, suite: Suite): void {
  const { what, operation, model, settings = {}, ask, isEmpty, more, isOneModel } = suite;

  describe(`${adapter.id} ${what} against the twin’s ${vendor}: ${model}`, () => {
    const bench = new AnswerHarness(adapter, vendor, { operation, model, settings });
    useHarness(bench);

    it('answers', async () => {
      const answer = await ask(bench.upstream());
      expect(isEmpty(answer)).toBe(false);
      expect(answer).toMatchObject({ dropped: [] });
    });

    itSaysWhenARateLimitWillPass(bench, ask);

    it.each(TROUBLES)('%s is no success', async (_name, fault, codes) => {
      bench.meet(fault);
      const asked = ask(bench.upstream());
      // An adapter may leave it to core to see that there is nothing in an answer.
      const answer = await asked.catch(() => undefined);
      if (answer !== undefined) expect(isEmpty(answer)).toBe(true);
      else await bench.refused(asked, codes);
    });

    itNeverShowsARefusedKey(bench, ask);

    it('a caller who has gone ends the vendor’s work', async () => {
      bench.meet({ kind: 'hang' });
      const gone = new AbortController();
      const attempt = ask(bench.upstream({ signal: gone.signal }));
      setImmediate(() => gone.abort());
      await bench.refused(attempt, 'upstream_unavailable');
    });

    if (isOneModel !== true)
      it('a model that the vendor does not know is told from a request that is wrong', async () => {
        await bench.refused(ask(bench.upstream({ model: `no-such-${model}` })), [
          'upstream_rejected_model',
          'upstream_unavailable',
        ]);
      });

    more?.(bench);
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

const recordings = new Map<string, Buffer>();

/** A WAV file of a tone that lasts so long, or of silence. */
export function recordingOf(seconds: number, { silent = false }: { readonly silent?: boolean } = {}): Buffer {
  const name = `${seconds} ${silent}`;
  const made = recordings.get(name) ?? makeRecording(seconds, silent);
  // A tone of a minute takes as much CPU as starting two gateways.
  recordings.set(name, made);
  return Buffer.from(made);
}

function makeRecording(seconds: number, silent: boolean): Buffer {
  const rate = 16_000;
  const samples = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let at = 0; !silent && at < samples; at += 1)
    bytes.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / rate)), 44 + at * 2);
  return bytes;
}

/** A recording in the neutral form; everything not given is absent. */
export function transcriptionCreate(
  sound: Buffer,
  seconds: number,
  given: Partial<TranscriptionCreate> = {},
): TranscriptionCreate {
  return {
    task: 'transcribe',
    file: {
      filename: 'audio.wav',
      mime: 'audio/wav',
      size: sound.byteLength,
      open: async function* () {
        yield sound;
      },
    },
    seconds,
    form: 'json',
    granularities: [],
    include: [],
    extra: [],
    ...given,
  };
}

export interface TranscriptionConformance extends WholeConformance {
  /** Whether the vendor tells speakers. */
  readonly speakers: boolean;
  /** False where the vendor does not tell when words are said. Default true. */
  readonly times?: boolean;
}

const RECORDED_SECONDS = 9;

/** The suite every adapter of transcription runs that makes OpenAI's forms of what its vendor heard. */
export function describeTranscriptionAdapter(
  adapter: ProviderAdapter,
  vendor: TwinVendor,
  { speakers, times = true, ...options }: TranscriptionConformance,
): void {
  const { transcriptions } = adapter;
  if (transcriptions === undefined) throw new Error(`${adapter.id} writes no transcripts`);
  const sound = recordingOf(RECORDED_SECONDS);
  const asked = (given: Partial<TranscriptionCreate> = {}) => transcriptionCreate(sound, RECORDED_SECONDS, given);
  describeWhole(adapter, vendor, {
    ...options,
    what: 'transcription',
    operation: 'transcription',
    ask: (upstream) => transcriptions.transcribe(asked(), upstream),
    isEmpty: (answer) => (answer as Awaited<ReturnType<typeof transcriptions.transcribe>>).body.text === '',
    more(bench) {
      const transcribe = (given: Partial<TranscriptionCreate>) =>
        transcriptions.transcribe(asked(given), bench.upstream());
      const suite = { transcriptions, bench, asked, transcribe };
      itWritesForms(suite, { speakers, times });
      itStreamsTranscripts(suite);
      itNamesWhatItDrops(suite);
    },
  });
}

interface TranscriptionSuite {
  readonly transcriptions: TranscriptionAdapter;
  readonly bench: AnswerHarness;
  readonly asked: (given?: Partial<TranscriptionCreate>) => TranscriptionCreate;
  readonly transcribe: (given: Partial<TranscriptionCreate>) => ReturnType<TranscriptionAdapter['transcribe']>;
}

function itWritesForms(
  { transcriptions, bench, transcribe }: TranscriptionSuite,
  { speakers, times }: { readonly speakers: boolean; readonly times: boolean },
): void {
  it('tells the length of the recording, and nothing beside the text where JSON is asked for', async () => {
    const { body, usage } = await transcribe({});
    expect(Object.keys(body).filter((name) => name !== 'usage')).toEqual(['text']);
    expect(usage.seconds).toBeCloseTo(RECORDED_SECONDS, 1);
  });

  it('times segments and words within the recording', async () => {
    const { body } = await transcribe({ form: 'verbose_json', granularities: ['word', 'segment'] });
    expect(body).toMatchObject({ task: 'transcribe', duration: expect.closeTo(RECORDED_SECONDS, 1) });
    const [segments, words] = [timesIn(body['segments']), timesIn(body['words'])];
    if (!times) return;
    expect(segments.length).toBeGreaterThan(1);
    expect(words.length).toBeGreaterThan(segments.length);
    for (const list of [segments, words]) {
      expect(list).toEqual(list.toSorted((left, right) => left.start - right.start));
      expect(list.every(({ start, end }) => start >= 0 && end > start && end <= RECORDED_SECONDS + 0.1)).toBe(true);
    }
    expect(segments.map(({ text }) => text).join(' ')).toBe(body.text);
    expect(words.map(({ word }) => word).join(' ')).toBe(body.text);
  });

  it('leaves words away that nobody asked for', async () => {
    const { body } = await transcribe({ form: 'verbose_json' });
    expect(body).not.toHaveProperty('words');
  });

  if (speakers)
    it('names speakers as OpenAI does', async () => {
      const { body } = await transcribe({ form: 'diarized_json' });
      const names = timesIn(body['segments']).map(({ speaker }) => speaker);
      expect([...new Set(names)]).toEqual(['A', 'B']);
    });

  it('hears nothing in silence', async () => {
    const silence = recordingOf(2, { silent: true });
    const reply = await transcriptions.transcribe(
      transcriptionCreate(silence, 2, { form: 'verbose_json' }),
      bench.upstream(),
    );
    expect(reply.body).toMatchObject({ text: '', segments: [] });
  });
}

function itStreamsTranscripts({ transcriptions, bench, asked }: TranscriptionSuite): void {
  it('sends a whole transcript as the events of a stream', async () => {
    const events: TranscriptEvent[] = [];
    for await (const event of transcriptions.stream(asked(), bench.upstream())) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['started', 'delta', 'done']);
    expect(events.at(-1)).toMatchObject({ usage: { seconds: expect.closeTo(RECORDED_SECONDS, 1) } });
  });
}

function itNamesWhatItDrops({ bench, transcribe }: TranscriptionSuite): void {
  it('names what it does not send, and does not send it', async () => {
    const { dropped } = await transcribe({
      extra: [
        ['no_such_field', 'kept-away'],
        ['no_such_field', 'kept-away'],
      ],
    });
    expect(dropped).toEqual(['no_such_field']);
    expect(bench.lastRequest()).not.toMatch(/kept-away/);
  });
}

interface Timed {
  readonly start: number;
  readonly end: number;
  readonly text?: string;
  readonly word?: string;
  readonly speaker?: string;
}

function timesIn(list: unknown): readonly Timed[] {
  return Array.isArray(list) ? (list as Timed[]) : [];
}

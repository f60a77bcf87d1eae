/**
 * What every video adapter must do, whatever its vendor's wire is: run against the vendor twin over real sockets, in controlled time.
 */
import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, VideoAdapter, VideoCreate, VideoProgress } from '@model-gateway/provider-kit';
import type { TwinVendor } from '@model-gateway/vendor-twin';
import { useHarness } from './harness-tests.ts';
import { videoCreate } from './scripted-vendor.ts';
import { SURELY_DONE_MS, TaskHarness } from './task-harness.ts';

export interface VideoConformance {
  /** The vendor's name for a model of its own. */
  readonly model: string;
  /** A create this vendor takes: in its own shape, with this prompt. */
  readonly input: (prompt: string) => Partial<VideoCreate>;
  readonly settings?: Readonly<Record<string, string>>;
  /** False where the wire has no status word that could be unknown (Google says done or not). Default true. */
  readonly statusWords?: boolean;
  /** How a cancelled task looks to the next poll. Default `failed`. */
  readonly afterCancel?: 'failed' | 'missing';
  /** False where polls answer with an HTTP status of their own (xAI's 202 without a body). Default true. */
  readonly jsonWhileRunning?: boolean;
}

/** The twin's ± 15 % around its three seconds leave this certain. */
const MIDWAY_MS = 2000;

/** The suite every video adapter runs: `describeVideoAdapter(ark, 'ark', { … })`. */
export function describeVideoAdapter(adapter: ProviderAdapter, vendor: TwinVendor, options: VideoConformance): void {
  const { videos } = adapter;
  if (videos === undefined) throw new Error(`${adapter.id} has no videos`);

  describe(`${adapter.id} against the twin’s ${vendor}`, () => {
    const suite = new VideoSuite(videos, new TaskHarness(adapter, vendor, options), { vendor, options });
    useHarness(suite.bench);
    itRunsJobs(suite);
    itTellsRateLimits(suite);
    itSurvivesUnreadableReplies(suite);
    itKnowsWhetherAJobWasTaken(suite);
    itReadsStates(suite);
    itNeverShowsARefusedKey(suite);
    itCancels(suite);
    itReconciles(suite);
    itRefreshes(suite);
  });
}

class VideoSuite {
  readonly videos: VideoAdapter;
  readonly bench: TaskHarness;
  readonly vendor: TwinVendor;
  readonly options: VideoConformance;

  constructor(
    videos: VideoAdapter,
    bench: TaskHarness,
    { vendor, options }: { readonly vendor: TwinVendor; readonly options: VideoConformance },
  ) {
    this.videos = videos;
    this.bench = bench;
    this.vendor = vendor;
    this.options = options;
  }

  start(upstream = this.bench.upstream()): ReturnType<VideoAdapter['start']> {
    const { options, bench } = this;
    const input = videoCreate({ ...options.input(bench.prompt), dedupeKey: bench.dedupeKey });
    return this.videos.start(input, upstream);
  }

  async check(ticket: JsonObject): Promise<VideoProgress> {
    return this.bench.seen(await this.videos.check(ticket, this.bench.upstream()));
  }
}

function itRunsJobs(suite: VideoSuite): void {
  const { bench, vendor } = suite;

  it('starts one job, with a ticket that survives being stored', async () => {
    const { ticket, dropped } = await suite.start();
    expect(dropped).toEqual([]);
    expect(JSON.parse(JSON.stringify(ticket))).toEqual(ticket);
    expect(bench.newJobs()).toMatchObject([{ state: 'queued' }]);
    expect(bench.newJobs()[0]?.prompt).toContain(bench.prompt);
    expect(JSON.stringify(ticket)).toContain(bench.newJobs()[0]?.id);
  });

  it('queues, runs, succeeds with a video that plays, and bills what the vendor bills', async () => {
    const { ticket } = await suite.start();
    expect(['queued', 'running']).toContain((await suite.check(ticket)).state);
    bench.pass(MIDWAY_MS);
    const midway = await suite.check(ticket);
    expect(midway).toMatchObject({ state: 'running' });
    if (midway.state === 'running' && midway.percent !== undefined) {
      expect(midway.percent).toBeGreaterThanOrEqual(0);
      expect(midway.percent).toBeLessThanOrEqual(99);
    }
    bench.pass(SURELY_DONE_MS);
    const done = await suite.check(ticket);
    if (done.state !== 'succeeded') throw new Error(`it is ${done.state}, not succeeded`);
    const billed = bench.newJobs()[0]?.billed ?? {};
    for (const name of ['outputTokens', 'seconds', 'videos'] as const) {
      if (billed[name] !== undefined && done.usage[name] !== undefined) expect(done.usage[name]).toBe(billed[name]);
    }
    expect(done.usage.outputTokens ?? done.usage.seconds ?? done.usage.videos).toBeGreaterThan(0);
    const [file] = done.files;
    if (file === undefined) throw new Error('no file');
    expect(file.mime).toMatch(/^video\//);
    expect((await bench.bytesOf(file)).subarray(4, 8).toString('latin1')).toBe('ftyp');
    // A finished task stays finished.
    expect((await suite.check(ticket)).state).toBe('succeeded');
  });

  it('a job that fails is a failed task with a reason', async () => {
    bench.twin.faults.next(vendor, 'create', { kind: 'fail' });
    const { ticket } = await suite.start();
    bench.pass(SURELY_DONE_MS);
    const ended = await suite.check(ticket);
    if (ended.state !== 'failed') throw new Error(`it is ${ended.state}, not failed`);
    expect(ended.fault.message).not.toBe('');
    expect(ended.fault.code).not.toBe('content_refused');
    expect(bench.newJobs()[0]?.billed).toBeUndefined();
  });

  it('content refused after the job was taken is a failed task that says so', async () => {
    bench.twin.faults.next(vendor, 'create', { kind: 'moderation' });
    const { ticket } = await suite.start();
    bench.pass(SURELY_DONE_MS);
    expect(await suite.check(ticket)).toMatchObject({ state: 'failed', fault: { code: 'content_refused' } });
  });
}

function itTellsRateLimits(suite: VideoSuite): void {
  const { bench, vendor } = suite;

  it('W2: 429 on create: nothing was taken, and when to come back', async () => {
    bench.twin.faults.next(vendor, 'create', { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const error = await bench.refused(suite.start(), 'upstream_rate_limited');
    expect(error.details).toMatchObject({ taken: 'no', retryAfterSeconds: 7 });
    expect(bench.newJobs()).toEqual([]);
  });

  it('W6: 429 on poll is the poll’s trouble, not the task’s', async () => {
    const { ticket } = await suite.start();
    bench.twin.faults.next(vendor, 'poll', { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const error = await bench.refused(suite.check(ticket), 'upstream_rate_limited');
    expect(error.details.retryAfterSeconds).toBe(7);
    bench.pass(SURELY_DONE_MS);
    expect((await suite.check(ticket)).state).toBe('succeeded');
  });
}

function itSurvivesUnreadableReplies(suite: VideoSuite): void {
  const { bench, vendor, options } = suite;

  it.each([500, 503])('W2, W6: %i on create: perhaps taken; on poll: the task lives on', async (status) => {
    bench.twin.faults.next(vendor, 'create', { kind: 'status', status });
    const error = await bench.refused(suite.start(), ['upstream_unavailable', 'upstream_timeout']);
    expect(error.details.taken).toBe('unknown');
    bench.forget();
    const { ticket } = await suite.start();
    bench.twin.faults.next(vendor, 'poll', { kind: 'status', status });
    await bench.refused(suite.check(ticket), ['upstream_unavailable', 'upstream_timeout']);
    expect(['queued', 'running']).toContain((await suite.check(ticket)).state);
  });

  it.each(['torn-json', 'malformed'] as const)('W2: %s on create: perhaps taken', async (kind) => {
    bench.twin.faults.next(vendor, 'create', { kind });
    const error = await bench.refused(suite.start(), 'upstream_malformed');
    expect(error.details.taken).toBe('unknown');
    expect(bench.newJobs()).toHaveLength(1);
  });

  it.each(['torn-json', 'malformed'] as const)('W6: %s on poll never ends a task', async (kind) => {
    const { ticket } = await suite.start();
    if (options.jsonWhileRunning === false) bench.pass(SURELY_DONE_MS);
    bench.twin.faults.next(vendor, 'poll', { kind });
    await bench.refused(suite.check(ticket), 'upstream_malformed');
    bench.pass(SURELY_DONE_MS);
    expect((await suite.check(ticket)).state).toBe('succeeded');
  });
}

function itKnowsWhetherAJobWasTaken(suite: VideoSuite): void {
  const { bench, vendor } = suite;

  it('a refused connection took nothing', async () => {
    const error = await bench.refused(suite.start(bench.unreachable()), 'upstream_unavailable');
    expect(error.details.taken).toBe('no');
  });

  it.each(['no-answer', 'reset', 'cut'] as const)('a connection that ends in %s may have taken it', async (kind) => {
    bench.twin.faults.next(vendor, 'create', kind === 'cut' ? { kind, afterBytes: 5 } : { kind });
    const error = await bench.refused(suite.start(), ['upstream_unavailable', 'upstream_malformed']);
    expect(error.details.taken).toBe('unknown');
    expect(bench.newJobs()).toHaveLength(kind === 'reset' ? 0 : 1);
  });

  it('silence may have taken it', async () => {
    bench.twin.faults.next(vendor, 'create', { kind: 'hang' });
    const error = await bench.refused(suite.start(bench.upstream({ firstByteSeconds: 0.2 })), 'upstream_timeout');
    expect(error.details.taken).toBe('unknown');
  });
}

function itReadsStates(suite: VideoSuite): void {
  const { bench, vendor, options } = suite;

  if (options.statusWords !== false)
    it('W7: a word nobody documented is told as it is', async () => {
      const { ticket } = await suite.start();
      bench.twin.faults.next(vendor, 'poll', { kind: 'unknown-status', word: 'pondering' });
      expect(await suite.check(ticket)).toMatchObject({ state: 'unknown', word: 'pondering' });
    });

  it('a task the vendor does not know is missing', async () => {
    const { ticket } = await suite.start();
    bench.pass(3_600_000);
    const id = bench.newJobs()[0]?.id ?? '';
    const foreign = JSON.parse(JSON.stringify(ticket).replaceAll(id, `no-such-${id}`)) as JsonObject;
    expect(await suite.check(foreign)).toMatchObject({ state: 'missing' });
  });
}

function itNeverShowsARefusedKey(suite: VideoSuite): void {
  const { bench } = suite;

  it('a refused key is the gateway’s affair, and never shown', async () => {
    const error = await bench.refused(suite.start(bench.upstream({ wrongKey: true })), 'upstream_rejected_key');
    expect(error.details.taken).toBe('no');
    expect(error.details.vendorCode).toBeUndefined();
    expect(bench.newJobs()).toEqual([]);
  });
}

function itCancels(suite: VideoSuite): void {
  const { bench, options, videos } = suite;
  const { cancel } = videos;
  if (cancel === undefined) return;

  it('cancels what is queued', async () => {
    const { ticket } = await suite.start();
    await cancel.call(videos, ticket, bench.upstream());
    expect(['cancelled', undefined]).toContain(bench.newJobs()[0]?.state);
    expect((await suite.check(ticket)).state).toBe(options.afterCancel ?? 'failed');
  });

  it('what runs or has ended stays as it is', async () => {
    const { ticket } = await suite.start();
    bench.pass(MIDWAY_MS);
    await bench.refused(cancel.call(videos, ticket, bench.upstream()), 'conflict');
    expect((await suite.check(ticket)).state).toBe('running');
    bench.pass(SURELY_DONE_MS);
    await bench.refused(cancel.call(videos, ticket, bench.upstream()), 'conflict');
    expect((await suite.check(ticket)).state).toBe('succeeded');
  });
}

function itReconciles(suite: VideoSuite): void {
  const { bench, vendor, videos } = suite;
  const { reconcile } = videos;
  if (reconcile === undefined) return;

  it('W2: finds the job of an unanswered create by its key, and nobody else’s', async () => {
    bench.twin.faults.next(vendor, 'create', { kind: 'no-answer' });
    const submittedAt = bench.now();
    await bench.refused(suite.start(), ['upstream_unavailable', 'upstream_malformed']);
    bench.pass(SURELY_DONE_MS);
    const known = { dedupeKey: bench.dedupeKey, submittedAt };
    const ticket = await reconcile.call(videos, known, bench.upstream());
    if (ticket === undefined) throw new Error('not found');
    expect((await suite.check(ticket)).state).toBe('succeeded');
    const unknown = { dedupeKey: 'nobodys-key-0123456789', submittedAt };
    expect(await reconcile.call(videos, unknown, bench.upstream())).toBeUndefined();
  });

  it('W2: the same key twice is one job', async () => {
    const first = await suite.start();
    const second = await suite.start().catch((error: unknown) => error);
    if (second instanceof GatewayError) expect(second.details.taken).toBe('unknown');
    else expect(second).toMatchObject({ ticket: first.ticket });
    expect(bench.newJobs()).toHaveLength(1);
  });
}

function itRefreshes(suite: VideoSuite): void {
  const { bench, videos } = suite;
  const { refresh } = videos;
  if (refresh === undefined) return;

  it('gives a fresh link to a finished video', async () => {
    const { ticket } = await suite.start();
    bench.pass(SURELY_DONE_MS);
    await suite.check(ticket);
    const [file] = await refresh.call(videos, ticket, bench.upstream());
    if (file === undefined) throw new Error('no file');
    expect((await bench.bytesOf(file)).subarray(4, 8).toString('latin1')).toBe('ftyp');
  });
}

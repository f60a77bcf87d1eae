import type { MediaFile, ProviderAdapter, Upstream, VideoProgress } from '@model-gateway/provider-kit';
import type { LedgerJob, TwinVendor } from '@model-gateway/vendor-twin';
import { TwinHarness } from './twin-harness.ts';

const START = 1_790_000_000_000;
/** The twin's ± 15 % around its three seconds leave this certain. */
export const SURELY_DONE_MS = 4000;

export interface TaskHarnessOptions {
  /** The vendor's name for a model of its own. */
  readonly model: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The bench of what takes its time, videos and subjects: jobs are counted, and the clock is the test's. */
export class TaskHarness extends TwinHarness {
  readonly #options: TaskHarnessOptions;
  readonly #clock: { now: number };
  #round = 0;
  #jobsBefore = 0;

  constructor(adapter: ProviderAdapter, vendor: TwinVendor, options: TaskHarnessOptions) {
    const clock = { now: START };
    super(adapter, vendor, { clock: () => clock.now, media: 'tiny' });
    this.#clock = clock;
    this.#options = options;
  }

  now(): number {
    return this.#clock.now;
  }

  pass(ms: number): void {
    this.#clock.now += ms;
  }

  override reset(): void {
    super.reset();
    this.forget();
  }

  /** Jobs so far no longer count; a new key and prompt from here on. */
  forget(): void {
    this.#round += 1;
    this.#jobsBefore = this.twin.ledger.jobs(this.vendor).length;
  }

  get prompt(): string {
    return `A paper boat, take ${this.#round}`;
  }

  get dedupeKey(): string {
    return `conformance-key-${this.#round}-0123456789`;
  }

  newJobs(): readonly LedgerJob[] {
    return this.twin.ledger.jobs(this.vendor).slice(this.#jobsBefore);
  }

  upstream(how: { readonly wrongKey?: boolean; readonly firstByteSeconds?: number } = {}): Upstream {
    return this.connect({ ...this.#options, ...how });
  }

  /** An address where nobody listens: port 1 is nobody's. */
  unreachable(): Upstream {
    return this.connect({ ...this.#options, baseUrl: this.twin.baseUrl(this.vendor).replace(/:\d+/, ':1') });
  }

  seen(progress: VideoProgress): VideoProgress {
    this.show(progress.payload);
    if (progress.state === 'failed') this.show(progress.fault);
    return progress;
  }

  async bytesOf(file: MediaFile): Promise<Buffer> {
    if ('bytes' in file) return Buffer.from(file.bytes);
    const { body, status } = await this.upstream().stream({ method: 'GET', path: '', url: file.url });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    if (status !== 200) throw new Error(`${file.url} answered ${status}`);
    return Buffer.concat(chunks);
  }
}

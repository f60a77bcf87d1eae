/** The bench of the adapter suites: the vendor twin over real sockets, in controlled time. */
import { GatewayError, type ErrorCode, type Json } from '@model-gateway/contracts';
import {
  createMediaDoor,
  createUpstreamPools,
  openUpstream,
  type Account,
  type MediaDoor,
  type MediaFile,
  type ProviderAdapter,
  type Upstream,
  type UpstreamPools,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { startVendorTwin, type LedgerJob, type TwinVendor, type VendorTwin } from '@model-gateway/vendor-twin';

const START = 1_790_000_000_000;
const ACCOUNT_NAME = 'the-operators-own-name';

export interface BenchOptions {
  /** The vendor's name for a model of its own. */
  readonly model: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** One twin, one account, one clock: where a suite of adapter tests runs. */
export class Bench {
  readonly #adapter: ProviderAdapter;
  readonly #vendor: TwinVendor;
  readonly #options: BenchOptions;
  #twin: VendorTwin | undefined;
  #pools: UpstreamPools | undefined;
  #door: MediaDoor | undefined;
  #now = START;
  #round = 0;
  #jobsBefore = 0;
  #shown: string[] = [];

  constructor(adapter: ProviderAdapter, vendor: TwinVendor, options: BenchOptions) {
    this.#adapter = adapter;
    this.#vendor = vendor;
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#pools = createUpstreamPools();
    this.#twin = await startVendorTwin({ clock: () => this.#now, media: 'tiny' });
    this.#door = createMediaDoor({ allowPrivate: [new URL(this.#twin.url).host, '127.0.0.1'] });
  }

  async close(): Promise<void> {
    await this.#pools?.close();
    await this.#door?.close();
    await this.#twin?.close();
  }

  get twin(): VendorTwin {
    if (this.#twin === undefined) throw new Error('not open');
    return this.#twin;
  }

  now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  reset(): void {
    this.#round += 1;
    this.#shown = [];
    this.twin.faults.clear();
    this.twin.requests.clear();
    this.forget();
  }

  /** Jobs so far no longer count; a new key and prompt from here on. */
  forget(): void {
    this.#round += 1;
    this.#jobsBefore = this.twin.ledger.jobs(this.#vendor).length;
  }

  get prompt(): string {
    return `A paper boat, take ${this.#round}`;
  }

  get dedupeKey(): string {
    return `conformance-key-${this.#round}-0123456789`;
  }

  newJobs(): readonly LedgerJob[] {
    return this.twin.ledger.jobs(this.#vendor).slice(this.#jobsBefore);
  }

  upstream(how: { readonly wrongKey?: boolean; readonly firstByteSeconds?: number } = {}): Upstream {
    return this.#open(
      this.#account(this.twin.baseUrl(this.#vendor), how.wrongKey ?? false),
      how.firstByteSeconds ?? 10,
    );
  }

  /** An address where nobody listens: port 1 is nobody's. */
  unreachable(): Upstream {
    const base = this.twin.baseUrl(this.#vendor).replace(/:\d+/, ':1');
    return this.#open(this.#account(base, false), 10);
  }

  #open(account: Account, firstByteSeconds: number): Upstream {
    const [pools, mediaDoor] = [this.#pools, this.#door];
    if (pools === undefined || mediaDoor === undefined) throw new Error('not open');
    return openUpstream({
      account,
      adapter: this.#adapter,
      model: this.#options.model,
      quirks: {},
      deadlines: { connect: 2, firstByte: firstByteSeconds, idle: 5 },
      pools,
      mediaDoor,
      now: () => this.#now,
    });
  }

  #account(baseUrl: string, wrongKey: boolean): Account {
    const known = this.twin.credentials(this.#vendor);
    const wrong = Object.entries(known).map(([name, value]) => [
      name,
      /^(?:api_key|secret_key|secret_id|access_key|client_email)$/.test(name) ? `wrong-${value}` : value,
    ]);
    return {
      id: 7,
      name: ACCOUNT_NAME,
      vendor: this.#adapter.id,
      baseUrl,
      credentials: wrongKey ? (Object.fromEntries(wrong) as Record<string, string>) : known,
      settings: this.#options.settings ?? {},
    };
  }

  /** The error of an attempt that must be refused with one of these codes. */
  async refused(attempt: Promise<unknown>, code: ErrorCode | readonly ErrorCode[]): Promise<GatewayError> {
    const outcome = await attempt.then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (!('error' in outcome)) throw new Error(`not refused, but ${JSON.stringify(outcome.value)}`);
    const { error } = outcome;
    if (!(error instanceof GatewayError)) throw error;
    this.#shown.push(JSON.stringify([error.message, error.details.vendorCode, error.details.param]));
    const expected: readonly string[] = typeof code === 'string' ? [code] : code;
    if (!expected.includes(error.code)) {
      throw new Error(`refused as ${error.code} (${error.message}), not as ${expected.join(' or ')}`, { cause: error });
    }
    return error;
  }

  seen(progress: VideoProgress): VideoProgress {
    this.#shown.push(JSON.stringify(progress.payload satisfies Json));
    if (progress.state === 'failed') this.#shown.push(JSON.stringify(progress.fault));
    return progress;
  }

  /** Secrets and names that came out in an error or a payload of this test. */
  leaks(): string[] {
    const secrets = Object.entries(this.twin.credentials(this.#vendor))
      .filter(([name, value]) => name !== 'sub_app_id' && name !== 'type' && value.length >= 6)
      .flatMap(([name, value]) => (name === 'private_key' ? value.split('\n').slice(1, 3) : [value]));
    return [...secrets, ACCOUNT_NAME].filter((secret) => this.#shown.some((text) => text.includes(secret)));
  }

  async bytesOf(file: MediaFile): Promise<Buffer> {
    if ('bytes' in file) return Buffer.from(file.bytes);
    const base = this.twin.baseUrl(this.#vendor);
    const { body, status } = await this.upstream().stream({ method: 'GET', path: '', url: file.url });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    if (status !== 200) throw new Error(`${file.url.replace(base, '')} answered ${status}`);
    return Buffer.concat(chunks);
  }
}

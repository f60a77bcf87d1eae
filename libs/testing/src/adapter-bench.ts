import { GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import {
  createMediaDoor,
  createUpstreamPools,
  openUpstream,
  type MediaDoor,
  type MediaFile,
  type ProviderAdapter,
  type Upstream,
  type UpstreamPools,
} from '@model-gateway/provider-kit';
import {
  startVendorTwin,
  type Operation,
  type TwinFault,
  type TwinVendor,
  type VendorTwin,
} from '@model-gateway/vendor-twin';

const ACCOUNT_NAME = 'the-operators-own-name';

export interface BenchOptions {
  readonly model: string;
  readonly operation: Operation;
  readonly quirks?: JsonObject;
}

/** One twin, one account, real sockets: what the suites of chat, images and speech run on. */
export class AdapterBench {
  readonly #adapter: ProviderAdapter;
  readonly #vendor: TwinVendor;
  readonly #options: BenchOptions;
  #twin: VendorTwin | undefined;
  #pools: UpstreamPools | undefined;
  #door: MediaDoor | undefined;
  #shown: string[] = [];

  constructor(adapter: ProviderAdapter, vendor: TwinVendor, options: BenchOptions) {
    this.#adapter = adapter;
    this.#vendor = vendor;
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#pools = createUpstreamPools();
    this.#twin = await startVendorTwin({ seconds: { image: 0.3 } });
    this.#door = createMediaDoor({ allowPrivate: [new URL(this.#twin.url).host] });
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

  reset(): void {
    this.#shown = [];
    this.twin.faults.clear();
    this.twin.requests.clear();
  }

  /** The next such request meets this fault. */
  meet(fault: TwinFault): void {
    this.twin.faults.next(this.#vendor, this.#options.operation, fault);
  }

  /** The last request's body, as text. */
  lastRequest(): string {
    return this.twin.requests.last(this.#vendor)?.body ?? '';
  }

  upstream(
    how: { readonly wrongKey?: boolean; readonly signal?: AbortSignal; readonly model?: string } = {},
  ): Upstream {
    const [pools, mediaDoor] = [this.#pools, this.#door];
    if (pools === undefined || mediaDoor === undefined) throw new Error('not open');
    const known = this.twin.credentials(this.#vendor);
    const credentials = how.wrongKey === true ? { api_key: `wrong-${known['api_key'] ?? ''}` } : known;
    return openUpstream({
      account: {
        id: 7,
        name: ACCOUNT_NAME,
        vendor: this.#adapter.id,
        baseUrl: this.twin.baseUrl(this.#vendor),
        credentials,
        settings: {},
      },
      adapter: this.#adapter,
      model: how.model ?? this.#options.model,
      quirks: this.#options.quirks ?? {},
      deadlines: { connect: 2, firstByte: 10, idle: 5 },
      pools,
      mediaDoor,
      now: () => Date.now(),
      ...(how.signal !== undefined && { signal: how.signal }),
    });
  }

  /** The error of an attempt that must be refused with this code. */
  async refused(attempt: Promise<unknown>, code: ErrorCode): Promise<GatewayError> {
    const outcome = await attempt.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (outcome === undefined) throw new Error(`not refused; ${code} was expected`);
    if (!(outcome instanceof GatewayError)) throw new Error('no error of the house', { cause: outcome });
    this.#shown.push(JSON.stringify([outcome.message, outcome.details.vendorCode, outcome.details.param]));
    if (outcome.code === code) return outcome;
    throw new Error(`refused as ${outcome.code} (${outcome.message}), not as ${code}`, { cause: outcome });
  }

  /** Secrets, names and addresses that came out in an error of this test. */
  leaks(): string[] {
    const secrets = Object.values(this.twin.credentials(this.#vendor)).filter((value) => value.length >= 6);
    const hidden = [...secrets, ACCOUNT_NAME, new URL(this.twin.url).host];
    return hidden.filter((secret) => this.#shown.some((text) => text.includes(secret)));
  }

  async bytesOf(file: MediaFile): Promise<Buffer> {
    if ('bytes' in file) return Buffer.from(file.bytes);
    const reply = await fetch(file.url);
    if (!reply.ok) throw new Error(`the picture’s address answered ${reply.status}`);
    return Buffer.from(await reply.arrayBuffer());
  }
}

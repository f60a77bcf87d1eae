/** One adapter, one account at the vendor twin, real sockets: what the adapter suites stand on. */
import { GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import {
  createUntrustedFetcher,
  createUpstreamPools,
  openUpstream,
  type UntrustedFetcher,
  type ProviderAdapter,
  type Upstream,
  type UpstreamPools,
} from '@model-gateway/provider-kit';
import type { TwinVendor, VendorTwin, VendorTwinOptions } from '@model-gateway/vendor-twin';
import { TEST_MEDIA_FOLDER } from './media-folder.ts';

const ACCOUNT_NAME = 'the-operators-own-name';
/** Credentials that name a place and guard nothing. */
const OPEN_CREDENTIALS = ['sub_app_id', 'type'];
const KEYS = /^(?:api_key|secret_key|secret_id|access_key|client_email)$/;

interface Call {
  readonly model: string;
  /** The twin's own address for the vendor unless given. */
  readonly baseUrl?: string;
  readonly wrongKey?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly quirks?: JsonObject;
  readonly firstByteSeconds?: number;
  readonly signal?: AbortSignal;
}

export class TwinHarness {
  readonly #adapter: ProviderAdapter;
  readonly #twinOptions: VendorTwinOptions;
  #twin: VendorTwin | undefined;
  #pools: UpstreamPools | undefined;
  #fetcher: UntrustedFetcher | undefined;
  #shown: string[] = [];
  protected readonly vendor: TwinVendor;

  constructor(adapter: ProviderAdapter, vendor: TwinVendor, twinOptions: VendorTwinOptions) {
    this.#adapter = adapter;
    this.vendor = vendor;
    this.#twinOptions = twinOptions;
  }

  async open(): Promise<void> {
    this.#pools = createUpstreamPools();
    const { startVendorTwin } = await import('@model-gateway/vendor-twin');
    this.#twin = await startVendorTwin({ mediaCacheFolder: TEST_MEDIA_FOLDER, ...this.#twinOptions });
    this.#fetcher = createUntrustedFetcher({ allowPrivate: [new URL(this.#twin.url).host, '127.0.0.1'] });
  }

  async close(): Promise<void> {
    await this.#pools?.close();
    await this.#fetcher?.close();
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

  protected connect(call: Call): Upstream {
    const [pools, untrustedFetcher] = [this.#pools, this.#fetcher];
    if (pools === undefined || untrustedFetcher === undefined) throw new Error('not open');
    const known = this.twin.credentials(this.vendor);
    const wrong = Object.entries(known).map(([name, value]) => [name, KEYS.test(name) ? `wrong-${value}` : value]);
    return openUpstream({
      account: {
        id: 7,
        name: ACCOUNT_NAME,
        vendor: this.#adapter.id,
        baseUrl: call.baseUrl ?? this.twin.baseUrl(this.vendor),
        credentials: call.wrongKey === true ? (Object.fromEntries(wrong) as Record<string, string>) : known,
        settings: call.settings ?? {},
      },
      adapter: this.#adapter,
      model: call.model,
      quirks: call.quirks ?? {},
      deadlines: { connect: 20, firstByte: call.firstByteSeconds ?? 10, idle: 5 },
      pools,
      untrustedFetcher,
      now: this.#twinOptions.clock ?? Date.now,
      ...(call.signal !== undefined && { signal: call.signal }),
    });
  }

  /** The error of an attempt that must be refused with one of these codes. */
  async refused(attempt: Promise<unknown>, code: ErrorCode | readonly ErrorCode[]): Promise<GatewayError> {
    const outcome = await attempt.then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (!('error' in outcome)) throw new Error(`not refused, but ${JSON.stringify(outcome.value)}`);
    const { error } = outcome;
    if (!(error instanceof GatewayError)) throw new Error('no error of the house', { cause: error });
    this.show([error.message, error.details.vendorCode, error.details.param]);
    const expected: readonly string[] = typeof code === 'string' ? [code] : code;
    if (!expected.includes(error.code)) {
      throw new Error(`refused as ${error.code} (${error.message}), not as ${expected.join(' or ')}`, { cause: error });
    }
    return error;
  }

  /** What a caller would see: no secret may be in it. */
  protected show(seen: unknown): void {
    this.#shown.push(JSON.stringify(seen));
  }

  /** What callers must never see. */
  protected hidden(): readonly string[] {
    const secrets = Object.entries(this.twin.credentials(this.vendor))
      .filter(([name, value]) => !OPEN_CREDENTIALS.includes(name) && value.length >= 6)
      .flatMap(([name, value]) => (name === 'private_key' ? value.split('\n').slice(1, 3) : [value]));
    return [...secrets, ACCOUNT_NAME];
  }

  /** What of it came out in this test. */
  leaks(): readonly string[] {
    return this.hidden().filter((secret) => this.#shown.some((text) => text.includes(secret)));
  }
}

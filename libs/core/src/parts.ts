/** The parts a gateway is made of; apps/gateway plugs them together. */
import type { Usage } from '@model-gateway/contracts';
import type {
  AnsweredHeaders,
  UntrustedFetcher,
  ProviderAdapter,
  Upstream,
  UpstreamPools,
} from '@model-gateway/provider-kit';
import type { Catalogue, GatewayAccount, KeyMode, Offer } from './catalogue.ts';
import type { ScanThread } from './guardrails/scan-thread.ts';
import type {
  Hooks,
  KeyRecord,
  LateCharge,
  Need,
  RequestIdentity,
  Reservation,
  SpendScope,
  Store,
  Tenant,
  Tracing,
} from './ports.ts';
import type { LineDelivery } from './paid/delivery.ts';
import type { Router } from './routing.ts';

/** What a charge is kept with, so that usage can be split by it. */
export interface CallerLabels {
  /** Of the key, and over them those of the request. Absent: none. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Whom the request is made for. Absent: it says nothing of it. */
  readonly identity?: RequestIdentity;
}

/** Who asks: a valid key. */
export interface Caller extends CallerLabels {
  readonly key: KeyRecord;
  readonly mode: KeyMode;
  readonly requestId: string;
  /** Aborted when the caller has hung up. */
  readonly signal: AbortSignal;
  /** Says which caps the request has beside those of its key. Absent: none. */
  readonly caps?: CallerCaps;
  /** What the request pays from; absent: as requests usually do. A line of a batch has money set aside that outlives the process. */
  readonly spending?: OwnSpending;
  /** How it reaches its vendor; absent: at once. */
  readonly delivery?: LineDelivery;
}

/** Tells under which caps a request is, beside those of its key. */
export interface CallerCaps {
  /** The same list object again for a caller of the same key under the same caps, and never for another key: wallets are found by it. */
  scopesOf(caller: Caller): readonly SpendScope[];
}

/** As `Spending.reserve`. */
export interface OwnSpending {
  reserve(caller: Caller, need: number | Need): Promise<Reservation>;
}

/** What one request was charged, and for whom. */
export interface Spend extends Tenant {
  readonly labels: CallerLabels;
  readonly usage: Pick<Usage, 'inputTokens' | 'outputTokens'>;
  /** Quota units. */
  readonly charged: number;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counters and histograms by name; the app exports them (Prometheus). */
export interface Meter {
  count(name: string, labels: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels: Readonly<Record<string, string>>): void;
  /** One series, for labels that come with every request: it is looked up at its first use only. Adds to a counter, or observes. */
  series(name: string, labels: Readonly<Record<string, string>>): (value: number) => void;
}

/** A meter that shows a value as it is now, too. */
export interface GaugeMeter extends Meter {
  gauge(name: string, value: number, labels: Readonly<Record<string, string>>): void;
}

export interface Parts {
  readonly store: Store;
  /** Read at every use: it is replaced whole on reload. */
  readonly catalogue: () => Catalogue;
  readonly adapters: ReadonlyMap<string, ProviderAdapter>;
  readonly router: Router;
  readonly pools: UpstreamPools;
  readonly untrustedFetcher: UntrustedFetcher;
  readonly now: () => number;
  /** Random id of letters and digits, at least 160 bits. */
  readonly randomId: () => string;
  readonly log: Log;
  readonly meter: Meter;
  /** Absent where nobody wants traces. */
  readonly tracing?: Tracing;
  /** Absent where no guardrail may ask an address of the operator's. */
  readonly hooks?: Hooks;
  /** Where guardrails look long texts through; absent: in the thread that serves, in turns. */
  readonly scanThread?: ScanThread;
  /** The address people reach the gateway by, without a trailing slash: for links of our own (`result_url`). */
  readonly publicUrl: () => string;
  /** What becomes of requests that refer to something of a vendor's which no answer brought; absent: refused where there is more than one owner. */
  readonly unknownVendorIds?: 'refuse' | 'pass';
  /** Told of what a request is charged after it was logged. */
  readonly chargedLate?: (charge: LateCharge) => void;
  /** Told of everything that is charged; absent: nobody counts it by who spent it. */
  readonly spent?: (spend: Spend) => void;
  /** Told of every step of a task's way, by name (`submit.asked`): crash tests stop the process there. */
  readonly step?: (label: string) => void;
}

/** Opens the upstream handle of an offer. */
export type OpenOffer = (
  offer: Offer,
  signal?: AbortSignal,
  /** Told the headers of what the vendor answers. */
  answered?: AnsweredHeaders,
) => { readonly adapter: ProviderAdapter; readonly upstream: Upstream };
/** Opens the upstream handle of an account for a task that was started there, by the model name it was started with. */
export type OpenAccount = (
  account: GatewayAccount,
  upstreamModel: string,
  signal?: AbortSignal,
) => { readonly adapter: ProviderAdapter; readonly upstream: Upstream };

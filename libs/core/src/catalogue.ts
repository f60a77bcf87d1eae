/** Which models there are, who answers for them, and what they cost. Built once from the configuration, replaced whole on reload. */
import { GatewayError, type components, type DialectName, type JsonObject } from '@model-gateway/contracts';
import type { Account, Deadlines, VideoShape } from '@model-gateway/provider-kit';
import { nearestCodes } from './nearest.ts';

/** The kinds of rows, as the document has them; which module of `kinds/` each belongs to is said there. */
export type ModelKind = components['schemas']['ModelKind'];
export type ImageShape = 'prompt' | 'messages';

/** "This model code, by this account, under that vendor model name, at this priority and weight" (docs/architecture.md#words). */
export interface Offer {
  readonly account: GatewayAccount;
  /** The vendor's name of the model. */
  readonly model: string;
  /** Chat only: the wires it can be asked in, the preferred one first; the caller's own is used where it is among them. */
  readonly dialects: readonly DialectName[];
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
  /** Fine points of this vendor model (translate's Target.quirks, adapters' quirks). */
  readonly quirks: JsonObject;
}

export interface GatewayAccount extends Account {
  /** Whether its credentials are set. An account that is off serves nobody. */
  readonly on: boolean;
  /** True for accounts of the built-in vendor twin. */
  readonly twin: boolean;
  readonly maxConcurrency: number;
  readonly deadlines: Deadlines;
  /** Who answers, where that is not the vendor: the maker behind a compatible wire. What a model wrote for itself alone goes back to no other. */
  readonly provider?: string;
  /** Who answers, by OpenTelemetry's GenAI conventions; `provider`, else the vendor, when absent. */
  readonly telemetryName?: string;
  /** What happens to a chat stream whose caller has gone: read to its end for the vendor's usage, or cut at once. */
  readonly onDisconnect: 'drain' | 'abort';
}

/** US dollars: tokens and characters per million, the others each. */
export interface Price {
  readonly input?: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
  /** What is kept for an hour; twice `input` when absent and `cache_write` is there. */
  readonly cache_write_1h?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly output_tokens?: number;
  readonly input_audio?: number;
  readonly output_audio?: number;
  readonly input_image?: number;
  readonly output_image?: number;
  readonly image?: number;
  readonly second?: number;
  readonly video?: number;
  readonly character?: number;
  readonly web_search?: number;
  /** Multiplies `second`, `video` and `image` by the asked resolution or size class: `{ "1080p": 2 }`. */
  readonly resolution_factors?: Readonly<Record<string, number>>;
  /** Multiplies `second` and `video` when the video has native audio. */
  readonly audio_factor?: number;
  /** Multiplies the prices of tokens of a request whose input is longer than `above` tokens. */
  readonly long_context?: { readonly above: number; readonly input: number; readonly output: number };
  /**
   * What multiplies the prices of tokens where a request asks for it, by field and value: `{ service_tier: { priority: 2 } }`. What
   * changes prices and is not here is refused.
   */
  readonly factors?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface ModelRow {
  readonly code: string;
  /** Other names it is asked for by: the vendor's own, dated ones. Bills, limits and lists know the code only. */
  readonly aliases?: readonly string[];
  readonly kind: ModelKind;
  /** One sentence for people. */
  readonly description: string;
  readonly offers: readonly Offer[];
  readonly price: Price;
  readonly videoShape?: VideoShape;
  readonly imageShape?: ImageShape;
  readonly voices: readonly string[];
  /** Limits people should know; also checked: `max_output_tokens`, `inputs`, `durations`, `resolutions`, `ratios`, `max_images`, … */
  readonly limits: JsonObject;
  /** Unix seconds of publication, for `created`. */
  readonly created: number;
  /** Hours after which an open task of this model ends; the global deadline when absent. */
  readonly deadlineHours?: number;
  /** How long a task of this model usually takes, seconds: the first check waits for it. */
  readonly usualSeconds?: number;
}

export interface Catalogue {
  /** By code. */
  readonly models: ReadonlyMap<string, ModelRow>;
  /** Codes by the aliases of their rows; absent = no row has one. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly accounts: readonly GatewayAccount[];
  /** Changes with any price: an entry of the ledger keeps the one it used. */
  readonly priceVersion: string;
  /** Multiplies every price of a key's group; `default` is 1. */
  readonly groupFactors: Readonly<Record<string, number>>;
  /** True when live keys go to the twin because no account has credentials. */
  readonly twinOnly: boolean;
}

export type KeyMode = 'live' | 'test';

/** The code that a name stands for: of an alias that of its row, of any other name the name itself. */
export function codeOf(catalogue: Pick<Catalogue, 'aliases'>, name: string): string {
  return catalogue.aliases?.get(name) ?? name;
}

/** The row of a model code or an alias, or GatewayError `model_not_found` with near names. */
export function findModel(catalogue: Catalogue, name: string, kinds?: readonly ModelKind[]): ModelRow {
  const row = catalogue.models.get(codeOf(catalogue, name));
  if (row === undefined) {
    const written = name.slice(0, LONGEST_TOLD);
    throw new GatewayError(
      'model_not_found',
      `the model '${written}' is not in the catalogue; GET /v1/models lists the codes${nearest(catalogue, written)}`,
      { param: 'model' },
    );
  }
  if (kinds !== undefined && !kinds.includes(row.kind)) {
    throw new GatewayError(
      'invalid_request',
      `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`,
      { param: 'model' },
    );
  }
  return row;
}

/** Characters of a name that was not found, told back. */
const LONGEST_TOLD = 120;

function nearest({ models, aliases }: Catalogue, written: string): string {
  const codes = [...models.keys()].map((code): [string, string] => [code, code]);
  const near = nearestCodes(written, [...codes, ...(aliases ?? [])]);
  return near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`;
}

/**
 * The offers a key of this mode may use: test keys go to the twin always; live keys to accounts that are on, or to the twin when
 * the deployment has no account at all. Throws `unavailable` when there is none.
 */
export function offersFor(catalogue: Catalogue, row: ModelRow, mode: KeyMode): readonly Offer[] {
  const wantTwin = mode === 'test' || catalogue.twinOnly;
  const offers = row.offers.filter(({ account }) => account.on && account.twin === wantTwin);
  if (offers.length === 0) {
    throw new GatewayError(
      'unavailable',
      `no vendor account serves the model '${row.code}' on this deployment at the moment`,
      { param: 'model' },
    );
  }
  return offers;
}

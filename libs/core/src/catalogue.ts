/** Which models there are, who answers for them, and what they cost. Built once from the configuration, replaced whole on reload. */
import type { BudgetRule } from './ports/money.ts';
import { GatewayError, type components, type DialectName, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Account, Deadlines, VideoShape } from '@model-gateway/provider-kit';
import { matches } from './keys/pattern.ts';
import type { AccountBudget } from './routing/budget.ts';
import type { Route } from './routing/route.ts';
import type { Guardrail } from './guardrails/guardrail.ts';
import type { McpSettings } from './mcp/settings.ts';
import type { PathPattern } from './pass-through/opened-path.ts';
import type { ReportedCount } from './pass-through/reported-usage.ts';
import { unknownModelWords } from './unknown-model.ts';

/** The kinds of rows, as the document has them; which module of `kinds/` each belongs to is said there. */
export type ModelKind = components['schemas']['ModelKind'];
/** What is paid for: a model of a kind, or a vendor's own path, which is no model. */
export type RowKind = ModelKind | 'pass_through';
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
  /** The operator's own, of the model over those of the account; the account's alone when absent. */
  readonly deadlines?: Deadlines;
  /** Headers of the operator's for every call, lower-case names; those of the account are among them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Chat: members of the body, as the vendor's wire has them, for requests that do not have them. */
  readonly bodyFields?: JsonObject;
}

export interface GatewayAccount extends Account {
  /** Which of several keys or regions of one account it is; absent for an account with one. What is kept at the vendor belongs to it alone. */
  readonly member?: AccountMember;
  /** The vendor's models that wildcards may ask it for, as patterns; absent: all. */
  readonly models?: readonly string[];
  /** Whether its credentials are set. An account that is off serves nobody. */
  readonly on: boolean;
  /** Why it is off: `OPENAI_API_KEY is not set`; absent for one that is on. */
  readonly offReason?: string;
  /** True for accounts of the built-in vendor twin. */
  readonly twin: boolean;
  /** Of the twin: whose keys it answers, all when absent. Faults that test keys ask for are not felt by live keys. */
  readonly twinFor?: KeyMode;
  readonly maxConcurrency: number;
  /** Video jobs that it has at work at once, of all processes together; tasks beyond it wait. Any number when absent. */
  readonly maxJobs?: number;
  /** What it may be used for, and whether its vendor is heard about that; absent: anything, and nobody counts. */
  readonly budget?: AccountBudget;
  readonly deadlines: Deadlines;
  /** Headers of the operator's for every call, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who answers, where that is not the vendor: the maker behind a compatible wire. What a model wrote for itself alone goes back to no other. */
  readonly provider?: string;
  /** Who answers, by OpenTelemetry's GenAI conventions; `provider`, else the vendor, when absent. */
  readonly telemetryName?: string;
  /** Its requests say which trace they belong to (W3C trace context). */
  readonly propagatesTrace?: boolean;
  /** To whom everything belongs that it keeps and no answer of the gateway brought. */
  readonly owners?: readonly number[];
  /** To whom single things belong that it keeps, by the vendor's id; over `owners`. */
  readonly vendorIds?: Readonly<Record<string, readonly number[]>>;
  /** What becomes of an answer whose caller has gone. */
  readonly onDisconnect: OnDisconnect;
  /** What becomes of an answer before which its server has read far less than was sent; absent: nobody looks. */
  readonly onTruncation?: 'tell' | 'refuse';
}

export interface AccountMember {
  /** The id of the account, which is that of its first member. */
  readonly of: number;
  /** From 1. */
  readonly number: number;
  readonly region?: string;
}

/** Under which id people know an account. */
export function accountIdOf({ id, member }: Pick<GatewayAccount, 'id' | 'member'>): number {
  return member?.of ?? id;
}

/** Accounts as people see them, in their order: each with its keys and regions. */
export function wholeAccounts<Account extends Pick<GatewayAccount, 'id' | 'member'>>(
  accounts: Iterable<Account>,
): readonly (readonly [Account, ...Account[]])[] {
  return [...Map.groupBy(accounts, accountIdOf).values()].map((members) => members as [Account, ...Account[]]);
}

/** Read to its end for the vendor's usage, or cut at once: vendors that stop billing a chat stream bill other answers whole all the same. */
export interface OnDisconnect {
  readonly chatStreams: 'drain' | 'abort';
  readonly others: 'drain' | 'abort';
}

/** US dollars: tokens and characters per million, the others each. */
export interface Price {
  readonly input?: number;
  readonly cached_input?: number;
  /** Sound and pictures that the vendor had in its cache; as `cached_input` when absent. */
  readonly cached_input_audio?: number;
  readonly cached_input_image?: number;
  readonly cache_write?: number;
  /** What is kept for an hour; twice `input` when absent and `cache_write` is there. */
  readonly cache_write_1h?: number;
  /** A million tokens of a cached content, for an hour. Without it the model keeps none. */
  readonly cache_storage?: number;
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
  readonly search_unit?: number;
  readonly call?: number;
  readonly unit?: number;
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
  /** Multiplies the prices of tokens of requests that are sent in the vendor's own batch; absent: none are. */
  readonly batch?: number;
}

/** When answers are kept and given again. */
export interface CacheRule {
  readonly ttlSeconds: number;
  /** `deterministic`: at temperature 0, without tools that the vendor runs. */
  readonly when: 'deterministic' | 'always';
  /** Of what an answer cost when a vendor gave it, what it costs when it is given again. */
  readonly share: number;
}

export interface ModelRow {
  readonly code: string;
  /** Other names it is asked for by: the vendor's own, dated ones. Bills, limits and lists know the code only. */
  readonly aliases?: readonly string[];
  /** The code of the wildcard that this row was made from: for labels of metrics, which callers must not make without end. */
  readonly wildcard?: string;
  /** Of a name that no row has: the account or vendor whose default price it has. */
  readonly defaultPrice?: string;
  readonly kind: RowKind;
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
  /** When its vendor gave it up, milliseconds since 1970; absent: it did not. */
  readonly deprecatedAt?: number;
  /** When its vendor ends it. */
  readonly retiresAt?: number;
  /** Hours after which an open task of this model ends; the global deadline when absent. */
  readonly deadlineHours?: number;
  /** How long a task of this model usually takes, seconds: the first check waits for it. */
  readonly usualSeconds?: number;
  /** Where its requests go beside its own offers, and in which order; absent: to its offers, by priority and weight. */
  readonly route?: Route;
  /** Absent: every request is a vendor's to answer. */
  readonly cache?: CacheRule;
  /** Nothing is asked to be kept in its vendor's prompt cache beyond what callers ask for themselves. */
  readonly noPromptCache?: true;
}

/** What is opened of one account. */
export interface PassThrough {
  readonly account: string;
  /** Whom a key of this mode asks; absent where nobody answers it. */
  readonly offers: Readonly<Partial<Record<KeyMode, Offer>>>;
  /** Whose keys may ask: all of what is said must hold. */
  readonly keys?: readonly string[];
  readonly groups?: readonly string[];
  readonly owners?: readonly number[];
  readonly paths: readonly OpenedPath[];
  /** Bytes of a request's body. */
  readonly bodyLimit: number;
}

export interface OpenedPath {
  readonly pattern: PathPattern;
  readonly methods: ReadonlySet<string>;
  /** Priced by the call and by what its answers report. */
  readonly row: ModelRow;
  /** What an answer can report at most: set aside with the call. */
  readonly most: Usage;
  readonly counts: readonly ReportedCount[];
  /** More headers of the caller's that go along, lower case. */
  readonly headers: ReadonlySet<string>;
}

export interface Catalogue {
  /** By code. */
  readonly models: ReadonlyMap<string, ModelRow>;
  /** True when answers of some row are kept. */
  readonly caches?: boolean;
  /** True when some row is deprecated or ends. */
  readonly deprecates?: boolean;
  /** Codes by the aliases of their rows; absent = no row has one. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Those of `models` that stand for many, the longest first; absent = there is none. */
  readonly wildcards?: readonly Wildcard[];
  /** What stands for names that no row has, at the default price of an account; in no list. Absent = no account has one. */
  readonly unlisted?: readonly Wildcard[];
  readonly accounts: readonly GatewayAccount[];
  /** Changes with any price: an entry of the ledger keeps the one it used. */
  readonly priceVersion: string;
  /** Multiplies every price of a key's group; `default` is 1. */
  readonly groupFactors: Readonly<Record<string, number>>;
  /** Groups whose keys may not say which way a request takes; absent: all may. */
  readonly closedGroups?: ReadonlySet<string>;
  /** The code that names stand for which nothing else does; absent: such names are refused. */
  readonly defaultModel?: string;
  /** Where this process runs, in the operator's words: for conditions of routes. */
  readonly region?: string;
  /** Jobs in a turn of an owner, by the group of its key; 1 when absent. */
  readonly groupWeights?: Readonly<Record<string, number>>;
  /** What looks through chats; absent: nothing does. */
  readonly guardrails?: readonly Guardrail[];
  /** Budgets above keys; absent: there are none. */
  readonly budgets?: readonly BudgetRule[];
  /** MCP servers; absent: there are none. */
  readonly mcp?: McpSettings;
  /** Vendors' own paths that are opened, by the name of the account; absent: none. */
  readonly passThrough?: ReadonlyMap<string, PassThrough>;
  /** True when live keys go to the twin because no account has credentials. */
  readonly twinOnly: boolean;
}

export type KeyMode = 'live' | 'test';

/** The code that a name stands for: of an alias that of its row, of an unknown name the default, of any other name the name itself. */
export function codeOf(catalogue: Catalogue, name: string): string {
  const code = aliasedCode(catalogue, name);
  const { defaultModel } = catalogue;
  return defaultModel === undefined || rowNamed(catalogue, code) !== undefined ? code : defaultModel;
}

function aliasedCode({ aliases }: Pick<Catalogue, 'aliases'>, name: string): string {
  return aliases?.get(name) ?? name;
}

/**
 * The row of a model code, an alias or a name that a wildcard stands for; undefined when there is none. A name at a default price may be of
 * several kinds: it is the first of `kinds`, of all kinds when absent.
 */
export function rowNamed(
  catalogue: Pick<Catalogue, 'models' | 'aliases' | 'wildcards' | 'unlisted'>,
  name: string,
  kinds?: readonly RowKind[],
): ModelRow | undefined {
  const { models, wildcards, unlisted } = catalogue;
  const row = models.get(aliasedCode(catalogue, name));
  if (row !== undefined) return row;
  return (
    (wildcards === undefined ? undefined : wildcardRow(wildcards, name)) ??
    (unlisted === undefined ? undefined : wildcardRow(unlisted, name, kinds))
  );
}

/** The row of a model code or an alias, for unknown names that of the default where it is of these kinds, or GatewayError `model_not_found` with near names. */
export function findModel(catalogue: Catalogue, name: string, kinds?: readonly RowKind[]): ModelRow {
  const row = rowNamed(catalogue, name, kinds) ?? defaultRow(catalogue, kinds);
  if (row === undefined)
    throw new GatewayError('model_not_found', unknownModelWords(catalogue, name), { param: 'model' });
  if (kinds !== undefined && !kinds.includes(row.kind)) {
    throw new GatewayError(
      'invalid_request',
      `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`,
      { param: 'model' },
    );
  }
  return row;
}

function defaultRow(catalogue: Catalogue, kinds: readonly RowKind[] | undefined): ModelRow | undefined {
  const { defaultModel } = catalogue;
  const row = defaultModel === undefined ? undefined : rowNamed(catalogue, defaultModel);
  return row === undefined || kinds?.includes(row.kind) === false ? undefined : row;
}

/**
 * The offers a key of this mode may use: test keys go to the twin always; live keys to accounts that are on, or to the twin when
 * the deployment has no account at all. Throws `unavailable` when there is none.
 */
export function offersFor(catalogue: Catalogue, row: ModelRow, mode: KeyMode): readonly Offer[] {
  const offers = offersThatServe(catalogue, row, mode);
  if (offers.length === 0) {
    const wantTwin = mode === 'test' || catalogue.twinOnly;
    throw new GatewayError(
      'unavailable',
      `no vendor account serves the model '${row.code}' on this deployment at the moment${whyNone(row, wantTwin)}`,
      { param: 'model' },
    );
  }
  return offers;
}

/** As `offersFor`; none where there is none. */
export function offersThatServe(
  { twinOnly }: Pick<Catalogue, 'twinOnly'>,
  { offers }: Pick<ModelRow, 'offers'>,
  mode: KeyMode,
): readonly Offer[] {
  const wantTwin = mode === 'test' || twinOnly;
  return offers.filter(({ account }) => account.on && answers(account, mode, wantTwin));
}

/** The row of a wildcard: `code` ends with a star, and so may the models of its offers. */
export interface Wildcard {
  /** What names begin with: `openai/`. */
  readonly prefix: string;
  readonly row: ModelRow;
}

/** What vendors call models; never a way to another address of theirs. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,119}$/;

/** The rows that are wildcards, those that say most first. */
export function wildcardsIn(rows: Iterable<ModelRow>): readonly Wildcard[] {
  return [...rows]
    .filter(({ code }) => code.endsWith('*'))
    .map((row) => ({ prefix: row.code.slice(0, -1), row }))
    .sort((left, right) => right.prefix.length - left.prefix.length);
}

/** The row of a name that a wildcard stands for: as the wildcard's, under the name and with the vendors' models that follow from it. */
function wildcardRow(wildcards: readonly Wildcard[], name: string, kinds?: readonly RowKind[]): ModelRow | undefined {
  const found = wildcards.find(
    ({ prefix, row }) => name.startsWith(prefix) && (kinds === undefined || kinds.includes(row.kind)),
  );
  if (found === undefined) return undefined;
  const rest = name.slice(found.prefix.length);
  if (!NAME.test(rest) || rest.includes('..') || rest.includes('//')) return undefined;
  const { row } = found;
  const offers = row.offers.flatMap((offer) => {
    // A function: names have signs that mean something in a replacement.
    const model = offer.model.replace('*', () => rest);
    const isAsked = offer.account.models?.some((pattern) => matches(pattern, model)) ?? true;
    return isAsked ? [{ ...offer, model }] : [];
  });
  // Where every account leaves it out there is no such model.
  return offers.length === 0 && row.offers.length > 0 ? undefined : { ...row, code: name, wildcard: row.code, offers };
}

/** What the caller may tell the operator. */
function whyNone({ offers }: ModelRow, wantTwin: boolean): string {
  if (wantTwin) return ': the vendor twin, which answers test keys, is off';
  return offers.some(({ account }) => !account.twin) ? ': no account of it has its credentials' : '';
}

/** Whether an account is for keys of this mode: theirs of the twin, or a vendor's own. */
export function answers({ twin, twinFor }: GatewayAccount, mode: KeyMode, wantTwin: boolean): boolean {
  return twin === wantTwin && (twinFor === undefined || twinFor === mode);
}

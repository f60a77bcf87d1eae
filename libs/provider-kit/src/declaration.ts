/**
 * What a vendor says of itself: where it is, what an account of it must hold, and what accounts and offers may set. A configuration is
 * checked against it before the gateway starts, so that no request meets what could have been seen in the file.
 */
import type { DeclaredFields, DialectName, JsonObject } from '@model-gateway/contracts';
import type { Capability, ProviderAdapter } from './provider-adapter.ts';

export interface DeclaredCredential {
  /** What it is, in one sentence. */
  readonly about: string;
  /** False for what names an account and opens nothing. */
  readonly secret: boolean;
}

export interface AccountDeclaration {
  /** What the vendor's own documentation calls the base, or how it follows from an account's settings; absent where every account must say its own. */
  readonly baseUrl?: string | ((settings: Readonly<Record<string, string>>) => string);
  /** What people copy behind the base with it, and is taken off. */
  readonly baseUrlTail?: RegExp;
  /** By the vendor's own names. */
  readonly credentials: Readonly<Record<string, DeclaredCredential>>;
  /** The sets of credentials (and settings) of which one must be there, the usual one first; an empty set says that none is needed. */
  readonly sufficient: readonly (readonly string[])[];
}

export interface DeclaredOffer {
  /** The vendor's name of the model. */
  readonly model: string;
  readonly quirks: JsonObject;
  /** The account's. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Whether closing the connection of a streamed chat answer stops the model and its bill (docs/wire/stream-cancellation.md). */
export interface StreamCancellation {
  readonly stopsBilling: boolean;
  /** A machine of the operator's answers, which works for nobody as long as it is listened to: whatever it was asked for is stopped. */
  readonly isOwnServer?: true;
  /** Where it is said. */
  readonly source: string;
}

/** An account, as far as it tells who answers. */
export interface AnsweringAccount {
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface VendorDeclaration extends AccountDeclaration {
  /** The name that people know the vendor by. */
  readonly title: string;
  /** The same of makers behind a compatible wire, by the setting `provider` of their accounts; of a built-in account without one by its name. */
  readonly providerTitles?: Readonly<Record<string, string>>;
  /** Names of programs and services that are asked as this vendor, for people who look for these. */
  readonly keywords?: readonly string[];
  /** The vendor's name by OpenTelemetry's GenAI conventions, where it is another than its id. */
  readonly telemetryName?: string;
  /** The number that `platform` of a task record shows (docs/wire/video-tasks.md#the-task-record); absent where the gateways before this one had none. */
  readonly platform?: string;
  /** Further wires, by the account's setting `wire`; what they leave out is as for an account without that setting. */
  readonly wires?: Readonly<Record<string, Partial<AccountDeclaration>>>;
  /** Settings that an account may have beside `wire`. */
  readonly settings?: DeclaredFields;
  /** Which setting names the region that is asked, where accounts may have several; absent: an account has one address. */
  readonly regionSetting?: string;
  /** Whether an account may have several addresses, resources of which each has keys of its own. They take the place of regions. */
  readonly hasResources?: true;
  /** What offers may say in `quirks` beside the fine points of their chat dialects. */
  readonly quirks?: Readonly<Partial<Record<Capability, DeclaredFields>>>;
  /** Fine points that hold for every chat offer unless it says otherwise. */
  readonly chatQuirks?: JsonObject;
  /** What hanging up on a streamed chat answer of this account does to its bill; undefined or absent where nobody says. */
  streamCancellation?(account: AnsweringAccount): StreamCancellation | undefined;
  /** Why an offer's model cannot be asked for here, with what would be right; undefined when it can. */
  refuseModel?(offer: DeclaredOffer): string | undefined;
}

/** What a vendor says of itself without its code. */
export interface DeclaredVendor extends Pick<ProviderAdapter, 'id' | 'formerIds'> {
  /** All but its quirks, which stand where they are read. */
  readonly declares: VendorDeclaration;
}

/** A vendor that a configuration can name. Its code is loaded when an account is asked, so that a vendor without one costs nothing. */
export interface Vendor extends DeclaredVendor {
  load(): Promise<VendorAdapter>;
}

/** The code of a vendor, and all that it says of itself. */
export interface VendorAdapter extends ProviderAdapter {
  readonly declares: VendorDeclaration;
}

/** What the code of a vendor can do, for whoever has not loaded it: `tools/contracts.mjs` writes it. */
export interface VendorFacts {
  readonly capabilities: readonly Capability[];
  /** Of chat; the usual one first. */
  readonly dialects: readonly DialectName[];
  readonly listsModels: boolean;
  readonly signsBodies: boolean;
  readonly quirks: NonNullable<VendorDeclaration['quirks']>;
}

const API_KEY = { about: 'The key that the vendor’s console shows.', secret: true } as const;

/** The declaration of everyone who has one address and one key. */
export function declareApiKey(baseUrl: string): AccountDeclaration {
  return { baseUrl, credentials: { api_key: API_KEY }, sufficient: [['api_key']] };
}

/** The declaration of everyone who may be asked without a key and has no address of its own: servers that operators run. */
export const DECLARES_OWN_SERVER: AccountDeclaration = {
  credentials: { api_key: API_KEY },
  sufficient: [['api_key'], []],
};

/** The base of an account that says none; undefined where the vendor has none. */
export function baseUrlOf(
  { baseUrl }: Pick<AccountDeclaration, 'baseUrl'>,
  settings: Readonly<Record<string, string>>,
): string | undefined {
  return typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl;
}

/** What an account on this wire must hold; undefined when the vendor has no such wire. */
export function accountOn(declared: VendorDeclaration, wire: string | undefined): AccountDeclaration | undefined {
  if (wire === undefined) return declared;
  const other = declared.wires?.[wire];
  return other === undefined ? undefined : { ...declared, ...other };
}

/** The configuration that another gateway's becomes: rows of ours, what has no equal, and what is to be done by hand. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';

export interface AccountRow {
  readonly name: string;
  readonly vendor: string;
  readonly wire?: string | undefined;
  readonly base_url?: string | undefined;
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly max_concurrency?: number | undefined;
  readonly budget?: JsonObject | undefined;
  readonly timeout_seconds?: JsonObject | undefined;
}

export interface OfferRow {
  readonly account: string;
  readonly model: string;
  readonly dialect?: string | undefined;
  readonly dialects?: readonly string[] | undefined;
  readonly quirks?: JsonObject | undefined;
  readonly priority?: number | undefined;
  readonly weight?: number | undefined;
}

export interface ModelRow {
  readonly code: string;
  readonly kind?: string | undefined;
  readonly body?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly offers?: readonly OfferRow[] | undefined;
  readonly limits?: JsonObject | undefined;
  readonly price?: JsonObject | 'free' | undefined;
  readonly fallbacks?: JsonObject | undefined;
  readonly strategy?: string | undefined;
  readonly retries?: JsonObject | undefined;
  readonly timeout_seconds?: JsonObject | undefined;
}

export interface OwnerRow {
  readonly name: string;
  readonly group?: string | undefined;
  readonly credit_limit?: number | undefined;
}

export interface KeyRow {
  readonly name: string;
  readonly key: string;
  readonly owner?: string | undefined;
  readonly group?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly ip_ranges?: readonly string[] | undefined;
  readonly expires_at?: string | undefined;
  readonly limits?: JsonObject | undefined;
}

/** Names in variables are short enough to be read. */
const LONGEST_VARIABLE = 60;

export class Draft {
  readonly accounts = new Map<string, AccountRow>();
  readonly models = new Map<string, ModelRow>();
  readonly groups: Record<string, JsonObject> = {};
  readonly owners: OwnerRow[] = [];
  readonly keys: KeyRow[] = [];
  /** What has no equal, and what differs; each begins with its place in the other file. */
  readonly notes: string[] = [];
  /** Commands that finish the move. */
  readonly commands: string[] = [];
  /** Values that stood in the other file, by the variable that the new file names in their place. */
  readonly secrets = new Map<string, string>();
  /** Variables that the other file reads: what they hold is not known here. */
  readonly #read: ReadonlySet<string>;

  /** `config` is the other file's value. */
  constructor(config?: JsonObject) {
    const references = JSON.stringify(config ?? {}).matchAll(/\b(?:os\.environ\/|env\.)(\w+)/g);
    this.#read = new Set([...references].map(([, variable = '']) => variable));
  }

  note(place: string, text: string): void {
    this.notes.push(`${place}: ${text}`);
  }

  /** A reference to a variable that holds this value; the same value has one variable. */
  secret(wanted: string, value: string): string {
    for (const [variable, known] of this.secrets) if (known === value) return reference(variable);
    const base = variableOf(wanted);
    let variable = base;
    for (let count = 2; this.secrets.has(variable) || this.#read.has(variable); count++) variable = `${base}_${count}`;
    this.secrets.set(variable, value);
    return reference(variable);
  }

  /** The name of an account that is as this row says; one is made where there is none. */
  account({ name: wanted, ...row }: AccountRow): string {
    const base = wanted.trim().replace(/\s+/g, '-') || row.vendor;
    let name = base;
    for (let count = 2; ; count++) {
      const known = this.accounts.get(name);
      if (known === undefined) break;
      const { name: _name, ...rest } = known;
      if (JSON.stringify(rest) === JSON.stringify(row)) return name;
      name = `${base}-${count}`;
    }
    this.accounts.set(name, { name, ...row });
    return name;
  }
}

function reference(variable: string): string {
  return `\${${variable}}`;
}

function variableOf(text: string): string {
  const name = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, LONGEST_VARIABLE);
  return /^[A-Z]/.test(name) ? name : `KEY_${name}`;
}

/** The members of an object that are lists of objects, texts and numbers: files of others are read with what they really hold. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each): each is JsonObject => isJsonObject(each)) : [];
}

export function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** US dollars per million of what `perUnit` is the price of. */
export function perMillion(perUnit: number): number {
  return Number((perUnit * 1e6).toPrecision(10));
}

// oxlint-disable-next-line eslint-core/no-own-paths -- what addresses of servers with OpenAI's wire end with
const OPENAI_ROOT = '/v1';

/** Where a server speaks OpenAI's wire, for whom its address is written with that path or without. */
export function openAiRoot(url: string): string {
  const plain = url.replace(/\/+$/, '');
  return plain.endsWith(OPENAI_ROOT) ? plain : `${plain}${OPENAI_ROOT}`;
}

/** An id of any form, for people. */
export function idText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

/** What a kind of model says of itself, so that nobody else has to know it. Every kind has a folder in `kinds/` and a line in its `index.ts`. */
import type { JsonObject, OperationFacts, OPERATIONS, Usage } from '@model-gateway/contracts';
import type { Capability } from '@model-gateway/provider-kit';
import type { ModelRow, RowKind } from './catalogue.ts';
import type { BillFactors } from './money/price.ts';
import type { Quote } from './paid/payment.ts';
import type { RequestInput } from './routing/condition.ts';

/** The document says which kinds its operations ask for. */
export type KindName = NonNullable<OperationFacts['kind']>;
export type OperationId = keyof typeof OPERATIONS;

/** What the configuration says about a row, beside what all rows have. */
export interface RowSettings {
  /** The values of `body`, one of which is needed; absent: the row has no `body`. */
  readonly bodies?: readonly string[];
  /** Whether its offers name the dialects of their wire. */
  readonly dialects?: boolean;
  /** What its price usually has: `input` and `output` unless said. */
  readonly pricedBy?: readonly string[];
  /** An account may have a price for those that no row has, by the same units: vendors report how many they were. */
  readonly hasDefaultPrice?: true;
}

/** What a request would use at most, and what its prices are multiplied by. */
export interface Quoted {
  readonly usage: Usage;
  readonly factors?: Omit<BillFactors, 'group'>;
  /** What its vendor may report, where that is not told by the usage. */
  readonly bound?: Quote['bound'];
}

/** What `/v1/models` tells of a row beside its limits and prices. */
export interface KindDescription {
  /** The operations that reach it, the usual one first. */
  readonly operations: readonly OperationId[];
  /** The bodies it can be asked with. */
  readonly formats: readonly string[];
}

export interface KindModule {
  readonly name: KindName;
  /** How a message asks for one of its models: `an image model`. */
  readonly called: string;
  /** The part of an adapter that serves it. */
  readonly capability: Capability;
  /** Words that vendors have in the names of its models; absent of the kind that any other name is taken for. */
  readonly likelyNames?: RegExp;
  /** The kinds of rows that are of it, and their settings. */
  readonly rows: Readonly<Partial<Record<RowKind, RowSettings>>>;
  /** The model that is asked where an operation need not name one. */
  readonly usualModel?: string;
  /** What its requests may bring beside text, for conditions of routes. */
  readonly inputs: readonly RequestInput[];
  /** Whether a request waits for its answer: then it is known how long an account takes. */
  readonly answersAtOnce: boolean;
  /** Whether its answers may be kept and given again. */
  readonly keepsAnswers?: true;
  /** Whether guardrails look through its requests. */
  readonly isGuarded?: true;
  describe(row: ModelRow): KindDescription;
  /** Of the parameters that only some of its models take, those that this one does; absent: the kind has none. */
  readonly parameters?: (row: ModelRow) => readonly string[];
  /** Reads the body of a paid operation as the operation itself does, and quotes it. Throws `invalid_request` naming the field. */
  readonly quote: Readonly<Partial<Record<OperationId, (body: JsonObject, row: ModelRow) => Quoted>>>;
  /** Reads the body of an operation that costs nothing, where there is something to say against it. */
  readonly read?: Readonly<Partial<Record<OperationId, (body: JsonObject) => void>>>;
}

import type { DialectName, ErrorCode, GatewayError, Usage } from '@model-gateway/contracts';
import { addUsage, type Dropped } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../catalogue.ts';
import type { Bill } from '../money/price.ts';
import type { AttemptSpan } from '../ports.ts';

/** What happened to a request, for headers, logs and metrics; filled while it happens. */
export interface Trace {
  accountId: number | undefined;
  vendor: string | undefined;
  /** What is asked for, once it is known. */
  row: ModelRow | undefined;
  /** Who was asked last. */
  offer: Offer | undefined;
  /** The last attempt's, where traces are wanted. */
  span: AttemptSpan | undefined;
  /** How the request came to whom was asked last; undefined where the model has no routes. */
  route: string | undefined;
  /** Of the last answer of a vendor, refusals included. */
  vendorHeaders: Readonly<Record<string, string>> | undefined;
  /** Who pays, once it is known. */
  payer?: number;
  /** Gives back the room of a large reply when its answer has been read. */
  releaseReply?: () => void;
  /** Questions to vendors. */
  attempts: number;
  /** When who was asked last was asked; 0 while nobody was. */
  askedAt: number;
  /** Attempts that failed, in their order; undefined while none has. */
  failures: FailedAttempt[] | undefined;
  dropped: readonly Dropped[];
  /** Set where the server that answered has read far less than was sent. */
  truncatedPrompt?: TruncatedPrompt;
  usage: Usage | undefined;
  /** Quota units. */
  charged: number;
  /** The dialect the vendor was asked in; undefined for what is no chat. */
  upstreamDialect: DialectName | undefined;
  /** The vendor was asked to keep the prompt, which the caller did not ask for; absent: no. */
  keepsPrompt?: boolean;
  /** What was charged, and by which row's prices. */
  bill: Bill | undefined;
  billed: ModelRow | undefined;
  /** The answer is made in the background, and paid for there. */
  isQueued: boolean;
  /** Whether the answer was kept from an earlier one; undefined where none is. */
  cache: 'hit' | 'miss' | undefined;
  /** The rest of an answer that its caller waits for no longer: resolves when it is paid. */
  late?: Promise<unknown>;
  /** What the answer says in place of a model; absent: a model answered, or the refusal is an error. */
  saidRefusal?: GatewayError | undefined;
  /** What guardrails found, in a few words each; absent: nothing. */
  guardrails?: readonly string[];
  /** What else was asked for the same answer; absent: nothing. */
  further?: FurtherRequest[];
  /** Told of what ends when the caller's own request has been written down. */
  furtherEnded?: (request: FurtherRequest) => void;
}

/** Tokens of a prompt, by the server's own report and by our estimate. */
export interface TruncatedPrompt {
  readonly read: number;
  readonly estimated: number;
}

/** A request that the gateway made for an answer beside the caller’s own: it has a row and a bill of its own. */
export interface FurtherRequest {
  readonly id: string;
  readonly at: number;
  readonly ms: number;
  readonly kind: 'chat' | 'mcp';
  /** What was asked: a model code, or `mcp/docs/search`. */
  readonly model: string;
  readonly error?: ErrorCode;
  readonly trace: Trace;
}

/** Notes a further request that has ended. */
export function addFurther(trace: Trace, request: FurtherRequest): void {
  (trace.further ??= []).push(request);
  trace.furtherEnded?.(request);
}

/** What an answer used and was charged, with all that was asked for it. */
export function wholeOf({ usage, charged, further = [] }: Trace): Pick<Trace, 'usage' | 'charged'> {
  return further.reduce(
    (sum, { trace }) => ({ usage: addUsage(sum.usage, trace.usage), charged: sum.charged + trace.charged }),
    { usage, charged },
  );
}

export interface FailedAttempt {
  readonly offer: Offer;
  /** The code whose offer it was. */
  readonly model: string;
  readonly askedAt: number;
  readonly endedAt: number;
  readonly error: unknown;
}

/** A fresh trace. */
export function newTrace(): Trace {
  return {
    accountId: undefined,
    vendor: undefined,
    row: undefined,
    offer: undefined,
    span: undefined,
    route: undefined,
    vendorHeaders: undefined,
    attempts: 0,
    askedAt: 0,
    failures: undefined,
    dropped: [],
    usage: undefined,
    charged: 0,
    upstreamDialect: undefined,
    bill: undefined,
    billed: undefined,
    isQueued: false,
    cache: undefined,
  };
}

/** Inputs that the vendor has no setting for, as a trace tells them. */
export function withoutSetting(fields: readonly string[]): readonly Dropped[] {
  return fields.map((field) => ({ field, reason: 'the vendor has no such setting' }));
}

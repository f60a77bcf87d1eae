import type { OperationFacts } from '@model-gateway/contracts';

/** What a request is for: an answer of some kind of model, or one of the steps around it. Scripted faults are aimed at one of these. */
export type Operation =
  | NonNullable<OperationFacts['kind']>
  | 'responses'
  | 'responses-socket'
  | 'realtime'
  | 'count'
  | 'compact'
  | 'models'
  | 'edit'
  | 'create'
  | 'batch'
  | 'upload'
  | 'poll'
  | 'list'
  | 'cancel'
  | 'file'
  | 'cache'
  | 'content'
  | 'subject'
  | 'token'
  | 'other';

/** What can go wrong on the way to a client. `status` without `body` answers in the vendor's own words for that status. */
export type TwinFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Waits, then goes on as usual. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Never answers; the connection stays open. */
  | { readonly kind: 'hang' }
  /** The connection is reset before any reply; the request is not carried out. */
  | { readonly kind: 'reset' }
  /** The request is carried out (a job is created), then the connection is cut without an answer. */
  | { readonly kind: 'no-answer' }
  /** The reply is cut after so many bytes of its body, or events of its stream. */
  | { readonly kind: 'cut'; readonly afterBytes?: number; readonly afterEvents?: number }
  /** The stream stands still after so many events; the connection stays open. */
  | { readonly kind: 'stall'; readonly afterEvents: number }
  /** The vendor's own error in the middle of a stream (default: as its first event). */
  | { readonly kind: 'error-event'; readonly afterEvents?: number }
  /** Bytes that are no JSON and no text, with the usual headers. */
  | { readonly kind: 'malformed' }
  /** The first half of the JSON, in an HTTP reply that is otherwise whole. */
  | { readonly kind: 'torn-json' }
  | { readonly kind: 'content-type'; readonly value: string }
  | { readonly kind: 'dribble'; readonly bytesPerWrite: number; readonly delayMs?: number }
  /** A job is accepted, and ends refused by the content check. */
  | { readonly kind: 'moderation' }
  /** A job is accepted, and ends failed. */
  | { readonly kind: 'fail' }
  /** A job is accepted, and never ends. */
  | { readonly kind: 'never' }
  /** A poll answers with a status word nobody documented. */
  | { readonly kind: 'unknown-status'; readonly word?: string };

export interface FaultPlan<Vendor extends string = string> {
  /** The next `times` requests (default 1) of this vendor and operation meet this fault; `'*'` stands for every operation. */
  next(vendor: Vendor, operation: Operation | '*', fault: TwinFault, times?: number): void;
  /** Every such request meets it until `clear`. */
  always(vendor: Vendor, operation: Operation | '*', fault: TwinFault): void;
  /** Scripted faults nobody has met yet. */
  pending(vendor?: Vendor): number;
  clear(vendor?: Vendor): void;
}

interface Scripted {
  readonly vendor: string;
  readonly operation: Operation | '*';
  readonly fault: TwinFault;
  left: number;
}

export class ScriptedFaults implements FaultPlan {
  #scripted: Scripted[] = [];

  next(vendor: string, operation: Operation | '*', fault: TwinFault, times = 1): void {
    this.#scripted.push({ vendor, operation, fault, left: times });
  }

  always(vendor: string, operation: Operation | '*', fault: TwinFault): void {
    this.next(vendor, operation, fault, Number.POSITIVE_INFINITY);
  }

  pending(vendor?: string): number {
    return this.#scripted
      .filter((entry) => vendor === undefined || entry.vendor === vendor)
      .reduce((sum, entry) => sum + entry.left, 0);
  }

  clear(vendor?: string): void {
    this.#scripted = vendor === undefined ? [] : this.#scripted.filter((entry) => entry.vendor !== vendor);
  }

  /** The fault this request meets, if any: the oldest script that fits, used up by one. */
  take(vendor: string, operation: Operation): TwinFault | undefined {
    if (this.#scripted.length === 0) return undefined;
    const entry = this.#scripted.find(
      (candidate) => candidate.vendor === vendor && (candidate.operation === operation || candidate.operation === '*'),
    );
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#scripted = this.#scripted.filter((candidate) => candidate !== entry);
    return entry.fault;
  }
}

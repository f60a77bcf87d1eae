/** What a request is for: an answer of some kind of model, or one of the steps around it. Scripted faults are aimed at one of these. */
export const OPERATIONS = [
  'chat',
  'responses',
  'responses-socket',
  'realtime',
  'image',
  'edit',
  'speech',
  'music',
  'transcription',
  'embedding',
  'moderation',
  'rerank',
  'create',
  'subject',
  'poll',
  'content',
  'cancel',
  'count',
  'compact',
  'models',
  'list',
  'file',
  'upload',
  'batch',
  'cache',
  'token',
  'other',
] as const;
export type Operation = (typeof OPERATIONS)[number];

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
  /** Takes the request at once, then waits before the first event of a stream, or the body of a whole reply. */
  | { readonly kind: 'slow-first-token'; readonly ms: number }
  /** Waits before the event of a stream that says the usage. */
  | { readonly kind: 'late-usage'; readonly ms: number }
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
  /** The content is refused as the vendor does it: a chat model declines, everything else says no at once. */
  | { readonly kind: 'refusal' }
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

/** Which requests a scripted fault is for: those that fit all that is given. */
export interface FaultAim<Vendor extends string = string> {
  readonly vendor?: Vendor | undefined;
  readonly operation?: Operation | undefined;
  /** Below the vendor's mount, without the query. */
  readonly path?: string | undefined;
  readonly model?: string | undefined;
}

/** A scripted fault that somebody has yet to meet. */
export interface ScriptedFault {
  readonly aim: FaultAim;
  readonly fault: TwinFault;
  /** Requests that will meet it; infinite until it is cleared. */
  readonly left: number;
}

/** What a request is, to those who look for its fault. */
export interface FaultFacts {
  readonly vendor: string;
  readonly operation: Operation;
  readonly path: string;
  /** Whether the request asks for this model; read when a script names one. */
  readonly asksFor: (model: string) => boolean;
}

export class ScriptedFaults implements FaultPlan {
  #scripted: { readonly aim: FaultAim; readonly fault: TwinFault; left: number }[] = [];

  next(vendor: string, operation: Operation | '*', fault: TwinFault, times = 1): void {
    this.script({ vendor, operation: operation === '*' ? undefined : operation }, fault, times);
  }

  always(vendor: string, operation: Operation | '*', fault: TwinFault): void {
    this.next(vendor, operation, fault, Number.POSITIVE_INFINITY);
  }

  script(aim: FaultAim, fault: TwinFault, times: number): void {
    this.#scripted.push({ aim, fault, left: times });
  }

  list(): readonly ScriptedFault[] {
    return this.#scripted;
  }

  pending(vendor?: string): number {
    return this.#scripted
      .filter(({ aim }) => vendor === undefined || aim.vendor === vendor)
      .reduce((sum, entry) => sum + entry.left, 0);
  }

  clear(vendor?: string): void {
    this.#scripted = vendor === undefined ? [] : this.#scripted.filter(({ aim }) => aim.vendor !== vendor);
  }

  /** The fault this request meets, if any: the oldest script that fits, used up by one. */
  take(facts: FaultFacts): TwinFault | undefined {
    if (this.#scripted.length === 0) return undefined;
    const entry = this.#scripted.find(({ aim }) => fits(aim, facts));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#scripted = this.#scripted.filter((candidate) => candidate !== entry);
    return entry.fault;
  }
}

function fits({ vendor, operation, path, model }: FaultAim, facts: FaultFacts): boolean {
  return (
    (vendor === undefined || vendor === facts.vendor) &&
    (operation === undefined || operation === facts.operation) &&
    (path === undefined || path === facts.path) &&
    (model === undefined || facts.asksFor(model))
  );
}

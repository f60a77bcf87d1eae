import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { TwinFault } from './faults.ts';
import type { Stage } from './stage.ts';

/** Faults that change a reply on its way out. */
export type LateFault = Extract<
  TwinFault,
  {
    kind:
      | 'no-answer'
      | 'cut'
      | 'stall'
      | 'error-event'
      | 'malformed'
      | 'torn-json'
      | 'content-type'
      | 'dribble'
      | 'slow-first-token'
      | 'late-usage';
  }
>;
/** Where a streamed reply goes. */
interface StreamTarget {
  readonly response: ServerResponse;
  readonly stage: Pick<Stage, 'chunkDelayMs'>;
  /** Nobody listens any more. */
  readonly gone: boolean;
  /** Rejects when the connection ends before. */
  wait(ms: number): Promise<void>;
}

/** Server-sent events in another framing. */
export interface Reframe {
  readonly headers: Readonly<Record<string, string>>;
  readonly frame: (sse: string) => Buffer;
}

/** A streamed reply: one `send` per event, each its own write, so that a client meets them one by one. */
export class EventStream {
  readonly #to: StreamTarget;
  readonly #errorFrame: string | (() => string);
  readonly #cut: { readonly afterEvents: number; readonly afterBytes: number } | undefined;
  readonly #stallAfter: number;
  readonly #errorAfter: number;
  readonly #dribble: { readonly size: number; readonly delayMs: number | undefined } | undefined;
  readonly #malformed: boolean;
  readonly #reframe: Reframe | undefined;
  readonly #firstAfterMs: number;
  #usageAfterMs: number;
  #events = 0;
  #bytes = 0;
  #over = false;

  constructor(
    to: StreamTarget,
    {
      faults,
      errorFrame,
      reframe,
    }: {
      readonly faults: readonly LateFault[];
      readonly errorFrame: string | (() => string);
      readonly reframe: Reframe | undefined;
    },
  ) {
    this.#to = to;
    this.#reframe = reframe;
    this.#errorFrame = errorFrame;
    let cut: { afterEvents: number; afterBytes: number } | undefined;
    let stallAfter = Number.POSITIVE_INFINITY;
    let errorAfter = Number.POSITIVE_INFINITY;
    let dribble: { size: number; delayMs: number | undefined } | undefined;
    let [firstAfterMs, usageAfterMs] = [0, 0];
    for (const fault of faults) {
      if (fault.kind === 'slow-first-token') firstAfterMs = fault.ms;
      if (fault.kind === 'late-usage') usageAfterMs = fault.ms;
      if (fault.kind === 'cut') cut = cutOf(fault);
      if (fault.kind === 'stall') stallAfter = fault.afterEvents;
      if (fault.kind === 'error-event') errorAfter = fault.afterEvents ?? 0;
      if (fault.kind === 'dribble') dribble = { size: fault.bytesPerWrite, delayMs: fault.delayMs };
    }
    this.#cut = cut;
    this.#stallAfter = stallAfter;
    this.#errorAfter = errorAfter;
    this.#dribble = dribble;
    this.#firstAfterMs = firstAfterMs;
    this.#usageAfterMs = usageAfterMs;
    this.#malformed = faults.some((fault) => fault.kind === 'malformed' || fault.kind === 'torn-json');
  }

  /** False once nobody listens any more: produce nothing further. */
  get open(): boolean {
    return !this.#over && !this.#to.gone;
  }

  async send(frame: string | Buffer): Promise<boolean> {
    if (!this.open) return false;
    if (!(await this.#waited(frame))) return false;
    if (this.#cut !== undefined && this.#events >= this.#cut.afterEvents) return this.#hangUp('');
    if (this.#events >= this.#stallAfter) return this.#stall();
    if (this.#events >= this.#errorAfter) return this.#fail();
    const bytes = this.#malformed && this.#events === 1 ? 'data: {"torn": \u0000]}\n\n' : this.#framed(frame);
    if (this.#cut !== undefined && this.#bytes + bytes.length > this.#cut.afterBytes) {
      return this.#hangUp(Buffer.from(bytes).subarray(0, Math.max(0, this.#cut.afterBytes - this.#bytes)));
    }
    this.#events += 1;
    this.#bytes += bytes.length;
    await this.#write(bytes);
    return this.open;
  }

  end(): void {
    if (!this.open) return;
    this.#over = true;
    this.#to.response.end();
  }

  /** Waits where a fault asks for it before this event; false when the client has left meanwhile. */
  async #waited(frame: string | Buffer): Promise<boolean> {
    let ms = this.#events === 0 ? this.#firstAfterMs : 0;
    if (this.#usageAfterMs > 0 && this.#events > 0 && saysUsage(frame)) {
      ms = this.#usageAfterMs;
      this.#usageAfterMs = 0;
    }
    if (ms === 0) return true;
    return this.#to.wait(ms).then(
      () => true,
      () => false,
    );
  }

  async #write(frame: string | Buffer): Promise<void> {
    const { response, stage } = this.#to;
    if (this.#dribble !== undefined) {
      const bytes = Buffer.from(frame);
      for (let at = 0; at < bytes.length && this.open; at += this.#dribble.size) {
        response.write(bytes.subarray(at, at + this.#dribble.size));
        await pause(this.#dribble.delayMs);
      }
      return;
    }
    if (!response.write(frame)) await drained(this.#to);
    await pause(stage.chunkDelayMs);
  }

  #hangUp(last: string | Buffer): boolean {
    this.#over = true;
    const { response } = this.#to;
    response.write(last.length === 0 ? '\n' : last, () => response.destroy());
    return false;
  }

  /** Resolves when the client has left. */
  async #stall(): Promise<boolean> {
    const { response } = this.#to;
    if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
    return false;
  }

  #fail(): boolean {
    this.#over = true;
    const said = typeof this.#errorFrame === 'string' ? this.#errorFrame : this.#errorFrame();
    this.#to.response.end(this.#framed(said));
    return false;
  }

  #framed(frame: string | Buffer): string | Buffer {
    return this.#reframe === undefined || typeof frame !== 'string' ? frame : this.#reframe.frame(frame);
  }
}

/** Whether it is the event that says the whole usage, in the words of any vendor: what comes first says a beginning at most. */
function saysUsage(frame: string | Buffer): boolean {
  const text = typeof frame === 'string' ? frame : frame.toString('latin1');
  if (text.includes('"usageMetadata"')) return text.includes('"finishReason"');
  return text.includes('"usage":{') || text.includes('"eval_count":');
}

function cutOf(fault: Extract<TwinFault, { kind: 'cut' }>): { afterEvents: number; afterBytes: number } {
  const afterEvents = fault.afterEvents ?? Number.POSITIVE_INFINITY;
  // A mark in a prompt says both, for plain and streamed replies; on a stream events are what counts.
  const afterBytes = fault.afterEvents === undefined ? (fault.afterBytes ?? 0) : Number.POSITIVE_INFINITY;
  return { afterEvents, afterBytes };
}

export async function pause(ms: number | undefined): Promise<void> {
  if (ms !== undefined && ms > 0) await setTimeout(ms);
  else await setImmediate();
}

async function drained({ response }: StreamTarget): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

/** Running one line of a batch: sent as its key's request, its money set aside and settled with its result, each in one transaction. */
import { ERRORS, GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import { isKeyOver } from '../keys/api-keys.ts';
import { payerOf } from '../money/spending.ts';
import type { Caller, OwnSpending } from '../parts.ts';
import type { BatchRecord, BatchUsage, Charge, ClaimedLine, LineBill, LineEnd, Need, Reservation } from '../ports.ts';
import { pauseFor } from '../tasks/work-loop.ts';
import type { BatchParts, LineAnswer } from './types.ts';

/** How often a line is sent whose failures pass; one that finds the account full or its payer without money waits without being counted. */
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
const FULL_PAUSE_MS = 15_000;
const SAVE_RETRY_MS = 500;
const SAVE_RETRIES = 60;
const LOST = new GatewayError(
  'submission_unknown',
  'the gateway was stopped while the request ran; whether it was answered is not known, so it is not sent again and costs nothing',
);
const NO_USAGE: BatchUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

export interface Run {
  readonly batch: BatchRecord;
  readonly line: ClaimedLine;
  readonly signal: AbortSignal;
  /** Whether other lines of the same payer run here: what they give back may be enough. */
  readonly hasCompany: () => boolean;
}

/** Runs lines that its process has claimed. */
export class LineRunner {
  private readonly parts: BatchParts;
  private readonly claimant: string;

  constructor(parts: BatchParts, claimant: string) {
    this.parts = parts;
    this.claimant = claimant;
  }

  /** Writes down the line's end, or puts it back. Never rejects. */
  async run(run: Run): Promise<void> {
    const { log } = this.parts;
    try {
      if (run.line.submitted) await this.fail(run, LOST);
      else await this.send(run);
    } catch (error) {
      log.warn({ err: error, batch: run.batch.id, line: run.line.number }, 'a line of a batch could not be run');
    }
  }

  private async send(run: Run): Promise<void> {
    const { store, now, ask, forms } = this.parts;
    const { batch, line, signal } = run;
    const key = await store.keys.get(batch.keyId);
    if (key === undefined || isKeyOver(key, now())) {
      await this.fail(
        run,
        new GatewayError('forbidden', 'the key that made the batch has been revoked or has expired'),
      );
      return;
    }
    const funds = new LineFunds(this.parts, run, this.claimant);
    const { endpoint } = batch;
    const headers = forms[batch.format].headersOf(batch);
    let answer: LineAnswer;
    try {
      answer = await ask({ endpoint, headers, body: line.body, key, spending: funds, signal });
    } catch (error) {
      // Without an answer its claim runs out, and whoever finds it says whether a vendor was asked.
      this.parts.log.warn({ err: error, batch: batch.id, line: line.number }, 'a line of a batch was not answered');
      return;
    }
    if (signal.aborted || funds.isLost) return;
    const pause = funds.bills.length > 0 ? undefined : pauseAfter(answer, run);
    if (pause === undefined) await this.finish(run, endOf(answer, funds));
    else await this.putBack(run, pause);
  }

  private async putBack({ line }: Run, { ms, counts }: Pause): Promise<void> {
    const { store, now } = this.parts;
    await this.patiently(() => store.batches.putBack(line, this.claimant, { dueAt: now() + ms, counts }, now()));
  }

  /** An end that no request had. */
  private async fail(run: Run, error: GatewayError): Promise<void> {
    const { batch } = run;
    const body = JSON.stringify(this.parts.forms[batch.format].errorBody(batch, error));
    await this.finish(run, {
      ...{ state: 'errored', statusCode: error.status(), bills: [], usage: NO_USAGE },
      result: Buffer.from(body),
    });
  }

  private async finish({ batch, line }: Run, end: LineEnd): Promise<void> {
    const { store, now, step } = this.parts;
    const isDone = await this.patiently(() => store.batches.finishLine(line, this.claimant, end, now()));
    if (isDone) step?.('batch.line.ended');
    else this.parts.log.warn({ batch: batch.id, line: line.number }, 'a line of a batch was taken over while it ran');
  }

  /** However long the database is away while the claim is held. */
  private async patiently<T>(write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (attempt >= SAVE_RETRIES) throw error;
        await pauseFor(this.parts, SAVE_RETRY_MS);
      }
    }
  }
}

/** Lets others have a turn between two pieces of work: SQLite answers within the turn that asks it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

interface Pause {
  readonly ms: number;
  /** Whether it is one of the attempts that a line has. */
  readonly counts: boolean;
}

/** How long a line waits that failed for now; undefined where its answer is its end. */
function pauseAfter(
  { status, errorCode, retryAfterSeconds = 0 }: LineAnswer,
  { line, hasCompany }: Run,
): Pause | undefined {
  if (status < 400 || errorCode === undefined) return undefined;
  const least = retryAfterSeconds * 1000;
  if (errorCode === 'rate_limited' || errorCode === 'upstream_rate_limited')
    return { ms: Math.max(least, FULL_PAUSE_MS), counts: false };
  if (errorCode === 'insufficient_quota' && hasCompany()) return { ms: FIRST_PAUSE_MS, counts: false };
  const mayPass =
    errorCode === 'unavailable' ||
    errorCode === 'insufficient_quota' ||
    (errorCode in ERRORS && ERRORS[errorCode as ErrorCode].retry === 'elsewhere');
  if (!mayPass || line.attempts + 1 >= MOST_ATTEMPTS) return undefined;
  return { ms: Math.max(least, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** line.attempts)), counts: true };
}

function endOf({ status, requestId, body }: LineAnswer, { bills, usage }: LineFunds): LineEnd {
  const state = status < 400 ? 'succeeded' : 'errored';
  return { state, requestId, statusCode: status, result: body, bills, usage };
}

/** What a line pays from: each reservation is a hold that is written with the mark that a vendor is about to be asked. */
class LineFunds implements OwnSpending {
  readonly bills: LineBill[] = [];
  /** Another process has the line. */
  isLost = false;
  private readonly parts: BatchParts;
  private readonly run: Run;
  private readonly claimant: string;

  constructor(parts: BatchParts, run: Run, claimant: string) {
    this.parts = parts;
    this.run = run;
    this.claimant = claimant;
  }

  async reserve(caller: Caller, need: number | Need): Promise<Reservation> {
    const { store, now, step } = this.parts;
    const { batch, line } = this.run;
    const holdId = await store.batches.submit(
      line,
      this.claimant,
      {
        payer: payerOf(caller),
        need: typeof need === 'number' ? { most: need, least: need } : need,
        ...{ requestId: caller.requestId, model: line.model },
        detail: { endpoint: batch.endpoint, batch: batch.id, line: line.number },
      },
      now(),
    );
    if (holdId === undefined) {
      this.isLost = true;
      throw new GatewayError('conflict', 'another process runs this line of the batch');
    }
    step?.('batch.line.submitted');
    return {
      charge: (charge) => this.charge(holdId, charge),
      checkpoint: () => undefined,
      cancel: () => undefined,
    };
  }

  get usage(): BatchUsage {
    const sum = { ...NO_USAGE } as { -readonly [Name in keyof BatchUsage]: number };
    for (const { detail } of this.bills) {
      const used = (detail['usage'] ?? {}) as JsonObject;
      for (const name of Object.keys(sum) as (keyof BatchUsage)[]) sum[name] += Number(used[name] ?? 0);
    }
    return sum;
  }

  private charge(holdId: number, { units, accountId, priceVersion, detail, endpoint }: Charge): { charged: number } {
    const { batch, line } = this.run;
    this.bills.push({
      ...{ holdId, charged: units, priceVersion },
      detail: { ...detail, endpoint, batch: batch.id, line: line.number },
      ...(accountId !== undefined && { accountId }),
    });
    return { charged: units };
  }
}

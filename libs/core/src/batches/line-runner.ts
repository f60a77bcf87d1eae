/** Running one line of a batch: sent as its key's request, its money set aside and settled with its result, each in one transaction. */
import { ERRORS, GatewayError, type ErrorCode } from '@model-gateway/contracts';
import { isKeyOver } from '../keys/api-keys.ts';
import { isMoneyRefusal } from '../money/spend-scopes.ts';
import type { CallerLabels } from '../parts.ts';
import type { BatchRecord, ClaimedLine, KeyRecord, LineEnd } from '../ports.ts';
import { pauseFor } from '../tasks/work-loop.ts';
import { LineFunds, NO_USAGE, type Way } from './line-funds.ts';
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

export interface Run {
  readonly batch: BatchRecord;
  readonly line: ClaimedLine;
  readonly signal: AbortSignal;
  /** Whether it may be sent in a vendor's batch. */
  readonly mayBeHanded: boolean;
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
      if (run.line.submitted && run.line.answer === undefined) await this.fail(run, LOST);
      else await this.send(run);
    } catch (error) {
      log.warn({ err: error, batch: run.batch.id, line: run.line.number }, 'a line of a batch could not be run');
    }
  }

  private async send(run: Run): Promise<void> {
    const { store, now, ask, forms } = this.parts;
    const { batch, line, signal } = run;
    const key = await store.keys.get(batch.keyId);
    // What was answered was asked in time.
    if (key === undefined || (isKeyOver(key, now()) && line.answer === undefined)) {
      const message = 'the key that made the batch has been revoked or has expired';
      await this.fail(run, new GatewayError('forbidden', message));
      return;
    }
    const funds = new LineFunds(this.parts, run, this.claimant, wayOf(run));
    const { endpoint } = batch;
    const labels = labelsOf(batch, key);
    const headers = forms[batch.format].headersOf(batch);
    let answer: LineAnswer;
    try {
      answer = await ask({ endpoint, headers, body: line.body, key, labels, spending: funds, delivery: funds, signal });
    } catch (error) {
      // Without an answer its claim runs out, and whoever finds it says whether a vendor was asked.
      if (!funds.isHandedOver)
        this.parts.log.warn({ err: error, batch: batch.id, line: line.number }, 'a line of a batch was not answered');
      else if (funds.isAlone) await this.putBack(run, ALONE);
      return;
    }
    if (funds.isAlone) await this.putBack(run, ALONE);
    if (signal.aborted || funds.isLost || funds.isHandedOver) return;
    const pause = funds.bills.length > 0 ? undefined : await this.pauseAfter(answer, run);
    if (pause === undefined) await this.finish(run, endOf(answer, funds));
    else await this.putBack(run, { ...pause, keepsAnswer: isUnheard(answer, run, funds) });
  }

  /** How long a line waits that failed for now; undefined where its answer is its end. */
  private async pauseAfter(answer: LineAnswer, run: Run): Promise<Pause | undefined> {
    const { vendorBatches } = this.parts.store;
    // What lines at a vendor's have set aside comes back when they are answered; those that wait to be sent there set nothing free before.
    const waitsForVendor = wayOf(run) === 'with-others' || !run.hasCompany();
    if (isMoneyRefusal(answer.errorCode) && waitsForVendor && (await vendorBatches.hasAny(run.batch)))
      return { ms: LONGEST_PAUSE_MS, counts: false };
    return pauseAfter(answer, run);
  }

  private async putBack(
    { line }: Run,
    { ms, ...again }: Pause & { readonly keepsAnswer?: boolean; readonly isAlone?: boolean },
  ): Promise<void> {
    const { store, now } = this.parts;
    await this.patiently(() => store.batches.putBack(line, this.claimant, { ...again, dueAt: now() + ms }, now()));
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

/** What `Batches` has kept of its request; batches of versions before have their key's tags alone. */
function labelsOf({ detail }: BatchRecord, key: KeyRecord): CallerLabels {
  const { tags = key.tags, identity } = detail as CallerLabels;
  return { ...(tags !== undefined && { tags }), ...(identity !== undefined && { identity }) };
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

/** At once: it has not been looked at whether there is room for it. */
const ALONE = { ms: 0, counts: false, isAlone: true } as const;

function wayOf({ line, mayBeHanded }: Run): Way {
  if (line.answer !== undefined) return 'answered';
  return mayBeHanded && !line.isAlone ? 'with-others' : 'now';
}

/** What the vendor's batch answered to the line was not looked at: something was in the way of it. An answer that was is never looked at again: it stays what it is. */
function isUnheard({ errorCode }: LineAnswer, { line }: Run, { isRefused, isGiven }: LineFunds): boolean {
  if (line.answer === undefined || isRefused || errorCode === 'upstream_malformed') return false;
  return !(isGiven && errorCode?.startsWith('upstream_') === true);
}

function pauseAfter(
  { status, errorCode, retryAfterSeconds = 0 }: LineAnswer,
  { line, hasCompany }: Run,
): Pause | undefined {
  if (status < 400 || errorCode === undefined) return undefined;
  const least = retryAfterSeconds * 1000;
  if (errorCode === 'rate_limited' || errorCode === 'upstream_rate_limited')
    return { ms: Math.max(least, FULL_PAUSE_MS), counts: false };
  if (isMoneyRefusal(errorCode) && hasCompany()) return { ms: FIRST_PAUSE_MS, counts: false };
  const mayPass =
    errorCode === 'unavailable' ||
    isMoneyRefusal(errorCode) ||
    (errorCode in ERRORS && ERRORS[errorCode as ErrorCode].retry === 'elsewhere');
  if (!mayPass || line.attempts + 1 >= MOST_ATTEMPTS) return undefined;
  return { ms: Math.max(least, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** line.attempts)), counts: true };
}

function endOf({ status, requestId, body }: LineAnswer, { bills, usage }: LineFunds): LineEnd {
  const state = status < 400 ? 'succeeded' : 'errored';
  return { state, requestId, statusCode: status, result: body, bills, usage };
}

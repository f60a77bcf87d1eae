/**
 * Batches at vendors: lines that were handed over are planned into batches, put to the vendor, watched, and their answers written down. Each step is
 * a row before the vendor is asked; who finds a creation without an answer looks for the batch at the vendor's and never sends its lines again
 * before they certainly are not there.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { BatchAdapter, NewVendorBatch, Upstream } from '@model-gateway/provider-kit';
import { offersThatServe, rowNamed } from '../catalogue.ts';
import { certainlyNotTaken } from '../paid/repeat.ts';
import type { BatchRecord, ClaimedLine, NotRun, VendorBatchChange, VendorBatchRecord } from '../ports.ts';
import { CLAIM_MS } from '../tasks/work-loop.ts';
import { nextTurn } from './line-runner.ts';
import type { BatchParts } from './types.ts';
import { inAnswers, lineId, numberOf } from './vendor-batch-lines.ts';

const AT_ONCE = 4;
/** Lines that have waited so long go, even if others of their batch are still to come. */
const WAITS_MS = 60_000;
/** Looks for lines and batches while others keep the process busy: of processes that have died, for instance. */
const PLAN_MS = 10_000;
const LOOK_MS = 1_000;
const SHORTEST_CHECK_MS = 1_000;
const LONGEST_CHECK_MS = 60_000;
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;
/** A creation that was not answered may arrive so much later. */
const ARRIVES_WITHIN_MS = 120_000;
/** Vendors end what is older than a day by themselves; who does not is not waited for. */
const LONGEST_LIFE_MS = 26 * 3_600_000;
const NO_BATCH_AFTER = 3;
const PAGE = { limit: 100, bytes: 4 * 1024 * 1024 };
const GIVEN_BACK_AT_ONCE = 200;
const NO_LIMITS = { lines: 10_000, bytes: 50_000_000 };

/** A vendor batch that is worked on, and what it is done with. */
interface Work {
  readonly record: VendorBatchRecord;
  readonly adapter: BatchAdapter;
  readonly upstream: Upstream;
}

/** After a step: the next one at once, or a pause. */
type Next = { readonly then: VendorBatchRecord } | { readonly pauseMs: number } | 'done';

export class VendorBatchWorker {
  private readonly parts: BatchParts;
  private readonly claimant: string;
  private readonly begin: (work: Promise<void>) => void;
  private readonly working = new Set<string>();
  /** Of those that are worked on: somebody else has the claim. */
  private readonly lost = new Set<string>();
  private lookAt = 0;
  private planAt = 0;

  constructor(parts: BatchParts, claimant: string, begin: (work: Promise<void>) => void) {
    this.parts = parts;
    this.claimant = claimant;
    this.begin = begin;
  }

  /** Whether a line's vendor has batches that take it for less. */
  mayTake({ mode, expiresAt }: BatchRecord, { model }: Pick<ClaimedLine, 'model'>): boolean {
    const { catalogue, adapters, settings, now } = this.parts;
    if (settings.vendor === 'never' || expiresAt <= now()) return false;
    const row = rowNamed(catalogue(), model);
    if ((row?.price.batch ?? 1) >= 1 || row === undefined) return false;
    return offersThatServe(catalogue(), row, mode).some(
      ({ account }) => adapters.get(account.vendor)?.batches !== undefined,
    );
  }

  /** Plans what waits, and begins with what is due. `isQuiet`: nothing else is to be done at the moment. */
  async claim(isQuiet: boolean): Promise<number> {
    const { store, now } = this.parts;
    // Rounds are taken after every line that ends: vendors are looked after beside that, not for each of them.
    if (!isQuiet && this.lookAt > now()) return 0;
    let planned = 0;
    this.lookAt = now() + LOOK_MS;
    if (isQuiet || this.planAt <= now()) {
      this.planAt = now() + PLAN_MS;
      planned = await this.plan();
    }
    const limit = AT_ONCE - this.working.size;
    if (limit <= 0) return planned;
    const by = this.claimant;
    const claimed = await store.vendorBatches.claim({ by, now: now(), until: now() + CLAIM_MS, limit });
    for (const record of claimed) if (!this.working.has(record.id)) this.begin(this.workOn(record));
    return planned + claimed.length;
  }

  async renew(until: number): Promise<void> {
    for (const id of this.working) if (!(await this.hold(id, until))) this.lost.add(id);
  }

  private hold(id: string, until: number): Promise<boolean> {
    return this.parts.store.vendorBatches.renew(id, this.claimant, until);
  }

  private async plan(): Promise<number> {
    const { store, now, randomId, step } = this.parts;
    const planned = await store.vendorBatches.plan({
      limitsOf: (accountId) => this.adapterOf(accountId)?.limits ?? NO_LIMITS,
      newId: () => `gw-${randomId().slice(0, 24)}`,
      waitedSince: now() - WAITS_MS,
      now: now(),
    });
    if (planned > 0) step?.('batch.vendor.planned');
    return planned;
  }

  private adapterOf(accountId: number): BatchAdapter | undefined {
    const { catalogue, adapters } = this.parts;
    const account = catalogue().accounts.find(({ id }) => id === accountId);
    return account === undefined ? undefined : adapters.get(account.vendor)?.batches;
  }

  /** Never rejects. */
  private async workOn(claimed: VendorBatchRecord): Promise<void> {
    const { store, now, log } = this.parts;
    this.working.add(claimed.id);
    let record = claimed;
    try {
      for (;;) {
        const next = await this.stepOf(record).catch((error: unknown) => this.afterFault(record, error));
        if (next === 'done' || this.lost.has(record.id)) return;
        if ('pauseMs' in next) {
          await store.vendorBatches.leave(record.id, this.claimant, now() + next.pauseMs);
          return;
        }
        record = next.then;
      }
    } catch (error) {
      // Its claim runs out.
      log.warn(
        { err: error, vendor_batch: record.id },
        'a batch at a vendor could not be worked on; it is tried again',
      );
    } finally {
      this.working.delete(claimed.id);
      this.lost.delete(claimed.id);
    }
  }

  private async stepOf(record: VendorBatchRecord): Promise<Next> {
    const { catalogue, openAccount } = this.parts;
    const account = catalogue().accounts.find(({ id }) => id === record.accountId);
    if (account?.on !== true) return this.withoutAccount(record);
    const opened = openAccount(account, record.vendorModel);
    const adapter = opened.adapter.batches;
    if (adapter === undefined) return this.withoutAccount(record);
    const work: Work = { record, adapter, upstream: opened.upstream };
    switch (record.state) {
      case 'planned':
      case 'uploaded':
        return record.isCancelled ? this.giveBack(record, 'cancelled') : this.put(work);
      case 'asked':
        return this.find(work);
      case 'looking':
        return this.look(work);
      case 'running':
        return this.check(work);
      case 'ended':
        return this.fetch(work);
      case 'done':
        return 'done';
    }
  }

  /** Nothing was sent: the lines are sent by whoever serves the model. What was sent waits for the account, as long as batches live. */
  private withoutAccount(record: VendorBatchRecord): Promise<Next> {
    if (record.state === 'planned' || record.state === 'uploaded') return this.giveBack(record, 'alone');
    if (this.isOverdue(record)) return this.giveBack(record, 'expired');
    return Promise.resolve({ pauseMs: LONGEST_CHECK_MS });
  }

  private async put({ record, adapter, upstream }: Work): Promise<Next> {
    const { now, step } = this.parts;
    const batch = this.linesOf(record);
    if (record.state === 'planned' && adapter.upload !== undefined) {
      const ticket = await adapter.upload(batch, upstream);
      step?.('batch.vendor.uploaded');
      return this.save(record, { state: 'uploaded', ticket, attempts: 0 });
    }
    const askedAt = now();
    const { ticket: uploaded, attempts } = record;
    if ((await this.save(record, { state: 'asked', ticket: uploaded, attempts, askedAt })) === 'done') return 'done';
    step?.('batch.vendor.asked');
    let ticket: JsonObject;
    try {
      ticket = await adapter.create(batch, uploaded, upstream);
    } catch (error) {
      if (!(error instanceof GatewayError) || certainlyNotTaken(error)) throw error;
      // It may have arrived: it is looked for.
      this.tell(record, error);
      return { pauseMs: FIRST_PAUSE_MS };
    }
    step?.('batch.vendor.created');
    return this.running({ ...record, askedAt }, ticket);
  }

  private linesOf({ id, group, lines, bytes }: VendorBatchRecord): NewVendorBatch {
    const { vendorBatches } = this.parts.store;
    return {
      ...{ name: id, group, lines, bytes, idLength: lineId(id, 0).length },
      async *open() {
        let after = -1;
        for (;;) {
          const page = await vendorBatches.lines(id, { after, ...PAGE });
          if (page.length === 0) return;
          for (const { number, body } of page) yield { id: lineId(id, number), body };
          after = page.at(-1)?.number ?? after;
          await nextTurn();
        }
      },
    };
  }

  /** Looks for the batch of a creation that was not answered. */
  private async find({ record, adapter, upstream }: Work): Promise<Next> {
    const { store, now } = this.parts;
    const { id: name, lines, askedAt = 0 } = record;
    const found = await adapter.find({ name, lines, askedAt }, upstream);
    const certain = found.find(({ isCertain }) => isCertain);
    if (certain !== undefined) return this.running(record, { ...record.ticket, ...certain.ticket });
    if (now() < askedAt + ARRIVES_WITHIN_MS)
      return { pauseMs: Math.min(LONGEST_CHECK_MS, askedAt + ARRIVES_WITHIN_MS - now()) };
    const known = new Set((await store.vendorBatches.tickets(record.accountId)).map((ticket) => ticket['id']));
    const candidates = found.map(({ ticket }) => ticket).filter((ticket) => !known.has(ticket['id']));
    if (candidates.length > 0)
      return this.save(record, { state: 'looking', ticket: { ...record.ticket, candidates }, attempts: 0 });
    return this.again(record, 'the batch has not arrived at its vendor');
  }

  /** One of the candidates may be it: when it has ended its results tell by their ids. */
  private async look({ record, adapter, upstream }: Work): Promise<Next> {
    const { candidates = [], ...ticket } = record.ticket;
    const [first, ...others] = candidates as JsonObject[];
    if (first === undefined) return this.again({ ...record, ticket }, 'the batch has not arrived at its vendor');
    const progress = await adapter.check(first, upstream);
    if (progress.state === 'running') return { pauseMs: this.checkAfter(record) };
    if (progress.state === 'ended')
      for await (const { id } of adapter.results(progress.ticket, upstream))
        if (numberOf(record.id, id) !== undefined) return this.running(record, { ...ticket, ...first });
        else break;
    return this.save(record, { state: 'looking', ticket: { ...ticket, candidates: others }, attempts: 0 });
  }

  private running(record: VendorBatchRecord, ticket: JsonObject): Promise<Next> {
    return this.save(record, { state: 'running', ticket, attempts: 0 });
  }

  private async check({ record, adapter, upstream }: Work): Promise<Next> {
    const { step, log } = this.parts;
    if (record.isCancelled && !record.isCancelTold) {
      // What it has done by then is answered and paid; it may be too late.
      await adapter.cancel(record.ticket, upstream).catch((error: unknown) => this.tell(record, error));
      return this.save(record, { state: 'running', ticket: record.ticket, attempts: 0, isCancelTold: true });
    }
    const progress = await adapter.check(record.ticket, upstream);
    if (progress.state === 'ended') {
      const { unanswered, reason } = progress;
      if (unanswered === 'refused')
        log.warn({ vendor_batch: record.id, reason }, 'a vendor refused a batch; its lines are sent one by one');
      step?.('batch.vendor.ended');
      return this.save(record, { state: 'ended', ticket: { ...progress.ticket, unanswered }, attempts: 0 });
    }
    if (progress.state === 'missing' && record.attempts + 1 < NO_BATCH_AFTER)
      throw new GatewayError('upstream_unavailable', 'the vendor knows no such batch');
    if (progress.state === 'missing' || this.isOverdue(record)) return this.giveBack(record, 'expired');
    return { pauseMs: this.checkAfter(record) };
  }

  private async fetch({ record, adapter, upstream }: Work): Promise<Next> {
    const { ticket } = record;
    // Nothing is left to read when a process died behind the last line: the vendor may not have the results any more.
    if ((await this.parts.store.vendorBatches.lines(record.id, { after: -1, limit: 1, bytes: 1 })).length > 0) {
      if (!(await this.readResults({ record, adapter, upstream }))) return 'done';
      const { unanswered } = ticket;
      await this.endLines(
        record,
        unanswered === 'refused' ? 'alone' : unanswered === 'cancelled' ? 'cancelled' : 'expired',
      );
    }
    // Whoever has taken it over still reads what the vendor keeps.
    if (!(await this.hold(record.id, this.parts.now() + CLAIM_MS))) return 'done';
    await adapter.remove(ticket, upstream).catch((error: unknown) => this.tell(record, error));
    this.parts.step?.('batch.vendor.removed');
    return this.end(record);
  }

  /** Writes down what the vendor did with each line; false when somebody else has the claim. */
  private async readResults({ record, adapter, upstream }: Work): Promise<boolean> {
    const { store, now, step } = this.parts;
    const notRun: Record<'expired' | 'cancelled', number[]> = { expired: [], cancelled: [] };
    for await (const part of inAnswers(record.id, adapter.results(record.ticket, upstream))) {
      await store.vendorBatches.answer(record.id, part.answers, now());
      notRun.expired.push(...part.expired);
      notRun.cancelled.push(...part.cancelled);
      step?.('batch.vendor.fetched');
      await nextTurn();
      if (this.lost.has(record.id)) return false;
    }
    for (const how of ['expired', 'cancelled'] as const)
      for (let from = 0; from < notRun[how].length; from += GIVEN_BACK_AT_ONCE) {
        const numbers = notRun[how].slice(from, from + GIVEN_BACK_AT_ONCE);
        const what = { how, numbers, limit: GIVEN_BACK_AT_ONCE };
        await store.vendorBatches.giveBack(record.id, this.claimant, what, now());
      }
    return true;
  }

  /** Ends what is left of it, and the batch with that. */
  private async giveBack(record: VendorBatchRecord, how: NotRun): Promise<Next> {
    await this.endLines(record, how);
    return this.end(record);
  }

  private async endLines({ id }: VendorBatchRecord, how: NotRun): Promise<void> {
    const { store, now } = this.parts;
    const what = { how, limit: GIVEN_BACK_AT_ONCE };
    while ((await store.vendorBatches.giveBack(id, this.claimant, what, now())) >= GIVEN_BACK_AT_ONCE) await nextTurn();
  }

  private async end(record: VendorBatchRecord): Promise<Next> {
    await this.save(record, { state: 'done', ticket: record.ticket, attempts: 0 });
    this.parts.step?.('batch.vendor.done');
    return 'done';
  }

  /** The vendor certainly has not got it: it is asked again, or its lines are sent by themselves. */
  private async again(record: VendorBatchRecord, why: string): Promise<Next> {
    const attempts = record.attempts + 1;
    this.parts.log.warn({ vendor_batch: record.id, attempts, why }, 'a batch was not taken by its vendor');
    if (attempts >= MOST_ATTEMPTS) return this.giveBack(record, 'alone');
    const saved = await this.save(record, { state: 'uploaded', ticket: record.ticket, attempts });
    return saved === 'done' ? saved : { pauseMs: pauseAfter(attempts) };
  }

  /** The vendor refused, or was not there. Nothing of the step was done. */
  private async afterFault(record: VendorBatchRecord, error: unknown): Promise<Next> {
    if (!(error instanceof GatewayError)) throw error;
    this.tell(record, error);
    const attempts = record.attempts + 1;
    const isPut = record.state === 'planned' || record.state === 'uploaded';
    if (isPut && (attempts >= MOST_ATTEMPTS || !mayPass(error))) return this.giveBack(record, 'alone');
    if (!isPut && this.isOverdue(record)) return this.giveBack(record, 'expired');
    const { state, ticket } = record;
    const saved = await this.save(record, { state, ticket, attempts });
    return saved === 'done' ? saved : { pauseMs: pauseAfter(attempts, error.details.retryAfterSeconds) };
  }

  private tell({ id }: VendorBatchRecord, error: unknown): void {
    this.parts.log.warn({ err: error, vendor_batch: id }, 'a vendor did not do what a batch needs');
  }

  /** A step on the disk; somebody else who has the claim goes on from there. */
  private async save(record: VendorBatchRecord, change: VendorBatchChange): Promise<Next> {
    const isHeld = await this.parts.store.vendorBatches.save(record.id, this.claimant, change);
    return isHeld ? { then: { ...record, ...change } } : 'done';
  }

  private isOverdue({ createdAt }: VendorBatchRecord): boolean {
    return this.parts.now() > createdAt + LONGEST_LIFE_MS;
  }

  private checkAfter({ askedAt = 0 }: VendorBatchRecord): number {
    return Math.min(LONGEST_CHECK_MS, Math.max(SHORTEST_CHECK_MS, (this.parts.now() - askedAt) / 8));
  }
}

/** Whether a vendor may do later what it refuses now. */
function mayPass(error: GatewayError): boolean {
  return error.retryElsewhere && error.code !== 'upstream_rejected_key' && error.code !== 'upstream_rejected_model';
}

function pauseAfter(attempts: number, seconds = 0): number {
  return Math.max(seconds * 1000, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** (attempts - 1)));
}

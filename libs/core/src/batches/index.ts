/** Batches: many requests that run when there is room for them, over any model (docs/architecture.md#batches). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { BatchFormat, BatchQuery, BatchRecord, EndedLine, KeyRecord, NewLine, Tenant } from '../ports.ts';
import { taggedDetail } from '../money/spending.ts';
import type { CallerLabels } from '../parts.ts';
import { sweepInSteps } from '../sweep-in-steps.ts';
import { BatchWorker, checkRoom, endedLines, inParts } from './batch-worker.ts';
import { nextTurn } from './line-runner.ts';
import type { BatchParts } from './types.ts';

export type { AskLine, BatchFiles, BatchForm, BatchParts, BatchSettings, LineAnswer, LineRequest } from './types.ts';

const DAY_MS = 24 * 3_600_000;
const RECEIVED_WITHIN_MS = 10 * 60_000;
const SWEEP_MS = 10 * 60_000;
const SWEPT_AT_ONCE = 20;

export interface NewBatch {
  readonly format: BatchFormat;
  readonly key: KeyRecord;
  readonly endpoint: string;
  readonly detail: JsonObject;
  /** What its lines are charged under. */
  readonly labels: CallerLabels;
  /** Its lines are read from there; absent where they are given. */
  readonly inputFileId?: string;
}

export class Batches {
  private readonly parts: BatchParts;
  private readonly worker: BatchWorker;
  private timer: NodeJS.Timeout | undefined;

  constructor(parts: BatchParts) {
    this.parts = parts;
    this.worker = new BatchWorker(parts);
  }

  /** A batch whose lines are in an input file: it is read later. Throws `rate_limited` where the tenant has too much. */
  async createFromFile(batch: NewBatch & { readonly inputFileId: string }): Promise<BatchRecord> {
    const record = this.recordOf(batch, 'validating');
    // How many it has is known when it is read.
    await this.checkRoom(record, []);
    await this.parts.store.batches.create(record);
    this.parts.step?.('batch.created');
    this.worker.wake();
    return record;
  }

  /** A batch of these lines: it has them all when this resolves. Throws `rate_limited` where the tenant has too much. */
  async create(batch: NewBatch, lines: readonly NewLine[]): Promise<BatchRecord> {
    const { store, now, step } = this.parts;
    const record = this.recordOf(batch, 'receiving');
    await this.checkRoom(record, lines);
    await store.batches.create(record);
    for await (const part of inParts(lines)) {
      await store.batches.addLines(record.id, part);
      await nextTurn();
    }
    step?.('batch.received');
    await store.batches.open(record.id, now());
    step?.('batch.created');
    this.worker.wake();
    return this.get(record, batch.format, record.id);
  }

  /** Throws `not_found` for another tenant's, too. */
  async get(tenant: Tenant, format: BatchFormat, id: string): Promise<BatchRecord> {
    const found = await this.parts.store.batches.find(tenant, format, id);
    if (found === undefined) throw noSuchBatch(id);
    return found;
  }

  /** One page, and whether there is more. */
  async list(
    tenant: Tenant,
    query: BatchQuery,
  ): Promise<{ readonly batches: readonly BatchRecord[]; readonly hasMore: boolean }> {
    const found = await this.parts.store.batches.list(tenant, { ...query, limit: query.limit + 1 });
    const hasMore = found.length > query.limit;
    if (!hasMore) return { batches: found, hasMore };
    const isBefore = query.after === undefined && query.before !== undefined;
    return { batches: isBefore ? found.slice(1) : found.slice(0, query.limit), hasMore };
  }

  /** What runs is answered and paid, what waits is not begun. A batch that has ended stays as it is. */
  async cancel(tenant: Tenant, format: BatchFormat, id: string): Promise<BatchRecord> {
    const changed = await this.parts.store.batches.cancel(tenant, format, id, this.parts.now());
    if (changed === undefined) throw noSuchBatch(id);
    this.worker.wake();
    return changed;
  }

  /** Throws `conflict` while it has not ended. */
  async remove(tenant: Tenant, format: BatchFormat, id: string): Promise<void> {
    await this.get(tenant, format, id);
    if (!(await this.parts.store.batches.remove(tenant, format, id)))
      throw new GatewayError('conflict', `the batch ${id} has not ended; cancel it first`);
  }

  /** Its lines that have ended, in their order. */
  results(batch: BatchRecord): AsyncIterable<EndedLine> {
    return endedLines(this.parts, batch);
  }

  /** Removes what is out of date; runs by itself every ten minutes. */
  async sweep(): Promise<void> {
    const { store, now, settings, log } = this.parts;
    const before = { endedBefore: now() - settings.keepMs, receivedBefore: now() - RECEIVED_WITHIN_MS };
    try {
      await sweepInSteps({ remove: (limit) => store.batches.sweep({ ...before, limit }), limit: SWEPT_AT_ONCE });
    } catch (error) {
      log.warn({ err: error }, 'batches that are out of date could not be removed');
    }
  }

  /** Does what is due until nothing is; tests. */
  async workAll(): Promise<void> {
    await this.worker.workAll();
  }

  async renew(): Promise<void> {
    await this.worker.renew();
  }

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS);
    this.timer.unref();
    void this.sweep();
    this.worker.start();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.worker.stop();
  }

  private recordOf(
    { format, key: { id: keyId, ownerId, mode }, endpoint, labels, inputFileId, ...batch }: NewBatch,
    status: BatchRecord['status'],
  ): BatchRecord {
    const createdAt = this.parts.now();
    const detail = taggedDetail(batch.detail, labels);
    return {
      ...{ id: `batch_gw_${this.parts.randomId()}`, format, ownerId, mode, keyId, endpoint, status, detail },
      counts: { waiting: 0, succeeded: 0, errored: 0, cancelled: 0, expired: 0 },
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
      ...{ createdAt, expiresAt: createdAt + DAY_MS, size: 0 },
      ...(inputFileId !== undefined && { inputFileId }),
    };
  }

  private async checkRoom(tenant: Tenant, more: readonly NewLine[]): Promise<void> {
    checkRoom(await this.parts.store.batches.load(tenant), more, this.parts.settings);
  }
}

function noSuchBatch(id: string): GatewayError {
  return new GatewayError('not_found', `there is no batch '${id.slice(0, 100)}'`);
}

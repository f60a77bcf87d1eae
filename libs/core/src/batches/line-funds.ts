/** What a line of a batch pays from, and how it reaches its vendor. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import {
  faultOfStatus,
  faultToError,
  parseVendorJson,
  type UpstreamReply,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { payerOf } from '../money/payer-states.ts';
import { taggedDetail } from '../money/spending.ts';
import { HandedOver, type DeliveryTarget, type LineDelivery } from '../paid/delivery.ts';
import type { Caller, OwnSpending } from '../parts.ts';
import type { BatchRecord, BatchUsage, Charge, ClaimedLine, LineBill, LineHold, Need, Reservation } from '../ports.ts';
import type { BatchParts } from './types.ts';

export const NO_USAGE: BatchUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** Where a line stands that may be sent with others: `now` sends it by itself. */
export type Way = 'now' | 'with-others' | 'answered';

interface OpenReservation {
  /** Absent until something is set aside. */
  holdId?: number;
  readonly hold: LineHold;
  readonly inBatch: number | undefined;
}

/**
 * Each reservation is a hold. Of a line that is sent by itself it is written with the mark that a vendor is about to be asked; of one that is sent with
 * others when it is handed over, at the price of the vendor's batch; of one whose answer has come it is there already.
 */
export class LineFunds implements OwnSpending, LineDelivery {
  readonly bills: LineBill[] = [];
  /** Another process has the line. */
  isLost = false;
  isHandedOver = false;
  /** It was to be sent with others, and no batch takes it: it waits for room as lines do that are sent by themselves. */
  isAlone = false;
  /** The answer of the vendor's batch was given: what comes after it is sent by itself. */
  isGiven = false;
  /** The answer of the vendor's batch was read, and is a refusal, whatever its status. */
  isRefused = false;
  private open: OpenReservation | undefined;
  private readonly parts: BatchParts;
  private readonly batch: BatchRecord;
  private readonly line: ClaimedLine;
  private readonly claimant: string;
  private readonly way: Way;

  constructor(
    parts: BatchParts,
    { batch, line }: { readonly batch: BatchRecord; readonly line: ClaimedLine },
    claimant: string,
    way: Way,
  ) {
    this.parts = parts;
    this.batch = batch;
    this.line = line;
    this.claimant = claimant;
    this.way = way;
  }

  get answeredBy(): { readonly accountId: number; readonly model: string } | undefined {
    const { answer } = this.line;
    if (this.way !== 'answered' || this.isGiven || answer === undefined) return undefined;
    return { accountId: answer.accountId, model: answer.vendorModel };
  }

  async reserve(caller: Caller, need: number | Need): Promise<Reservation> {
    const { batch, line } = this;
    const both: Need = typeof need === 'number' ? { most: need, least: need } : need;
    const open: OpenReservation = {
      inBatch: both.inBatch,
      hold: {
        payer: payerOf(caller),
        need: { most: both.most, least: both.least },
        ...{ requestId: caller.requestId, model: line.model },
        detail: taggedDetail({ endpoint: batch.endpoint, batch: batch.id, line: line.number }, caller),
      },
    };
    this.open = open;
    if (this.answeredBy !== undefined && line.answer !== undefined) open.holdId = line.answer.holdId;
    // A sum that is known is that of an answer which is there.
    else if (this.way !== 'with-others' || both.inBatch === undefined) await this.setAside(open);
    return {
      charge: (charge) => this.charge(open, charge),
      checkpoint: () => undefined,
      cancel: () => undefined,
    };
  }

  async send(request: UpstreamRequest, to: DeliveryTarget): Promise<UpstreamReply> {
    const { open } = this;
    const { answer } = this.line;
    if (this.answeredBy !== undefined && answer !== undefined) return this.give(answer, to);
    if (open !== undefined && open.holdId === undefined) return this.handOver(request, to, open);
    return to.upstream.send(request);
  }

  get usage(): BatchUsage {
    const sum: { -readonly [Name in keyof BatchUsage]: number } = { ...NO_USAGE };
    for (const { detail } of this.bills) {
      const used = (detail['usage'] ?? {}) as JsonObject;
      for (const name of Object.keys(sum) as (keyof BatchUsage)[]) sum[name] += Number(used[name] ?? 0);
    }
    return sum;
  }

  /** What the vendor's batch answered, read as an answer of the account. */
  private give(
    { status, body }: NonNullable<ClaimedLine['answer']>,
    { adapter, offer }: DeliveryTarget,
  ): UpstreamReply {
    const json = parseVendorJson(Buffer.from(body).toString('utf8'));
    const reply: UpstreamReply = { status, headers: {}, body, json };
    const fault = adapter.readFault(reply) ?? faultOfStatus(reply);
    if (fault !== undefined) {
      this.isRefused = true;
      throw faultToError(fault, offer.account, reply);
    }
    this.isGiven = true;
    return reply;
  }

  /** Throws `HandedOver`: the vendor's batch takes it for less, or it comes again by itself. */
  private async handOver(request: UpstreamRequest, to: DeliveryTarget, open: OpenReservation): Promise<never> {
    const { store, now, step } = this.parts;
    const { adapter, offer, row, upstream, isPlain } = to;
    const group = isPlain && (row.price.batch ?? 1) < 1 ? adapter.batches?.groupOf(request) : undefined;
    if (group === undefined) {
      this.isAlone = this.isHandedOver = true;
      throw new HandedOver();
    }
    const most = open.inBatch ?? open.hold.need.most;
    const isKept = await store.batches.handOver(
      this.line,
      this.claimant,
      {
        ...{ accountId: offer.account.id, vendorModel: upstream.model, group, body: bodyOf(request) },
        hold: { ...open.hold, need: { most, least: Math.min(most, open.hold.need.least) } },
      },
      now(),
    );
    if (!isKept) throw this.lost();
    this.isHandedOver = true;
    step?.('batch.line.handed-over');
    throw new HandedOver();
  }

  private async setAside(open: OpenReservation): Promise<void> {
    const { store, now, step } = this.parts;
    const holdId = await store.batches.submit(this.line, this.claimant, open.hold, now());
    if (holdId === undefined) throw this.lost();
    open.holdId = holdId;
    step?.('batch.line.submitted');
  }

  private lost(): GatewayError {
    this.isLost = true;
    return new GatewayError('conflict', 'another process runs this line of the batch');
  }

  private charge(
    { holdId }: OpenReservation,
    { units, accountId, priceVersion, detail, endpoint }: Charge,
  ): { charged: number } {
    const { batch, line } = this;
    if (holdId === undefined) throw new GatewayError('internal', 'a line is charged for which nothing is set aside');
    this.bills.push({
      ...{ holdId, charged: units, priceVersion },
      detail: { ...detail, endpoint, batch: batch.id, line: line.number },
      ...(accountId !== undefined && { accountId }),
    });
    return { charged: units };
  }
}

/** On one line: batches are lines of JSON. */
function bodyOf({ body, json }: UpstreamRequest): Uint8Array {
  const bytes = body ?? Buffer.from(JSON.stringify(json));
  return bytes.includes(0x0a) ? Buffer.from(JSON.stringify(JSON.parse(Buffer.from(bytes).toString('utf8')))) : bytes;
}

/**
 * Contents that a vendor keeps by name, for requests to begin with. They lie in the account that made them, under the vendor's own name: a
 * request that refers to one travels as it came, to that account, and no other owner's does (`kinds/chat/vendor-state.ts`). What keeping
 * costs is charged ahead, for all the time that was asked for.
 */
import { createHash } from 'node:crypto';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { ContextCacheAdapter, KeptContext } from '@model-gateway/provider-kit';
import { findModel, offersFor, type ModelRow, type Offer } from '../catalogue.ts';
import { guardrailsFor } from '../guardrails/findings.ts';
import { largestUsage } from '../kinds/chat/pricing.ts';
import type { ChatParts } from '../kinds/chat/types.ts';
import { createVendorState, type VendorState } from '../kinds/chat/vendor-state.ts';
import { runPaid } from '../paid/paid-request.ts';
import { UNTIL_TAKEN } from '../paid/repeat.ts';
import { newTrace, type Trace } from '../paid/trace.ts';
import type { Caller } from '../parts.ts';
import type { CachedContentRecord } from '../ports.ts';

const HOUR_MS = 3_600_000;
/** How long vendors keep what nobody says it of. */
const USUAL_MS = HOUR_MS;
/** Of what is kept. */
const { dialect: DIALECT } = OPERATIONS.generateContent;
/** Whose a name is stays known for longer than anybody pays for. */
const NAME_KEPT_MS = 5 * 365 * 24 * HOUR_MS;
const SWEPT_AT_ONCE = 100;
const MOST_OF_OWNER = 1_000;

export interface CachedContentCall {
  readonly caller: Caller;
  readonly endpoint: string;
}

/** How long to keep it: milliseconds from now, or until when. */
export type Keeping = { readonly forMs: number } | { readonly until: number };

export class CachedContents {
  private readonly parts: ChatParts;
  private readonly state: VendorState;

  constructor(parts: ChatParts) {
    this.parts = parts;
    this.state = createVendorState(parts);
  }

  /** Keeps a content at a vendor of the model. Throws GatewayError; then nothing is charged. */
  async create(
    { caller, endpoint }: CachedContentCall,
    {
      row,
      body,
      keeping,
    }: { readonly row: ModelRow; readonly body: JsonObject; readonly keeping: Keeping | undefined },
    trace: Trace = newTrace(),
  ): Promise<CachedContentRecord> {
    const { parts } = this;
    this.refuseUnbilled(row);
    this.refuseGuarded(caller, row);
    await this.makeRoom(caller);
    const bytes = Buffer.from(JSON.stringify(body));
    const { inputTokens = 0 } = largestUsage(row, dialects[DIALECT].readCost(body), bytes.length);
    const hours = this.hoursOf(keeping ?? { forMs: USUAL_MS }, parts.now());
    const able = offersFor(parts.catalogue(), row, caller.mode).filter((offer) => this.cachesOf(offer) !== undefined);
    if (able.length === 0) throw keepsNone(row);
    const offers = await this.state.reachable({ caller, dialect: DIALECT, body: { json: body, bytes } }, able);
    return runPaid(parts, {
      ...{ caller, row, endpoint, trace, repeat: UNTIL_TAKEN },
      quote: { most: { inputTokens, cacheTokenHours: inputTokens * hours } },
      candidates: parts.router.order(offers, row).map((offer) => ({ offer })),
      attempt: async ({ offer }, payment) => {
        const { adapter, upstream } = parts.openOffer(offer, undefined, trace);
        const caches = adapter.contextCaches;
        if (caches === undefined) throw keepsNone(row);
        const createdAt = parts.now();
        const kept = await caches.create(body, upstream);
        const record = this.recordOf(kept, { caller, row, offer, createdAt });
        await this.remember(record, () => caches.remove(kept.name, upstream));
        const keptHours = hoursBetween(createdAt, kept.expiresAt);
        const usage = { inputTokens: kept.tokens, cacheTokenHours: kept.tokens * keptHours };
        payment.settle({ usage, reported: usage });
        return record;
      },
    });
  }

  /** One of the caller's that is kept. Throws `not_found`. */
  async get({ key }: Caller, name: string): Promise<CachedContentRecord> {
    const { store, now } = this.parts;
    const found = await store.cachedContents.find(key, name, now());
    if (found === undefined)
      throw new GatewayError('not_found', `there is no '${name.slice(0, 120)}'`, { param: 'name' });
    return found;
  }

  list(
    { key }: Caller,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<readonly CachedContentRecord[]> {
    const { store, now } = this.parts;
    return store.cachedContents.list(key, { ...page, now: now() });
  }

  /** Keeps one of the caller's for longer, which is charged ahead, or for less. */
  async update(
    { caller, endpoint }: CachedContentCall,
    {
      record,
      body,
      keeping,
    }: { readonly record: CachedContentRecord; readonly body: JsonObject; readonly keeping: Keeping },
    trace: Trace = newTrace(),
  ): Promise<CachedContentRecord> {
    const { parts } = this;
    const { name } = record;
    const row = findModel(parts.catalogue(), record.model, ['chat']);
    const offer = this.homeOf(record, row, caller);
    const more = this.hoursOf(keeping, record.expiresAt);
    return runPaid(parts, {
      ...{ caller, row, endpoint, trace, repeat: UNTIL_TAKEN },
      quote: { most: { cacheTokenHours: record.tokens * more } },
      candidates: [{ offer }],
      attempt: async (_candidate, payment) => {
        const { adapter, upstream } = parts.openOffer(offer, undefined, trace);
        if (adapter.contextCaches === undefined) throw keepsNone(row);
        const { about, expiresAt } = await adapter.contextCaches.update(name, body, upstream);
        await parts.store.cachedContents.update({ name, about, expiresAt });
        const usage = { cacheTokenHours: record.tokens * hoursBetween(record.expiresAt, expiresAt) };
        payment.settle({ usage, reported: usage });
        return { ...record, about, expiresAt };
      },
    });
  }

  /** Lets go of it. What was paid for the rest of its time is not given back: its vendor bills it. */
  async remove(caller: Caller, name: string): Promise<void> {
    const { parts } = this;
    const record = await this.get(caller, name);
    const row = findModel(parts.catalogue(), record.model, ['chat']);
    const { adapter, upstream } = parts.openOffer(this.homeOf(record, row, caller));
    await adapter.contextCaches?.remove(name, upstream);
    await parts.store.cachedContents.remove(name);
  }

  // ---- where it lies -------------------------------------------------------------------------------------------

  private cachesOf({ account }: Offer): ContextCacheAdapter | undefined {
    return this.parts.adapters.get(account.vendor)?.contextCaches;
  }

  /** The account that has it. Throws `unavailable` where it answers no more. */
  private homeOf({ accountId }: CachedContentRecord, row: ModelRow, { mode }: Caller): Offer {
    const home = offersFor(this.parts.catalogue(), row, mode).find(({ account }) => account.id === accountId);
    if (home !== undefined) return home;
    throw new GatewayError('unavailable', 'the vendor account that keeps it answers no requests at the moment');
  }

  /** Written before it is told: what cannot be found again is let go of at once. */
  private async remember(record: CachedContentRecord, forget: () => Promise<void>): Promise<void> {
    const { store, log } = this.parts;
    const { name, ownerId, mode, accountId, createdAt } = record;
    const hash = createHash('sha256').update(name).digest('hex');
    try {
      await store.vendorIds.remember([{ hash, ownerId, mode, accountId, expiresAt: createdAt + NAME_KEPT_MS }]);
      await store.cachedContents.add(record);
    } catch (error) {
      await forget().catch((reason: unknown) => log.warn({ err: reason }, 'a cached content is left at its vendor'));
      throw error;
    }
  }

  private recordOf(
    { name, about, expiresAt, tokens }: KeptContext,
    { caller: { key }, row, offer, createdAt }: Made,
  ): CachedContentRecord {
    const { ownerId, mode, id: keyId } = key;
    return {
      ...{ name, ownerId, mode, keyId, accountId: offer.account.id, model: row.code, tokens, about },
      ...{ createdAt, expiresAt },
    };
  }

  private async makeRoom({ key }: Caller): Promise<void> {
    const { store, now } = this.parts;
    await store.cachedContents.sweep(now(), SWEPT_AT_ONCE);
    const kept = await store.cachedContents.list(key, { now: now(), limit: MOST_OF_OWNER });
    if (kept.length >= MOST_OF_OWNER)
      throw new GatewayError('rate_limited', `your account keeps ${kept.length} contents; delete some of them first`);
  }

  // ---- what is refused -----------------------------------------------------------------------------------------

  private refuseUnbilled(row: ModelRow): void {
    if (row.price.cache_storage === undefined) throw keepsNone(row);
  }

  /** What requests begin with would not be looked through. */
  private refuseGuarded(caller: Caller, row: ModelRow): void {
    const all = this.parts.catalogue().guardrails ?? [];
    const strict = guardrailsFor(this.parts, all, { model: row.code, caller }).find(({ mode }) => mode !== 'observe');
    if (strict === undefined) return;
    throw new GatewayError(
      'forbidden',
      `the guardrail '${strict.name}' cannot check contents that a vendor stores; the operator can exclude '${row.code}' from it`,
      { param: 'model' },
    );
  }

  private hoursOf(keeping: Keeping, from: number): number {
    const until = 'until' in keeping ? keeping.until : this.parts.now() + keeping.forMs;
    return hoursBetween(from, until);
  }
}

interface Made {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly offer: Offer;
  readonly createdAt: number;
}

function hoursBetween(from: number, until: number): number {
  return Math.max(0, until - from) / HOUR_MS;
}

function keepsNone({ code }: ModelRow): GatewayError {
  return new GatewayError('invalid_request', `the model '${code}' does not support cached contents`, {
    param: 'model',
  });
}

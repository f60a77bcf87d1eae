/**
 * What vendors keep (responses, conversations, files, containers) belongs to whom it was made for: accounts are shared by many owners, and
 * to a vendor they are all one. Ids of answers that pass are remembered with owner and mode; a request that refers to another's is refused,
 * and one that refers to the owner's own goes to the account that keeps it.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { createSseParser, dialects, type VendorReference } from '@model-gateway/translate';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../bounded.ts';
import type { Offer } from '../../catalogue.ts';
import { offersKeeping } from '../../paid/kept-by-vendors.ts';
import type { Parts } from '../../parts.ts';
import type { Tenant, VendorIdRecord } from '../../ports.ts';
import type { ChatCall } from './types.ts';
import { VendorIdWriter } from './vendor-id-writer.ts';

/** Vendors keep responses for thirty days. */
const KEPT_MS = 30 * 24 * 3_600_000;
const MOST_RECENT = 20_000;
/** More than any request of a person or a program refers to. */
const MOST_REFERENCES = 1_000;
const MOST_OF_ONE_ANSWER = 200;
/** An answer waits so long for the database to know its ids, and no longer. */
const LONGEST_WRITE_MS = 250;
/** Pauses before an id that is not the caller's is looked for again: another process may be writing it just now. */
const LOOK_AGAIN_MS = [25, 75, 200] as const;

export type VendorStateParts = Pick<Parts, 'store' | 'now' | 'log' | 'unknownVendorIds'> & {
  /** Tests: time of their own. */
  readonly pause?: (ms: number) => Promise<void>;
};
type StatefulCall = Pick<ChatCall, 'caller' | 'dialect' | 'body'>;

/** Hears one answer. */
export interface ReplyObserver {
  /** Its data: a whole reply, or an event of a stream. */
  readonly observe: (data: JsonObject) => void;
  /** When every process can find what was observed, or after a quarter of a second; undefined when nothing was. Never rejects. */
  readonly written: () => Promise<void> | undefined;
}

export interface VendorState {
  /**
   * The offers that may be asked: all of them, at once, for a request that refers to nothing. Throws `not_found` naming the field for what
   * another tenant made, for what nobody here made where that is refused, and for what no account that is left keeps.
   */
  reachable(call: StatefulCall, offers: readonly Offer[]): readonly Offer[] | Promise<readonly Offer[]>;
  /** Who listens to the answer of this call; undefined when it brings nothing that could be referred to. */
  observer(call: StatefulCall, accountId: number): ReplyObserver | undefined;
}

/** Makes the memory of one process over the store that all share. */
export function createVendorState(parts: VendorStateParts): VendorState {
  return new StoredVendorState(parts);
}

class StoredVendorState implements VendorState {
  private readonly parts: VendorStateParts;
  private readonly pause: (ms: number) => Promise<void>;
  private readonly writer: VendorIdWriter;
  /** What the database said, which is read again and again: whose an id is, the database decides. */
  private readonly recent = new LRUCache<string, VendorIdRecord>(atMost(MOST_RECENT));

  constructor(parts: VendorStateParts) {
    this.parts = parts;
    this.pause = parts.pause ?? ((ms) => sleep(ms, undefined, { ref: false }));
    this.writer = new VendorIdWriter(parts);
  }

  reachable(call: StatefulCall, offers: readonly Offer[]): readonly Offer[] | Promise<readonly Offer[]> {
    const references = referencesOf(call, offers);
    return references.length === 0 ? offers : this.check(references, call, offers);
  }

  observer({ caller, dialect, body }: StatefulCall, accountId: number): ReplyObserver | undefined {
    const { vendorIds } = dialects[dialect];
    if (!vendorIds.isKept(body.json)) return undefined;
    const { ownerId, mode } = caller.key;
    const { now } = this.parts;
    const seen = new Set<string>();
    let last: Promise<void> | undefined;
    return {
      observe: (data) => {
        let isNew = false;
        for (const id of vendorIds.inReply(data)) {
          const hash = hashOf(id);
          if (seen.has(hash) || seen.size >= MOST_OF_ONE_ANSWER) continue;
          seen.add(hash);
          if (this.recent.has(hash)) continue;
          this.writer.add({ hash, ownerId, mode, accountId, expiresAt: now() + KEPT_MS });
          isNew = true;
        }
        if (isNew) last = this.writer.write();
      },
      written: () => last && Promise.race([last, this.pause(LONGEST_WRITE_MS)]),
    };
  }

  private async check(
    references: readonly VendorReference[],
    call: StatefulCall,
    offers: readonly Offer[],
  ): Promise<readonly Offer[]> {
    if (references.length > MOST_REFERENCES) throw tooMany();
    let found = await this.keeping(references, call, offers);
    // Another's id waits as long as nobody's: the time tells nothing.
    for (const ms of LOOK_AGAIN_MS) {
      if (!(found instanceof GatewayError) || call.caller.signal.aborted) break;
      await this.pause(ms);
      found = await this.keeping(references, call, offers);
    }
    if (found instanceof GatewayError) throw found;
    return found;
  }

  /** The offers that keep all of them; the refusal when there is none. */
  private async keeping(
    references: readonly VendorReference[],
    { caller }: StatefulCall,
    offers: readonly Offer[],
  ): Promise<readonly Offer[] | GatewayError> {
    const { parts } = this;
    const known = await this.find([...new Set(references.map(({ id }) => hashOf(id)))]);
    let left = offers;
    for (const reference of references) {
      const record = known.get(hashOf(reference.id));
      if (record === undefined || record.expiresAt <= parts.now()) {
        const keeping = await offersKeeping(parts, offers, { ownerId: caller.key.ownerId, id: reference.id });
        if (keeping.length === 0) return missing(reference);
        left = left.filter((offer) => keeping.includes(offer));
        if (left.length === 0) throw elsewhere(reference);
        continue;
      }
      if (!isOf(record, caller.key)) return missing(reference);
      left = left.filter(({ account }) => account.id === record.accountId);
      if (left.length === 0) throw elsewhere(reference);
    }
    return left;
  }

  private async find(hashes: readonly string[]): Promise<ReadonlyMap<string, VendorIdRecord>> {
    const found = new Map<string, VendorIdRecord>();
    for (const hash of hashes) {
      const record = this.recent.get(hash);
      if (record !== undefined) found.set(hash, record);
    }
    const missing = hashes.filter((hash) => !found.has(hash));
    for (const record of missing.length === 0 ? [] : await this.parts.store.vendorIds.find(missing)) {
      this.recent.set(record.hash, record);
      found.set(record.hash, record);
    }
    return found;
  }
}

/** Tells a observer of the first event of a stream, which is read before the answer begins. */
export function observeFirst(first: readonly Buffer[], observer: ReplyObserver): void {
  const parser = createSseParser();
  for (const { data } of first.flatMap((chunk) => parser.push(chunk))) {
    try {
      observer.observe(JSON.parse(data) as JsonObject);
    } catch {
      // Not JSON: whoever forwards it says so.
    }
  }
}

/** Where every offer is behind a translation, that refuses what its wire has no word for, and says what to send instead. */
function referencesOf({ dialect, body }: StatefulCall, offers: readonly Offer[]): readonly VendorReference[] {
  const { vendorIds } = dialects[dialect];
  const references = vendorIds.inRequest(body.json);
  if (references.length === 0 || offers.some((offer) => offer.dialects.includes(dialect))) return references;
  return references.filter(({ param }) => !vendorIds.onlyHere.includes(param.split(/[.[]/, 1)[0] ?? param));
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

function isOf({ ownerId, mode }: VendorIdRecord, tenant: Tenant): boolean {
  return ownerId === tenant.ownerId && mode === tenant.mode;
}

/** The same words for another's and for nobody's: that there is such a thing is not told. */
function missing({ id, param }: VendorReference): GatewayError {
  return new GatewayError(
    'not_found',
    `${param}: '${shown(id)}' was not found; it must come from an answer to one of your keys`,
    {
      param,
      taken: 'no',
    },
  );
}

function elsewhere({ id, param }: VendorReference): GatewayError {
  return new GatewayError(
    'not_found',
    `${param}: '${shown(id)}' is kept by a vendor account that does not serve this model; use the model it was made with, and only ids of one account`,
    { param, taken: 'no' },
  );
}

function tooMany(): GatewayError {
  return new GatewayError(
    'invalid_request',
    `the body refers to more than ${MOST_REFERENCES} ids of things that a vendor stores`,
  );
}

function shown(id: string): string {
  return id.slice(0, 100);
}

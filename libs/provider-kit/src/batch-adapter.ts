/** A vendor's own batches: many requests that it answers within a day, at a lower price (docs/wire/batches.md). */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Upstream, UpstreamRequest } from './adapter.ts';

/** Requests that are sent together. */
export interface NewVendorBatch {
  /** Unique and unguessable, the same whenever it is tried again: the batch is found by it. Letters, digits and dashes, at most 40. */
  readonly name: string;
  /** What `groupOf` says of all its lines. */
  readonly group: string;
  readonly lines: number;
  /** Bytes of all bodies together. */
  readonly bytes: number;
  /** Characters of each line's id: all ids are as long. */
  readonly idLength: number;
  /** The lines, each body a JSON object; may be opened more than once. */
  readonly open: () => AsyncIterable<{ readonly id: string; readonly body: Uint8Array }>;
}

export type BatchProgress =
  | { readonly state: 'running'; readonly ticket: JsonObject }
  /**
   * Nothing more happens. Lines without a result have not been run; `unanswered` says why: `refused` when the batch was not begun at all.
   */
  | {
      readonly state: 'ended';
      readonly ticket: JsonObject;
      readonly unanswered: 'expired' | 'cancelled' | 'refused';
      /** Why it was refused, in the vendor's words. */
      readonly reason?: string;
    }
  /** The vendor knows no such batch. */
  | { readonly state: 'missing' };

/** What became of a line: what was answered to it, as to a request by itself, or why it was not run. */
export type BatchResult =
  | { readonly id: string; readonly status: number; readonly body: Json }
  | { readonly id: string; readonly notRun: 'expired' | 'cancelled' };

export interface FoundBatch {
  readonly ticket: JsonObject;
  readonly isCertain: boolean;
}

export interface BatchAdapter {
  /** Of one batch. */
  readonly limits: { readonly lines: number; readonly bytes: number };
  /** What requests must have in common to share a batch, beside the model; undefined where a request cannot be a line. Pure. */
  groupOf(request: UpstreamRequest): string | undefined;
  /** Puts the lines where `create` finds them; absent where they come with it. May be repeated: what an earlier try left expires by itself. */
  upload?(batch: NewVendorBatch, upstream: Upstream): Promise<JsonObject>;
  /** Asks once. The ticket is stored as it is and given back to the others, perhaps a day later. */
  create(batch: NewVendorBatch, uploaded: JsonObject, upstream: Upstream): Promise<JsonObject>;
  /**
   * Looks for the batch of a `create` that was not answered: tickets of those that it may be. None: the vendor certainly has not got it. Where
   * there is one that is not certain, its results tell by their ids.
   */
  find(
    batch: Pick<NewVendorBatch, 'name' | 'lines'> & { readonly askedAt: number },
    upstream: Upstream,
  ): Promise<readonly FoundBatch[]>;
  check(ticket: JsonObject, upstream: Upstream): Promise<BatchProgress>;
  /** The results of a batch that has ended, in any order; a line may be left out. */
  results(ticket: JsonObject, upstream: Upstream): AsyncIterable<BatchResult>;
  cancel(ticket: JsonObject, upstream: Upstream): Promise<void>;
  /** Removes what the vendor keeps of it. */
  remove(ticket: JsonObject, upstream: Upstream): Promise<void>;
}

const MOST_PAGES = 20;
/** How far a vendor's clock may be from the gateway's. */
export const CLOCKS_DIFFER_MS = 300_000;

/** A vendor's list of batches, newest first. */
export interface BatchList {
  /** The first page without `after`, then the one behind it. `next` is absent on the last. */
  readonly page: (after: string | undefined) => Promise<{ readonly batches: readonly Json[]; readonly next?: string }>;
  /** In milliseconds; undefined or NaN where the vendor does not say. */
  readonly createdAt: (batch: Json) => number | undefined;
  /** The batch where it is the one that is looked for, or may be. */
  readonly pick: (batch: Json) => FoundBatch | undefined;
}

/** Looks through the pages until one is certain, or all were seen that are not older than what is looked for. A time that nobody knows is never older: what is not seen would be paid twice. */
export async function lookThroughPages(
  { page, createdAt, pick }: BatchList,
  askedAt: number,
): Promise<readonly FoundBatch[]> {
  const found: FoundBatch[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { batches, next } = await page(after);
    for (const batch of batches) {
      const picked = pick(batch);
      if (picked?.isCertain === true) return [picked];
      if (picked !== undefined) found.push(picked);
    }
    const oldest = createdAt(batches.at(-1) ?? null) ?? Number.NaN;
    if (next === undefined || oldest < askedAt - CLOCKS_DIFFER_MS) return found;
    after = next;
  }
  throw new GatewayError('upstream_unavailable', 'the vendor has too many batches to find one among them');
}

/** Lines in a frame around each body, and how many bytes they have together. */
export function framedLines(
  { lines, bytes, idLength, open }: NewVendorBatch,
  frame: { readonly head: (id: string) => string; readonly between?: string; readonly tail: string },
  around: { readonly before: string; readonly after: string } = { before: '', after: '' },
): { readonly size: number; readonly open: () => AsyncIterable<Uint8Array> } {
  const { head, tail, between = '' } = frame;
  const { before, after } = around;
  const ofLine = Buffer.byteLength(head('x'.repeat(idLength))) + Buffer.byteLength(tail);
  return {
    size: before.length + after.length + bytes + lines * ofLine + Math.max(0, lines - 1) * between.length,
    async *open() {
      if (before !== '') yield Buffer.from(before);
      let isFirst = true;
      for await (const { id, body } of open()) {
        yield Buffer.from((isFirst ? '' : between) + head(id));
        yield body;
        yield Buffer.from(tail);
        isFirst = false;
      }
      if (after !== '') yield Buffer.from(after);
    },
  };
}

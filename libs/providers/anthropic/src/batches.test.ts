import type { JsonObject } from '@model-gateway/contracts';
import type { Upstream, UpstreamRequest } from '@model-gateway/provider-kit';
import { expect, it } from 'vitest';
import { batches } from './batches.ts';

const ASKED_AT = Date.UTC(2026, 0, 2);
const BATCH = { name: 'gw-1', lines: 3, askedAt: ASKED_AT };

/** A vendor that has so many pages of batches, each made at the same time. */
function vendorWith(pages: number, createdAt: number | undefined, processing = 7): Upstream {
  let page = 0;
  const send = async (_request: UpstreamRequest) => {
    page++;
    const each = {
      id: `batch_${page}`,
      ...(createdAt !== undefined && { created_at: new Date(createdAt).toISOString() }),
      request_counts: { processing },
    };
    const json: JsonObject = { data: page > pages ? [] : [each] };
    return { status: 200, headers: {}, body: new Uint8Array(), json };
  };
  return { send } as unknown as Upstream;
}

it('a batch is certainly not there when all that may be it were looked at, never when the looking stopped', async () => {
  const later = ASKED_AT + 86_400_000;
  await expect(batches.find(BATCH, vendorWith(3, later))).resolves.toEqual([]);
  await expect(batches.find(BATCH, vendorWith(1000, ASKED_AT - 86_400_000))).resolves.toEqual([]);
  await expect(batches.find(BATCH, vendorWith(1000, later))).rejects.toMatchObject({ code: 'upstream_unavailable' });
});

it('a batch of as many requests whose time nobody says may be the one', async () => {
  const found = ['batch_1', 'batch_2'].map((id) => ({ ticket: { id }, isCertain: false }));
  await expect(batches.find(BATCH, vendorWith(2, undefined, 3))).resolves.toEqual(found);
  await expect(batches.find(BATCH, vendorWith(2, ASKED_AT, 3))).resolves.toEqual(found);
  await expect(batches.find(BATCH, vendorWith(2, ASKED_AT + 86_400_000, 3))).resolves.toEqual([]);
});

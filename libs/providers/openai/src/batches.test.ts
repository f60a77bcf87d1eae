import type { JsonObject } from '@model-gateway/contracts';
import type { Upstream, UpstreamRequest } from '@model-gateway/provider-kit';
import { expect, it } from 'vitest';
import { batches } from './batches.ts';

const ASKED_AT = Date.UTC(2026, 0, 2);
const BATCH = { name: 'gw-1', lines: 3, askedAt: ASKED_AT };

/** A vendor whose list has one batch on each page. */
function vendorWith(pages: readonly JsonObject[]): Upstream {
  const send = async ({ path }: UpstreamRequest) => {
    const after = /after=b(\d+)/.exec(path)?.[1];
    const index = after === undefined ? 0 : Number(after) + 1;
    const json: JsonObject = { data: index < pages.length ? [{ id: `b${index}`, ...pages[index] }] : [] };
    return { status: 200, headers: {}, body: new Uint8Array(), json };
  };
  return { send } as unknown as Upstream;
}

it('a batch is found behind those whose time nobody says, and is not there when older ones begin', async () => {
  const mine = { metadata: { gateway_batch: 'gw-1' }, input_file_id: 'file-1', created_at: ASKED_AT / 1000 };
  const found = [{ ticket: { id: 'b2', file: 'file-1' }, isCertain: true }];
  await expect(batches.find(BATCH, vendorWith([{}, { created_at: null }, mine]))).resolves.toEqual(found);
  const older = { created_at: ASKED_AT / 1000 - 3600 };
  await expect(batches.find(BATCH, vendorWith([{}, older, mine]))).resolves.toEqual([]);
});

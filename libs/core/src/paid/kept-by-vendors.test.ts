/** Files, media and tasks of an account are no tenant's: bodies that name them are refused where there are several owners. */
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { Offer } from '../catalogue.ts';
import { ensureOwner } from '../money/spending.ts';
import { accountOf, offerOf } from '../routing/testing/accounts.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { offersKeeping, refuseKept, type KeptParts } from './kept-by-vendors.ts';

const stores = new Map<number, KeptParts['store']>();
afterAll(() => Promise.all([...stores.values()].map((store) => store.close())));

/** Owners as keys make them, each with the row that pays for its test keys. */
async function parts(owners: number, unknownVendorIds?: 'refuse' | 'pass'): Promise<KeptParts> {
  let store = stores.get(owners);
  if (store === undefined) {
    stores.set(owners, (store = await openTestStore()));
    for (let id = 1; id <= owners; id++) await ensureOwner(store.owners, { id, group: 'default' }, 0);
  }
  return { store, ...(unknownVendorIds !== undefined && { unknownVendorIds }) };
}
const plain = { ownerId: 1, offers: [offerOf(accountOf(1))] };

const named: readonly (readonly [string, JsonObject])[] = [
  ['input_reference.file_id', { input_reference: { file_id: 'file-1' } }],
  ['FileInfos[0].FileId', { FileInfos: [{ Type: 'File', FileId: '52858908' }] }],
  ['fileInfos[0].fileId', { fileInfos: [{ fileId: '52858908' }] }],
  ['LastFrameFileId', { LastFrameFileId: '52858908' }],
  ['content[1].draft_task', { content: [{ type: 'text' }, { type: 'draft_task', draft_task: { id: 'cgt-1' } }] }],
  ['element_list[0].element_id', { element_list: [{ element_id: 12 }] }],
  ['remixed_from_video_id', { remixed_from_video_id: 'video_1' }],
  ['metadata.origin_task_id', { metadata: { origin_task_id: '1' } }],
  ['ExtInfo', { ExtInfo: '{"AdditionalParameters":"{\\"element_id\\":1}"}' }],
];
it.each(named)('%s is refused, unless there is one owner or the operator passes it', async (param, body) => {
  await expect(refuseKept(await parts(2), body, plain)).rejects.toMatchObject({
    code: 'not_found',
    details: { param },
  });
  await expect(refuseKept(await parts(1, 'refuse'), body, plain)).rejects.toMatchObject({ code: 'not_found' });
  await refuseKept(await parts(1), body, plain);
  await refuseKept(await parts(2, 'pass'), body, plain);
});

it.each<JsonObject>([
  { voice_list: [{ voice_id: 'genshin_klee' }], template_id: 't', profile_id: 'p', external_task_id: 'mine' },
  { input_reference: { image_url: 'https://example.com/file_id/a.png' }, prompt: 'file_id: 1' },
  { file_ids: [], FileId: '', video_id: null },
  { ExtInfo: '{"AdditionalParameters":"{}"}' },
])('what names nothing of an account is taken: %j', async (body) => refuseKept(await parts(2), body, plain));

describe('an account whose things have owners', () => {
  const assigned: Offer = offerOf({ ...accountOf(1), owners: [1, 2], vendorIds: { 'file-of-3': [3] } });
  const other: Offer = offerOf(accountOf(2));
  it.each<readonly [string, number, string, 'pass' | undefined, readonly Offer[]]>([
    ['its owners’', 2, 'file-x', undefined, [assigned]],
    ['nobody else’s', 3, 'file-x', undefined, []],
    ['nobody else’s where others pass', 3, 'file-x', 'pass', [other]],
    ['a single thing’s owner', 3, 'file-of-3', undefined, [assigned]],
    ['no owner of the account’s beside him', 1, 'file-of-3', 'pass', []],
    ['a name of JavaScript’s', 3, 'constructor', undefined, []],
  ])('%s', async (_, ownerId, id, unknown, expected) => {
    expect(await offersKeeping(await parts(3, unknown), [assigned, other], { ownerId, id })).toEqual(expected);
  });

  it('a body is taken where every account that may be asked is the owner’s', async () => {
    const body = { input_reference: { file_id: 'file-x' } };
    await refuseKept(await parts(2), body, { ownerId: 2, offers: [assigned] });
    await expect(refuseKept(await parts(2), body, { ownerId: 2, offers: [assigned, other] })).rejects.toMatchObject({
      code: 'not_found',
    });
    const packed = { ExtInfo: '{"element_id":1}', FileId: 'file-of-3' };
    await expect(refuseKept(await parts(3), packed, { ownerId: 2, offers: [assigned] })).rejects.toMatchObject({
      details: { param: 'FileId' },
    });
  });
});

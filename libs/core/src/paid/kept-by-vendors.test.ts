/** Files, media and tasks of an account are no tenant's: bodies that name them are refused where there are several owners. */
import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { refuseKept, type KeptParts } from './kept-by-vendors.ts';

const parts = (owners: number, unknownVendorIds?: 'refuse' | 'pass'): KeptParts =>
  ({
    store: { owners: { list: async () => Array.from({ length: owners }) } },
    ...(unknownVendorIds !== undefined && { unknownVendorIds }),
  }) as unknown as KeptParts;

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
  await expect(refuseKept(parts(2), body)).rejects.toMatchObject({ code: 'not_found', details: { param } });
  await expect(refuseKept(parts(1, 'refuse'), body)).rejects.toMatchObject({ code: 'not_found' });
  await refuseKept(parts(1), body);
  await refuseKept(parts(2, 'pass'), body);
});

it.each<JsonObject>([
  { voice_list: [{ voice_id: 'genshin_klee' }], template_id: 't', profile_id: 'p', external_task_id: 'mine' },
  { input_reference: { image_url: 'https://example.com/file_id/a.png' }, prompt: 'file_id: 1' },
  { file_ids: [], FileId: '', video_id: null },
  { ExtInfo: '{"AdditionalParameters":"{}"}' },
])('what names nothing of an account is taken: %j', (body) => refuseKept(parts(2), body));

import { expect, it } from 'vitest';
import type { ArrivingFile, UploadedFileRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { unique } from './test-rows.ts';

describeDatabases('uploaded files', openStore, ({ store, replica }) => {
  const room = { bytes: 100, files: 3 };
  let owner = 500;
  const tenantOf = () => ({ ownerId: owner++, mode: 'live' as const });
  const arriving = (tenant: Pick<ArrivingFile, 'ownerId' | 'mode'>, size: number, createdAt = 10): ArrivingFile => ({
    ...tenant,
    ...{ id: `file-gw${unique()}`, location: 'a.bin', size, createdAt, expiresAt: 1000 },
  });
  const whole = ({ ownerId, mode, id, size, createdAt }: ArrivingFile): UploadedFileRecord => ({
    ...{ ownerId, mode, id, size, createdAt, location: 'a.bin', expiresAt: 5000 },
    ...{ filename: 'a.txt', purpose: 'batch', mime: 'text/plain', digest: 'd' },
  });

  it('is invisible until it is whole, and belongs to its owner and mode', async () => {
    const tenant = tenantOf();
    const file = arriving(tenant, 5);
    const { uploadedFiles } = store();
    expect(await uploadedFiles.begin(file, room, 10)).toBeUndefined();
    expect(await uploadedFiles.find(tenant, file.id, 10)).toBeUndefined();
    expect(await uploadedFiles.list(tenant, { order: 'asc', limit: 9 }, 10)).toEqual([]);
    expect(await uploadedFiles.finish(whole(file))).toBe(true);
    expect(await uploadedFiles.find(tenant, file.id, 10)).toStrictEqual(whole(file));
    for (const other of [
      { ...tenant, mode: 'test' as const },
      { ...tenant, ownerId: 1 },
    ]) {
      expect(await uploadedFiles.find(other, file.id, 10)).toBeUndefined();
      expect(await uploadedFiles.end(other, file.id, 10)).toBeUndefined();
      expect(await uploadedFiles.list(other, { order: 'asc', limit: 9, after: file.id }, 10)).toBeUndefined();
    }
    await uploadedFiles.discard(file.id, 11);
    expect(await uploadedFiles.end(tenant, file.id, 12)).toStrictEqual(whole(file));
    expect(await uploadedFiles.find(tenant, file.id, 12)).toBeUndefined();
    expect(await uploadedFiles.end(tenant, file.id, 12)).toBeUndefined();
    expect((await store().files.expired(12, 99)).map(({ id }) => id)).toContain(file.id);
  });

  it('never gives out more room than there is, to files that come at once either', async () => {
    const tenant = tenantOf();
    const stores = [store().uploadedFiles, replica().uploadedFiles];
    const files = Array.from({ length: 8 }, () => arriving(tenant, 1));
    const given = await Promise.all(files.map((file, at) => stores[at % 2]!.begin(file, room, 10)));
    expect(given.filter((fault) => fault === undefined)).toHaveLength(3);
    expect(given.filter((fault) => fault === 'files')).toHaveLength(5);
    const [first, second] = files.filter((_, at) => given[at] === undefined);
    const grow = ({ id }: ArrivingFile, size: number) =>
      stores[0]!.grow({ ...tenant, id, size, expiresAt: 2000 }, room, 10);
    expect(await grow(first!, 98)).toBeUndefined();
    expect(await grow(second!, 2)).toBe('bytes');
    expect(await grow(first!, 97)).toBeUndefined();
    expect(await grow(second!, 2)).toBeUndefined();
    await stores[0]!.discard(first!.id, 20);
    expect(await stores[0]!.begin(arriving(tenant, 97), room, 20)).toBeUndefined();
  });

  it('a file that the sweep took is not finished', async () => {
    const file = arriving(tenantOf(), 5);
    await store().uploadedFiles.begin(file, room, 10);
    await store().files.expired(1000, 999);
    expect(await store().uploadedFiles.finish(whole(file))).toBe(false);
  });

  it('pictures that a vendor made are no uploaded files, and the other way round', async () => {
    const tenant = tenantOf();
    const picture = { ...tenant, id: `file_${unique()}`, mime: 'image/png', size: 50, location: 'p.png' };
    await store().files.create({ ...picture, createdAt: 5, expiresAt: 9000 });
    const file = arriving(tenant, 90);
    expect(await store().uploadedFiles.begin(file, room, 10)).toBeUndefined();
    await store().uploadedFiles.finish(whole(file));
    expect(await store().uploadedFiles.find(tenant, picture.id, 10)).toBeUndefined();
    await store().files.endOldest(tenant, 0, 20);
    expect(await store().uploadedFiles.find(tenant, file.id, 20)).toBeDefined();
  });

  it('the parts of an upload come, are put together or go with it', async () => {
    const tenant = tenantOf();
    const { uploadedFiles } = store();
    const upload = {
      ...tenant,
      ...{
        id: `upload_${unique()}`,
        filename: 'a.bin',
        purpose: 'batch',
        mime: '',
        size: 7,
        status: 'pending' as const,
      },
      ...{ createdAt: 10, expiresAt: 900 },
    };
    expect(await uploadedFiles.createUpload(upload, 1)).toBe(true);
    expect(await uploadedFiles.createUpload({ ...upload, id: 'upload_other' }, 1)).toBe(false);
    expect(await uploadedFiles.findUpload(tenant, upload.id)).toStrictEqual(upload);
    expect(await uploadedFiles.findUpload({ ...tenant, mode: 'test' }, upload.id)).toBeUndefined();
    const part = arriving(tenant, 3);
    await uploadedFiles.begin(part, room, 10);
    expect(await uploadedFiles.parts(upload.id, 10)).toEqual([]);
    expect(await uploadedFiles.finishPart({ id: part.id, uploadId: upload.id, size: 3, position: '' })).toBe(true);
    expect(await uploadedFiles.parts(upload.id, 10)).toMatchObject([{ id: part.id, size: 3 }]);
    expect(await uploadedFiles.find(tenant, part.id, 10)).toBeUndefined();
    expect(await uploadedFiles.endUpload(upload.id, { status: 'completed', fileId: 'f' }, 20)).toBe(true);
    expect(await uploadedFiles.endUpload(upload.id, { status: 'cancelled' }, 20)).toBe(false);
    expect(await uploadedFiles.parts(upload.id, 20)).toEqual([]);
    expect(await uploadedFiles.findUpload(tenant, upload.id)).toStrictEqual({
      ...upload,
      status: 'completed',
      fileId: 'f',
    });
    const late = arriving(tenant, 3);
    await uploadedFiles.begin(late, room, 20);
    expect(await uploadedFiles.finishPart({ id: late.id, uploadId: upload.id, size: 3, position: '' })).toBe(false);
    await store().files.expired(900, 99);
    expect(await uploadedFiles.findUpload(tenant, upload.id)).toBeUndefined();
  });
});

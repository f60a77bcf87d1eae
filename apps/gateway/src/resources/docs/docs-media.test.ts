/** Pictures, films and sounds of the portal, made by the sources and read from the bundle's folder: bytes stay bytes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import express from 'express';
import request from 'supertest';
import { docs } from './docs.ts';
import { openPortal } from './portal-from-disk.ts';

it('a film of the catalogue is a film', async () => {
  const app = express();
  app.use(docs());
  const film = await request(app).get('/docs/media/veo-3.1.mp4').buffer(true);
  expect([film.status, film.headers['content-type']]).toEqual([200, 'video/mp4']);
  expect(Buffer.from(film.body as Uint8Array).toString('latin1', 4, 8)).toBe('ftyp');
  expect((await request(app).get('/docs/media/nothing.mp4')).status).toBe(404);
});

it('a file that is no text is read from disk as it is', async () => {
  const folder = `${mkdtempSync(join(tmpdir(), 'portal-'))}/`;
  const bytes = Buffer.from([0, 255, 128, 254, 10]);
  try {
    writeFileSync(join(folder, 'a.webp'), bytes);
    const portal = await openPortal(folder);
    expect(await portal.file('a.webp')).toEqual({ type: 'image/webp', body: bytes });
    expect(await portal.file('b.webp')).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

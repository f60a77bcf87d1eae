/** Links of our own open without a key; they die with what they show, and with the last key of its owner and mode. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
/** Its vendor's links need the vendor's key, so that its result_url is ours even without copies. */
const SORA = { model: 'sora-2', prompt: 'A kite', seconds: '4', size: '1280x720' };

describe.each([
  { copies: false, body: SORA, endpoint: '/v1/videos', path: '/v1/videos/' },
  { copies: true, body: VIDEO, endpoint: '/v1/video/generations', path: '/files/' },
])('copies kept: $copies', ({ copies, body, endpoint, path }) => {
  let now = Date.now() - 48 * 3_600_000;
  let gateway: TestGateway;
  let admin: Admin;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-links-'));
    gateway = await openTestGateway({
      clock: () => now,
      yaml: `security: { allow_private: ['127.0.0.1'] }`,
      files: `{ folder: '${folder}', copy_results: ${String(copies)}, keep_hours: 2 }`,
    });
    admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(key: string, url: string, method = 'GET', json?: JsonObject): Promise<JsonObject> {
    const reply = await fetch(`${gateway.url}${url}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return (await reply.json()) as JsonObject;
  }
  const play = async (link: string): Promise<number> => {
    const reply = await fetch(link, { headers: { range: 'bytes=4-7' } });
    await reply.arrayBuffer();
    return reply.status;
  };
  /** A finished video of a key: its id, and its link. */
  async function finished(key: string): Promise<{ readonly id: string; readonly link: string }> {
    const made = await call(key, endpoint, 'POST', body);
    const id = made['id'] as string;
    now += 600_000;
    await gateway.server.tasks.runDue();
    const { data } = (await call(key, `/v1/video/generations/${id}`)) as { data: JsonObject };
    const link = data['result_url'] as string;
    expect(link.startsWith(`${gateway.url}${path}`)).toBe(true);
    expect(await play(link)).toBe(206);
    return { id, link };
  }

  it('a deleted video takes its link with it, and the kept copy', async () => {
    const { id, link } = await finished(gateway.liveKey);
    const kept = copies ? readdirSync(folder).length : 0;
    await call(gateway.liveKey, `/v1/videos/${id}`, 'DELETE');
    expect(await play(link)).toBe(404);
    expect(kept).toBe(copies ? 1 : 0);
  });

  it('it does not outlive its time', async () => {
    const { link } = await finished(gateway.liveKey);
    now += 2 * 3_600_000;
    expect(await play(link)).toBe(401);
    // Nor does a later time written into it help.
    expect(await play(link.replace(/expires=\d+/, `expires=${Math.floor(now / 1000) + 3600}`))).toBe(401);
  });

  it('a key that is revoked leaves the links of its owner; the last key of owner and mode takes them along', async () => {
    const owner = await admin.owners.create({ name: 'links', credit_limit: null });
    const first = await admin.keys.create({ name: 'first', owner_id: owner.id });
    const second = await admin.keys.create({ name: 'second', owner_id: owner.id });
    await admin.keys.create({ name: 'test', owner_id: owner.id, mode: 'test' });
    const { link } = await finished(first.secret);
    await admin.keys.revoke(first.key.id);
    expect(await play(link)).toBe(206);
    await admin.keys.revoke(second.key.id);
    expect(await play(link)).toBe(404);
  });

  if (copies)
    it('a file that was removed from its folder is a 404, not a cut connection', async () => {
      const before = new Set(readdirSync(folder));
      const { link } = await finished(gateway.liveKey);
      for (const name of readdirSync(folder)) if (!before.has(name)) rmSync(`${folder}/${name}`);
      expect(await play(link)).toBe(404);
    });
});

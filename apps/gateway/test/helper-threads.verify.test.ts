/** A started gateway: V8's threads give way to the one that serves (docs/decisions/0033-helper-threads.md). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startGatewayProcess } from '@model-gateway/testing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-threads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// Elsewhere threads have no priority of their own.
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('gateway serve lowers the priority of all of them, and of nothing else', async () => {
  writeFileSync(join(folder, 'gateway.yaml'), "server: { port: 0 }\ndatabase: { url: 'sqlite::memory:' }\n");
  const gateway = await startGatewayProcess({ folder });
  try {
    const pid = gateway.child.pid ?? NaN;
    const tasks = `/proc/${pid}/task`;
    const threads = readdirSync(tasks).map((id) => ({
      isHelper: readFileSync(`${tasks}/${id}/comm`, 'utf8').trim() === 'V8Worker',
      lowered: getPriority(Number(id)) - getPriority(pid),
    }));
    expect(threads.filter(({ isHelper }) => isHelper).length).toBeGreaterThan(0);
    for (const { isHelper, lowered } of threads)
      expect({ isHelper, lowered }).toEqual({ isHelper, lowered: isHelper ? 4 : 0 });
    expect(getPriority(pid)).toBe(getPriority());
  } finally {
    await gateway.kill();
  }
});

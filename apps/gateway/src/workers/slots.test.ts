/** What the primary knows of a worker whose channel has ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('takes no connection from the end of its channel on, before its process is known to have ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-slots-'));
  const program = join(folder, 'worker.mjs');
  // Lives on without a channel until it is killed, as a process that dies does for a moment.
  writeFileSync(
    program,
    `process.send({ kind: 'taken', id: process.pid }, () => process.disconnect()); setInterval(() => undefined, 1000);`,
  );
  const silent = Promise.withResolvers<{ readonly isReady: boolean; readonly hasEnded: boolean }>();
  const ended = Promise.withResolvers<undefined>();
  let pid = 0;
  let hasEnded = false;
  const slots = createSlots({
    count: 1,
    program,
    args: [],
    environment: {},
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    now: () => 0,
    onMessage(slot, message) {
      if (message.kind === 'taken') pid = message.id;
      slot.isReady = true;
    },
    onExit: () => {
      hasEnded = true;
      ended.resolve(undefined);
      return false;
    },
    onSilence: ({ isReady }) => silent.resolve({ isReady, hasEnded }),
  });
  slots.start();
  const seen = await silent.promise;
  // Nobody's number would be everybody's.
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  await ended.promise;
  rmSync(folder, { recursive: true, force: true });
  expect(seen).toEqual({ isReady: false, hasEnded: false });
});

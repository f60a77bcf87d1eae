/** A cloud's bill has millions of rows: the command adds them up in little memory, whatever their number. */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const DAYS = 30;
/** All rows together are 115 MB of text, and more as objects. */
const MOST_MEGABYTES = 60;
const PADDING = 'x'.repeat(120);

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bills-'));
  gateway = await openTestGateway({});
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

it('half a million rows of a packed file are thirty days, in the memory of a few rows', async () => {
  const few = await check(DAYS);
  const many = await check(500_000);
  expect(few.check.unknown).toMatchObject([{ days: DAYS }]);
  expect(many.check.unknown).toMatchObject([{ days: DAYS, usd: 0.5 }]);
  expect(few.megabytes).toBeGreaterThan(0);
  expect(many.megabytes - few.megabytes).toBeLessThan(MOST_MEGABYTES);
}, 120_000);

/** Compares a file of so many rows, in a process of its own whose young objects have little room: its memory is what the command holds. */
async function check(rows: number): Promise<{ check: components['schemas']['BillCheck']; megabytes: number }> {
  const file = join(folder, `${rows}.csv.gz`);
  await pipeline(Readable.from(bill(rows)), createGzip({ level: 1 }), createWriteStream(file));
  const line = ['bills', 'check', file, '--vendor', 'aws', '--url', gateway.url, '--json'];
  const child = spawn(process.execPath, ['--max-semi-space-size=4', MAIN, ...line], {
    env: { PATH: process.env.PATH, GATEWAY_ADMIN_KEY: gateway.adminKey },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let megabytes = 0;
  const watch = setInterval(() => (megabytes = mostMemory(child.pid) ?? megabytes), 10);
  const said = await text(child.stdout).finally(() => clearInterval(watch));
  return { check: JSON.parse(said) as components['schemas']['BillCheck'], megabytes };
}

/** The most that a process has held, in megabytes; undefined once it has ended. */
function mostMemory(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

function* bill(rows: number): Generator<string> {
  yield 'identity_line_item_id,line_item_usage_start_date,line_item_unblended_cost,line_item_usage_type,line_item_product_code\n';
  let piece = '';
  for (let row = 0; row < rows; row++) {
    const day = String((row % DAYS) + 1).padStart(2, '0');
    piece += `${PADDING}${row},2026-09-${day}T00:00:00Z,0.000001,USE1-NovaPro-input-tokens,AmazonBedrock\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

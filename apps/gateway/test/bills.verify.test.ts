/** A cloud's bill has millions of rows: they are added up in little memory, whatever their number. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { expect, it } from 'vitest';
import { readBill } from '@model-gateway/contracts/bills';
import { exportRows } from '../src/resources/bills/export-rows.ts';

const ROWS = 1_000_000;
const DAYS = 30;
const MOST_MEMORY = 150 * 1024 * 1024;
const PADDING = 'x'.repeat(120);

function* rows(): Generator<string> {
  yield 'identity_line_item_id,line_item_usage_start_date,line_item_unblended_cost,line_item_usage_type,line_item_product_code\n';
  let piece = '';
  for (let row = 0; row < ROWS; row++) {
    const day = String((row % DAYS) + 1).padStart(2, '0');
    piece += `${PADDING}${row},2026-09-${day}T00:00:00Z,0.000001,USE1-NovaPro-input-tokens,AmazonBedrock\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

it('a million rows of a packed file are thirty lines', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bills-'));
  try {
    const file = join(folder, 'cur.csv.gz');
    await pipeline(Readable.from(rows()), createGzip({ level: 1 }), createWriteStream(file));
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
    const { lines } = await readBill('aws', exportRows(file)).finally(() => clearInterval(timer));
    expect(lines).toHaveLength(DAYS);
    expect(lines.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(ROWS / 1_000_000, 9);
    expect(most).toBeGreaterThan(0);
    expect(most - before).toBeLessThan(MOST_MEMORY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

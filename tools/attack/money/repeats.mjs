/** A client that repeats: every paid operation of the document, plain, streamed and in the background, again and again under one Idempotency-Key. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  paidOperations,
  paidRequestsOf,
  sendPaid,
  withOtherText,
} from '../../../libs/testing/src/document-examples.ts';
import { ledgerTools, openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol } from './payers.mjs';

const TIMES = 5;
const SECRET = 'sk-attack-repeats-0123456789abcdef';
const FLUSH_MS = 1_500;

/** Counts bills of each request beyond the first, and other bodies that were answered under the same key. */
export async function repeatPaid({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const payer = { name: 'repeats', cap: 1_000 * DOLLAR, secret: SECRET };
  await enrol(database.url, [payer]);
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: '${database.url}' }
files: { folder: '${folder}/files' }
security: { encryption_key: '${Buffer.alloc(32, 1).toString('base64')}' }
twin: { enabled: true, video_seconds: 1 }
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  const requests = paidOperations()
    .flatMap((id) => (short ? shortListOf(id) : paidRequestsOf(id)))
    .filter(({ body }) => body.callback_url === undefined);
  let answered = 0;
  try {
    for (const [index, request] of requests.entries()) {
      const send = (each) => sendPaid({ url: gateway.url, key: SECRET }, each, `repeat-${index}`);
      const all = await Promise.all(Array.from({ length: TIMES }, () => send(request)));
      const refused = all.find(({ status }) => status !== 200);
      if (refused !== undefined) faults.push(`${request.name} was answered ${refused.status} ${refused.text}`);
      else answered++;
      const different = new Set(all.map(({ bytes }) => bytes)).size;
      if (different > 1) faults.push(`${request.name}: ${different} different answers under one key`);
      const { status } = await send(withOtherText(request));
      if (status !== 409) faults.push(`${request.name}: another body under the same key was answered ${status}`);
    }
    await sleep(FLUSH_MS);
    await gateway.kill();
    const bills = await billsOf(database.url, payer);
    if (bills > answered) faults.push(`${bills} bills for ${answered} requests`);
    return {
      measured: `${requests.length} requests, each ${TIMES} times: ${bills} bills, ${faults.length} faults`,
      faults,
    };
  } finally {
    await gateway.kill();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One example of each operation, and each in the background. */
function shortListOf(operationId) {
  return paidRequestsOf(operationId).filter(({ name }, index) => index === 0 || name.includes('background'));
}

/** What was charged, and what is still set aside for a request. */
async function billsOf(databaseUrl, { ownerId }) {
  const { openStore } = await ledgerTools();
  const store = await openStore(databaseUrl, { beside: true });
  const entries = await store.ledger.entries({ ownerId, limit: 100_000 });
  await store.close();
  const ended = new Set(entries.flatMap(({ kind, holdId }) => (kind === 'hold' ? [] : [holdId])));
  const isBill = ({ id, kind, requestId }) =>
    kind === 'capture' || (kind === 'hold' && requestId !== undefined && !ended.has(id));
  return entries.filter(isBill).length;
}

/** Recordings whose heads and tables of times say less than they hold, and vendors that report nothing, nonsense or far too much of them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { DOLLAR, enrol, readBooks } from './payers.mjs';

const FIXTURES = new URL('../../../libs/core/src/media-probe/fixtures/', import.meta.url);
/** Of each recording there. */
const FIXTURE_SECONDS = 2;
const CENTS_PER_SECOND = 1;
const UNITS_PER_SECOND = (CENTS_PER_SECOND * DOLLAR) / 100;
const TIMES = 30;
const TOLERANCE = 0.1;
const FLUSH_MS = 1_500;

const fixture = (name) => readFileSync(new URL(name, FIXTURES));
const chained = (name) => Buffer.concat(Array.from({ length: TIMES }, () => fixture(name)));
const CHAINED_SECONDS = TIMES * FIXTURE_SECONDS;
const HONEST = { bytes: wav(10), seconds: 10, ending: 'wav' };
/** What is sent, how long it is, and what its vendor reports. */
const CASES = {
  'short-chunk': { bytes: wav(60, 8000), seconds: 60, ending: 'wav' },
  'large-blocks': { bytes: wav(60, undefined, 60_000), seconds: 60, ending: 'wav' },
  'chained-vorbis': { bytes: chained('vorbis.ogg'), seconds: CHAINED_SECONDS, ending: 'ogg' },
  'chained-opus': { bytes: chained('opus.ogg'), seconds: CHAINED_SECONDS, ending: 'ogg' },
  'chained-webm': { bytes: chained('opus.webm'), seconds: CHAINED_SECONDS, ending: 'webm' },
  'chained-flac': { bytes: chained('flac.flac'), seconds: CHAINED_SECONDS, ending: 'flac' },
  'timeless-vorbis': { bytes: timeless(fixture('vorbis.webm')), seconds: FIXTURE_SECONDS, ending: 'webm' },
  'report-of-nothing': { ...HONEST, report: 0 },
  'report-of-less': { ...HONEST, report: -5 },
  'report-in-milliseconds': { ...HONEST, report: 10_000 },
  'report-of-anything': { ...HONEST, report: 1e11 },
  'report-beyond': { ...HONEST, report: 1e300 },
};

/** Every case by a payer of ten dollars. */
export async function sendLyingRecordings({ say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const payers = Object.keys(CASES).map((name) => ({
    name,
    cap: 10 * DOLLAR,
    secret: `sk-attack-${name}-0123456789abcdef`,
    billed: () => 0,
  }));
  const vendor = await startScriptedVendor(({ text }) => {
    const { report } = CASES[/model-of-([a-z-]+)/.exec(text)?.[1]] ?? {};
    return {
      json: { text: 'The sea.', ...(report !== undefined && { usage: { type: 'duration', seconds: report } }) },
    };
  });
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, vendor, payers }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const answers = new Map();
    for (const payer of payers) answers.set(payer.name, await send(gateway.url, payer));
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    const measured = books.map(({ payer: { name }, charged }) => {
      const { seconds } = CASES[name];
      const { status, text } = answers.get(name);
      const billed = charged / UNITS_PER_SECOND;
      if (status !== 200) faults.push(`${name} was answered ${status}: ${text.slice(0, 120)}`);
      else if (Math.abs(billed - seconds) > TOLERANCE * seconds)
        faults.push(`${name} has ${seconds} s and was billed ${billed.toFixed(2)} s`);
      const told = `${name} ${billed.toFixed(1)} of ${seconds} s`;
      say(told);
      return told;
    });
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function send(url, { name, secret }) {
  const { bytes, ending } = CASES[name];
  const form = new FormData();
  form.append('model', name);
  form.append('file', new Blob([bytes]), `talk.${ending}`);
  const reply = await fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: reply.status, text: await reply.text() };
}

function configText({ databaseUrl, folder, vendor, payers }) {
  const rows = payers.map(
    ({ name }) =>
      `  - { code: ${name}, kind: transcription, offers: [{ account: one, model: model-of-${name} }], price: { second: ${CENTS_PER_SECOND / 100} } }`,
  );
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
  - { id: 1, name: one, vendor: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none } }
models:
${rows.join('\n')}
`;
}

/** Eight bits, one channel, 8 kHz; `told` bytes in its chunk, and blocks of a size that is not theirs. */
function wav(seconds, told = seconds * 8000, blockBytes = 1) {
  const sound = Buffer.alloc(seconds * 8000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + sound.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(blockBytes, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(told, 40);
  return Buffer.concat([head, sound]);
}

/** Every block at the time 0 of its cluster, and no duration. */
function timeless(webm) {
  const copy = Buffer.from(webm);
  const cluster = copy.indexOf(Buffer.from('1f43b675', 'hex'));
  for (let at = copy.indexOf(0xa3, cluster); at >= 0; at = copy.indexOf(0xa3, at + 1)) {
    const width = copy[at + 1] >= 0x80 ? 1 : copy[at + 1] >= 0x40 ? 2 : 0;
    if (width > 0 && copy[at + 1 + width] === 0x81) copy.writeUInt16BE(0, at + 2 + width);
  }
  const duration = copy.indexOf(Buffer.from('4489', 'hex'));
  if (duration > 0 && duration < cluster) copy.fill(0, duration + 3, duration + 3 + (copy[duration + 2] & 15));
  return copy;
}

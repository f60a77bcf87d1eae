/** A vendor that reports anything of films, sound, pictures, vectors and scores; nothing of it may cost more than was agreed, or keep a hold. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { DOLLAR, enrol, readBooks, settleTheDead } from './payers.mjs';

/** As it stands in the vendor's JSON; undefined: the member is not there. */
const REPORTS = {
  nothing: undefined,
  null: 'null',
  zero: '0',
  negative: '-7',
  text: '"many"',
  thousandfold: '4000',
  large: '99999999',
  huge: '1e308',
  infinite: '1e999',
};
/** What a charge may be of its quote. */
const TOLERANCE = 1.25;
const FLUSH_MS = 1_500;
const TASK_MS = 20_000;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const counts = (names, report) =>
  report === undefined ? '{}' : `{${names.map((name) => `"${name}":${report}`).join(',')}}`;

/** What is asked of each kind, and what the vendor answers; `usage` is the JSON text of a report. */
const KINDS = {
  video: {
    row: 'kind: video, body: seconds, limits: { durations: { min: 4, max: 12, default: 4 } }, price: { second: 0.1 }',
    path: '/v1/videos',
    body: { prompt: 'a boat', seconds: '4' },
  },
  transcription: {
    row: 'kind: transcription, price: { input: 2500, output: 10000 }',
    path: '/v1/audio/transcriptions',
    body: { seconds: 2 },
    answer: (report) => `{"text":"the sea","usage":${counts(['input_tokens', 'output_tokens', 'seconds'], report)}}`,
  },
  embedding: {
    row: 'kind: embedding, price: { input: 2000 }',
    path: '/v1/embeddings',
    body: { input: ['the sea is wide', 'the boat is small'] },
    answer: (report) =>
      `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}],"usage":${counts(['prompt_tokens', 'total_tokens'], report)}}`,
  },
  rerank: {
    row: 'kind: rerank, price: { input: 2000, search_unit: 0.01 }',
    path: '/v1/rerank',
    body: { query: 'the sea', documents: ['wide', 'small'] },
    answer: (report) =>
      `{"results":[{"index":0,"relevance_score":0.9},{"index":1,"relevance_score":0.1}],"usage":${counts(['total_tokens'], report)},"meta":{"billed_units":${counts(['search_units'], report)}}}`,
  },
  image: {
    row: 'kind: image, body: prompt, price: { input: 5, output: 32 }',
    path: '/v1/images/generations',
    body: { prompt: 'a boat', response_format: 'b64_json' },
    answer: (report) =>
      `{"created":1,"data":[{"b64_json":"${PIXEL}"}],"usage":${counts(['input_tokens', 'output_tokens', 'total_tokens'], report)}}`,
  },
  speech: {
    row: 'kind: speech, voices: [alloy], price: { input: 10, output: 1000 }',
    path: '/v1/audio/speech',
    body: { input: 'The sea is wide and the boat is small.', voice: 'alloy', response_format: 'pcm' },
    answer: (report) =>
      `event: speech.audio.delta\ndata: {"type":"speech.audio.delta","audio":"${Buffer.alloc(24_000).toString('base64')}"}\n\nevent: speech.audio.done\ndata: {"type":"speech.audio.done","usage":${counts(['input_tokens', 'output_tokens', 'total_tokens'], report)}}\n\n`,
    type: 'text/event-stream',
  },
};

/** Every report of every kind, each by a payer of his own. */
export async function reportOfAnyKind({ say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const vendor = await startScriptedVendor(answerFor);
  const payers = Object.keys(KINDS).flatMap((kind) =>
    Object.keys(REPORTS).map((report) => ({
      name: `${kind}-${report}`,
      kind,
      cap: 100 * DOLLAR,
      secret: `sk-attack-${kind}-${report}-0123456789abcdef`,
      billed: () => 0,
    })),
  );
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, payers, vendor }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    for (const payer of payers) {
      payer.quote = await quoteFor(gateway.url, payer);
      const refused = await ask(gateway.url, payer);
      if (refused !== undefined) faults.push(`${payer.name} was not answered: ${refused}`);
    }
    await sleep(FLUSH_MS);
    await gateway.kill();
    await settleTheDead(database.url);
    const { books, differences } = await readBooks(database.url, payers);
    const worst = new Map();
    for (const { payer, charged, balance } of books) {
      const share = charged / payer.quote;
      worst.set(payer.kind, Math.max(worst.get(payer.kind) ?? 0, share));
      if (share > TOLERANCE) faults.push(`${payer.name} paid ${charged} units where ${payer.quote} were quoted`);
      if (charged === 0) faults.push(`${payer.name} had an answer for nothing`);
      if (balance + charged !== payer.cap)
        faults.push(`${payer.name}: ${payer.cap - charged - balance} units are held`);
    }
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    const words = [...worst].map(
      ([kind, share]) => `${kind} ${share > 1_000 ? share.toExponential(1) : share.toFixed(2)}`,
    );
    say(`the largest charge, in quotes: ${words.join(', ')}`);
    return { measured: `the largest charge, in quotes: ${words.join(', ')}`, faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The vendor: which report is asked for stands in the model's name, and of a film in its id. */
function answerFor({ method, path, text }) {
  const named = /(video|transcription|embedding|rerank|image|speech)-([a-z]+)/.exec(method === 'GET' ? path : text);
  if (named === null) return { status: 404, json: { error: { message: `nothing at ${path}` } } };
  const [id, kind, name] = named;
  const report = REPORTS[name];
  if (kind === 'video') {
    if (path.endsWith('/content')) return { headers: { 'content-type': 'video/mp4' }, text: 'film' };
    if (method === 'POST') return { json: { id, object: 'video', status: 'queued', progress: 0 } };
    const seconds = report === undefined ? '' : `,"seconds":${report}`;
    return { text: `{"id":"${id}","object":"video","status":"completed","progress":100${seconds}}` };
  }
  const { answer, type = 'application/json' } = KINDS[kind];
  return { headers: { 'content-type': type }, text: answer(report) };
}

async function quoteFor(url, { name, kind, secret }) {
  const { path, body } = KINDS[kind];
  const reply = await post(`${url}/v1/estimate`, secret, { endpoint: path, body: { model: name, ...body } });
  const { quota } = await reply.json();
  if (typeof quota !== 'number') throw new Error(`${name} has no quote`);
  return quota;
}

/** Resolves with what stood against an answer, if anything. */
async function ask(url, { name, kind, secret }) {
  const { path, body } = KINDS[kind];
  const reply =
    kind === 'transcription'
      ? await transcribe(url, name, secret)
      : await post(`${url}${path}`, secret, { model: name, ...body });
  const text = await reply.text();
  if (reply.status !== 200) return `${reply.status} ${text.slice(0, 200)}`;
  if (kind !== 'video') return undefined;
  const until = Date.now() + TASK_MS;
  for (;;) {
    const told = await fetch(`${url}/v1/videos/${JSON.parse(text).id}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const { status } = await told.json();
    if (status === 'completed') return undefined;
    if (status === 'failed') return 'the film failed';
    if (Date.now() > until) return `the film is still ${status}`;
    await sleep(100);
  }
}

function transcribe(url, model, secret) {
  const form = new FormData();
  form.set('model', model);
  form.set('file', new Blob([wavOf(2)]), 'sea.wav');
  return fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: form,
  });
}

/** So many seconds of silence, 8 bits at 8 kHz. */
function wavOf(seconds) {
  const samples = Buffer.alloc(seconds * 8_000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

function post(address, secret, json) {
  return fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
}

/** A model for each payer, at one vendor. */
function configText({ databaseUrl, folder, payers, vendor }) {
  const rows = payers.map(({ name, kind }) => {
    return `  - { code: ${name}, ${KINDS[kind].row}, offers: [{ account: vendor, model: ${name} }] }`;
  });
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
tasks: { poll_seconds: 1 }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
  - { id: 1, name: vendor, vendor: openai-compatible, base_url: '${vendor.url}/v1', credentials: { api_key: none }, max_concurrency: 100 }
models:
${rows.join('\n')}
`;
}

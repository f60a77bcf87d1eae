// Batches: what a process keeps in memory while it runs many lines. Each gateway is started for it.
import { pause } from '../processes.mjs';
import { rowOf } from '../table.mjs';
import { KEY } from '../targets.mjs';

const MEGABYTE = 1024 * 1024;
const LINES = 10_000;
const LOOK_MS = 100;
const SETTLE_MS = 2000;
const PATH = '/v1/chat/completions';
const CONTENT = 'All work and no play makes a dull batch. '.repeat(24);

export async function batchRows({ startFresh, columns }) {
  const { floor: _, ...starts } = startFresh;
  const samples = {};
  for (const [name, start] of Object.entries(starts)) {
    const target = await start();
    try {
      samples[name] = [await runLines(target)];
    } finally {
      await target.stop();
    }
  }
  const row = (fields) => rowOf({ samples, columns, ...fields });
  return [
    row({
      what: `resident at most, ${LINES} lines of a batch, MB`,
      number: 'most',
      budget: { most: 220, unit: ' MB' },
    }),
    row({ what: '… while the file was uploaded and read, MB', number: 'read' }),
    row({ what: `seconds of ${LINES} lines`, number: 'seconds', digits: 1 }),
  ];
}

async function runLines(target) {
  const url = `http://127.0.0.1:${target.port}`;
  const headers = { authorization: `Bearer ${KEY}` };
  const answerOf = async (reply) => {
    const json = await reply.json();
    if (!reply.ok) throw new Error(JSON.stringify(json));
    return json;
  };
  await pause(SETTLE_MS);
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(Array.from({ length: LINES }, (_, index) => lineOf(index))), 'lines.jsonl');
  const file = await answerOf(await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form }));
  const began = performance.now();
  const asked = { input_file_id: file.id, endpoint: PATH, completion_window: '24h' };
  let batch = await answerOf(
    await fetch(`${url}/v1/batches`, {
      ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
      body: JSON.stringify(asked),
    }),
  );
  let read = 0;
  while (batch.status !== 'completed') {
    if (batch.status === 'failed') throw new Error(JSON.stringify(batch.errors));
    await pause(LOOK_MS);
    batch = await answerOf(await fetch(`${url}/v1/batches/${batch.id}`, { headers }));
    if (batch.status === 'validating') read = target.peak();
  }
  if (batch.request_counts.completed !== LINES) throw new Error(JSON.stringify(batch.request_counts));
  return { most: target.peak() / MEGABYTE, read: read / MEGABYTE, seconds: (performance.now() - began) / 1000 };
}

function lineOf(index) {
  const messages = [{ role: 'user', content: `${index} ${CONTENT}` }];
  const body = { model: 'bench-model', max_tokens: 100, messages };
  return `${JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: PATH, body })}\n`;
}

/** Ten callers of one owner with a picture of 60 MB each at once; then senders who declare as much and send nothing. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const CALLERS = 10;
const PICTURE_BYTES = 60 * MB;
const DECLARED_BYTES = 64 * MB;
const IDLE_OF_EACH = 4;
const MOST_WAIT_MS = 15_000;

export async function sendLargeBodies({ say }) {
  const gateway = await startWatched();
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const body = Buffer.from(
    `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(PICTURE_BYTES)}"}}]}]}`,
  );
  try {
    await ask(gateway.url, '/v1/chat/completions', { body });
    await gateway.look();
    const began = Date.now();
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => ask(gateway.url, '/v1/chat/completions', { body, seconds: 100 })),
    );
    const good = answers.filter(({ status }) => status === 200).length;
    const { delayMs, peakBytes } = await gateway.look();
    tell(
      `${good} of ${CALLERS} answered in ${seconds(began)} s, ${(peakBytes / MB).toFixed(0)} MB, longest delay ${delayMs.toFixed(0)} ms`,
    );
    const [refused] = answers.filter(({ status }) => status !== 200);
    if (refused !== undefined)
      faults.push(
        `${CALLERS - good} of ${CALLERS} large bodies were answered ${refused.status}: ${refused.text.slice(0, 120)}`,
      );

    const idle = [];
    for (const key of KEYS.slice(0, 2))
      for (let at = 0; at < IDLE_OF_EACH; at++) idle.push(await declare(gateway.url, key));
    const from = Date.now();
    const { status } = await ask(gateway.url, '/v1/chat/completions', { key: KEYS[2], body });
    tell(`behind ${idle.length} idle senders ${status} after ${seconds(from)} s`);
    if (status !== 200 || Date.now() - from > MOST_WAIT_MS)
      faults.push(`behind idle senders another owner was answered ${status} after ${seconds(from)} s`);
    for (const socket of idle) socket.destroy();
    if (!gateway.isAlive()) faults.push('the process died');
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
  }
}

const seconds = (since) => ((Date.now() - since) / 1000).toFixed(1);

/** A head that announces a large body, and a byte of it. */
async function declare(url, key) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: x',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${DECLARED_BYTES}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  return socket;
}

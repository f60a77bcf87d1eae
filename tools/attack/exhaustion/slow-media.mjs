/** A tenant names addresses that send a byte a second, more of them than the account has slots; another tenant asks a plain question. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../target.mjs';

const SLOTS = 8;
const SLOW = 'sk-attack-drip-slow-0123456789abcdef';
const QUICK = 'sk-attack-drip-quick-0123456789abcdef';
const LONGEST_WAIT_MS = 2_000;
const LONGEST_DRIP_MS = 15_000;

/** Measures how long the other tenant waits, and when the drips are given up. */
export async function dripMedia({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const { port, close } = await startDripping();
  writeFileSync(join(folder, 'gateway.yaml'), configText(port));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const began = Date.now();
    const slow = Array.from({ length: SLOTS * (short ? 1 : 8) }, (_, index) =>
      ask(gateway.url, SLOW, `http://127.0.0.1:${port}/${index}.png`).then(() => Date.now() - began),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const waits = [];
    let refused = 0;
    for (let count = 0; count < 5; count++) {
      const asked = Date.now();
      const status = await ask(gateway.url, QUICK);
      waits.push(Date.now() - asked);
      if (status === 200) continue;
      refused++;
      faults.push(`the other tenant was answered ${status}`);
    }
    const longest = Math.max(...waits);
    if (longest > LONGEST_WAIT_MS) faults.push(`the other tenant waited ${longest} ms`);
    const first = await Promise.race(slow);
    if (first > LONGEST_DRIP_MS) faults.push(`the first drip was held for ${first} ms`);
    return {
      measured: `the other tenant refused ${refused} of 5, longest wait ${longest} ms; first drip given up after ${first} ms`,
      faults,
    };
  } finally {
    await gateway.kill();
    close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function configText(port) {
  return `server: { port: 0 }
security: { allow_private: ['127.0.0.1:${port}'] }
keys: [{ name: slow, key: ${SLOW}, owner: 1 }, { name: quick, key: ${QUICK}, owner: 2 }]
extends: none
accounts: [{ id: 1, name: gemini, vendor: gemini, credentials: { api_key: '\${UNSET}' }, max_concurrency: ${SLOTS} }]
models:
  - { code: m, kind: chat, offers: [{ account: gemini, model: gemini-3.5-flash, dialect: gemini-generate, quirks: { media_urls: false } }], price: { input: 1 } }
`;
}

async function startDripping() {
  const timers = new Set();
  const server = createServer((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 1_000);
    timers.add(timer);
    response.once('close', () => clearInterval(timer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const timer of timers) clearInterval(timer);
    server.closeAllConnections();
    server.close();
  };
  return { port: server.address().port, close };
}

async function ask(url, key, image) {
  const content = [{ type: 'text', text: 'hello' }];
  if (image !== undefined) content.push({ type: 'image_url', image_url: { url: image } });
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  }).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => undefined);
  return reply?.status;
}

/** Links to what was deleted, and addresses that a caller writes into headers to pass for somebody else's. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess } from '../target.mjs';

const KEY = 'sk-attack-links-0123456789abcdef';
const FENCED = 'sk-attack-fenced-0123456789abcdef';
const SORA = { model: 'sora-2', prompt: 'A kite', seconds: '4', size: '1280x720' };
const LONGEST_VIDEO_MS = 30_000;
const INSIDE = '10.1.2.3';
const FORGED = [
  { 'x-forwarded-for': INSIDE },
  { 'x-forwarded-for': `${INSIDE}, 127.0.0.1` },
  { 'x-forwarded-for': `127.0.0.1, ${INSIDE}` },
  { forwarded: `for=${INSIDE}` },
  { 'x-real-ip': INSIDE },
  { 'cf-connecting-ip': INSIDE },
  { 'true-client-ip': INSIDE },
  { 'x-client-ip': INSIDE },
  {},
];

/** Counts links that open after their video was deleted, and forged addresses that a fenced key was believed. */
export async function reuseLinks({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  writeFileSync(join(folder, 'gateway.yaml'), configText());
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  const count = short ? 1 : 5;
  let [opened, believed] = [0, 0];
  try {
    for (let made = 0; made < count; made++) {
      const { id, link } = await finishedVideo(gateway.url);
      if ((await statusOf(link)) >= 400) faults.push('a link did not open while its video was there');
      await ask(gateway.url, KEY, `/v1/videos/${id}`, { method: 'DELETE' });
      if ((await statusOf(link)) < 400) opened++;
    }
    for (const headers of FORGED)
      if ((await ask(gateway.url, FENCED, '/v1/models', { headers })).status < 400) believed++;
    if (opened > 0) faults.push(`${opened} links opened after their video was deleted`);
    if (believed > 0) faults.push(`${believed} forged addresses were believed`);
    return {
      measured: `${opened} of ${count} links open after deletion; ${believed} of ${FORGED.length} forged addresses believed`,
      faults,
    };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function finishedVideo(url) {
  const made = await ask(url, KEY, '/v1/videos', { method: 'POST', body: SORA });
  const { id } = JSON.parse(made.text);
  const until = Date.now() + LONGEST_VIDEO_MS;
  while (Date.now() < until) {
    const { text } = await ask(url, KEY, `/v1/video/generations/${id}`);
    const link = JSON.parse(text).data?.result_url;
    if (typeof link === 'string' && link !== '') return { id, link };
    await sleep(200);
  }
  throw new Error('the twin made no video in time');
}

async function statusOf(link) {
  const reply = await fetch(link, { headers: { range: 'bytes=0-9' } });
  await reply.arrayBuffer();
  return reply.status;
}

async function ask(url, key, path, { method = 'GET', headers = {}, body } = {}) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}

function configText() {
  return `server: { port: 0 }
twin: { video_seconds: 0.5 }
tasks: { poll_seconds: 1 }
keys:
  - { name: links, key: ${KEY}, owner: 1 }
  - { name: fenced, key: ${FENCED}, owner: 1, ip_ranges: [10.0.0.0/8] }
`;
}

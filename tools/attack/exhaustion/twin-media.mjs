/** Somebody without a key asks the twin for media of his own, and for vendors' routes by way of its mount. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../target.mjs';

const ROUTES = [
  'openai/v1/models',
  'openai/v1/chat/completions',
  'anthropic/v1/models',
  'vertex/token',
  'ark/api/v3/x',
];
const WAYS_UP = [
  '../',
  '%2e%2e/',
  '%2E%2E/',
  '.%2e/',
  '..%2f',
  '..\\',
  '%2e%2e\\',
  '..%5c',
  'x/../../',
  './../',
  '/../',
];
const SPECS = [
  { kind: 'image', width: 4096, height: 4096, format: 'png', text: 'mine', seed: 0 },
  { kind: 'image', width: 8192, height: 2048, format: 'webp', text: 'mine', seed: 0 },
  { kind: 'video', width: 1920, height: 1080, seconds: 60, audio: true, text: 'mine', seed: 0 },
  { kind: 'speech', text: 'mine '.repeat(30), voice: 'alloy', format: 'wav', sung: false, speed: 0.01 },
];

/** HEAD and GET of invented files, with and without invented signatures, and of paths that lead out of the mount. */
export async function attackTwinMedia({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  writeFileSync(join(folder, 'gateway.yaml'), 'server: { port: 0 }\n');
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  let asked = 0;
  try {
    const before = bytesBelow(join(folder, 'data', 'twin'));
    for (const path of paths(short ? 3 : 50)) {
      for (const method of ['HEAD', 'GET']) {
        asked += 1;
        const status = await ask(gateway.url, path, method);
        if (status !== 404) faults.push(`${method} ${path.slice(0, 80)} was answered ${status}`);
      }
    }
    const grown = bytesBelow(join(folder, 'data', 'twin')) - before;
    if (grown > 0) faults.push(`${grown} bytes were written`);
    return { measured: `${asked} requests, ${grown} bytes written, ${faults.length} faults`, faults };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function* paths(seeds) {
  for (let seed = 0; seed < seeds; seed++) {
    for (const spec of SPECS) {
      const encoded = Buffer.from(JSON.stringify({ ...spec, seed })).toString('base64url');
      const extension = spec.format ?? 'mp4';
      yield `/twin/media/${encoded}.${extension}`;
      yield `/twin/media/${encoded}.${'A'.repeat(22)}.${extension}`;
    }
  }
  for (const up of WAYS_UP) for (const route of ROUTES) yield `/twin/media/${up}${route}`;
}

/** The path as it is written. */
function ask(url, path, method) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method }, (reply) => {
      reply.resume();
      reply.once('end', () => resolve(reply.statusCode));
    })
      .once('error', reject)
      .end();
  });
}

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true }).reduce(
    (sum, name) => sum + statSync(join(folder, String(name))).size,
    0,
  );
}

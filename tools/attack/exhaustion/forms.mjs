/** A tenant sends a form in chunks and never ends it: in one file, in many, in fields, in what comes before the first part. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesIn, MB, startWatched, TEST_KEY } from './gateway.mjs';

const SENT_MB = 225;
const LIMIT_MB = 64;
/** What is read after the answer and thrown away, until its sender has seen the answer (apps/gateway/src/http/discard.ts). */
const DISCARDED_MB = 2 * LIMIT_MB;
const BOUNDARY = 'x-attack-boundary';
const head = (name, filename) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: image/png`}\r\n\r\n`;
const SHAPES = {
  'one file': { first: head('image', 'a.png'), then: () => '' },
  'many files': { first: '', then: (at) => `\r\n${head('image', `${at}.png`)}` },
  fields: { first: '', then: (at) => `\r\n${head(`field${at}`)}` },
  preamble: { first: '', then: () => '' },
};

export async function sendForms({ say }) {
  const temporary = mkdtempSync(join(tmpdir(), 'model-gateway-attack-forms-'));
  const gateway = await startWatched({ env: { TMPDIR: temporary } });
  const faults = [];
  const measured = [];
  try {
    for (const [name, shape] of Object.entries(SHAPES)) {
      let kept = 0;
      const { status, taken } = await send(gateway.url, shape, () => {
        kept = Math.max(kept, bytesIn(temporary));
      });
      const keptMb = Math.ceil(kept / MB);
      const said = `${name} ${status} after ${taken} MB, ${keptMb} MB on disk`;
      say(said);
      measured.push(said);
      if (status < 400 || status >= 500) faults.push(`${name} was answered ${status}`);
      if (taken > LIMIT_MB + DISCARDED_MB) faults.push(`${name}: ${taken} MB were taken`);
      if (keptMb > LIMIT_MB) faults.push(`${name}: ${keptMb} MB were on disk`);
      const left = bytesIn(temporary);
      if (left > 0) faults.push(`${name} left ${left} bytes`);
    }
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Sends a megabyte at a time, as fast as it is taken, until there is an answer or all is sent; `look` is called after each. */
function send(url, { first, then }, look) {
  const { hostname, port } = new URL(url);
  const megabyte = Buffer.alloc(MB, 0x61);
  return new Promise((resolve) => {
    let taken = 0;
    let status = 0;
    const end = () => {
      sending.destroy();
      resolve({ status, taken });
    };
    const sending = request({
      hostname,
      port,
      method: 'POST',
      path: '/v1/images/edits',
      headers: {
        authorization: `Bearer ${TEST_KEY}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'transfer-encoding': 'chunked',
      },
    });
    sending.once('response', (reply) => {
      status = reply.statusCode;
      end();
    });
    sending.once('error', end);
    sending.write(first);
    const more = () => {
      if (status !== 0 || sending.destroyed) return;
      if (taken >= SENT_MB) {
        end();
        return;
      }
      sending.write(then(taken));
      const goesOn = sending.write(megabyte);
      taken++;
      look();
      if (goesOn) setImmediate(more);
      else sending.once('drain', more);
    };
    more();
  });
}

/** Streams to be cut: what each asks for, where it is cut, and what its client had heard by then. */
import { Agent, request } from 'node:http';
import { charactersIn, FORMATS } from './formats.mjs';

/** Questions are as many tokens as this and the number of the stream: the vendor's own books tell streams apart by it. */
export const FIRST_TOKENS = 40;

/** The text of stream `number`: its marks, and filler up to its own length of four characters a token. */
export function questionOf(number, { long, vendorCut }) {
  const marks = `[[twin:long=${long}]]${vendorCut === undefined ? '' : `[[twin:cut=${vendorCut}]]`} `;
  return marks.padEnd((FIRST_TOKENS + number) * 4, 'tide ');
}

/**
 * Opens one stream. `heard` resolves at its first byte, `ended` with what became of it; `cut` hangs up at once. With `cutAt` it hangs up by
 * itself at the byte of that number.
 */
export function openStream({ url, key, agent }, { number, caller, model, long, vendorCut, cutAt }) {
  const { path, body } = FORMATS[caller].ask(model, questionOf(number, { long, vendorCut }));
  const payload = Buffer.from(JSON.stringify(body));
  const chunks = [];
  let bytes = 0;
  const told = { number, status: 0, requestId: undefined, whole: false, bytes: 0, characters: 0 };
  let hear = () => undefined;
  const heard = new Promise((resolve) => (hear = resolve));
  let cut = () => undefined;
  const ended = new Promise((resolve) => {
    let over = false;
    const end = (whole) => {
      if (over) return;
      over = true;
      hear();
      resolve({ ...told, whole, bytes, characters: charactersIn(caller, Buffer.concat(chunks)) });
    };
    const asking = request(`${url}${path}`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': payload.length,
      },
    });
    cut = () => {
      asking.destroy();
      end(false);
    };
    asking.on('error', () => end(false));
    asking.on('response', (response) => {
      told.status = response.statusCode ?? 0;
      told.requestId = response.headers['x-request-id'];
      response.on('data', (chunk) => {
        const left = cutAt === undefined ? chunk.length : cutAt - bytes;
        chunks.push(chunk.subarray(0, left));
        bytes += Math.min(left, chunk.length);
        hear();
        if (left <= chunk.length && cutAt !== undefined) cut();
      });
      response.on('end', () => end(told.status === 200));
      response.on('error', () => end(false));
      response.on('close', () => end(false));
      if (cutAt === 0) cut();
    });
    asking.end(payload);
  });
  return { heard, ended, cut: () => cut() };
}

/** Runs the plans, `width` at a time; `every` is told how many are done. */
export async function runStreams(target, plans, width, every) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const told = [];
  let next = 0;
  const worker = async () => {
    while (next < plans.length) {
      const plan = plans[next++];
      told.push({ plan, ...(await openStream({ ...target, agent }, plan).ended) });
      await every(told.length);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  agent.destroy();
  return told;
}

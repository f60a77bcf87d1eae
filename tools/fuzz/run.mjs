/** Throws requests at a gateway of its own, many at a time, until the time is over. */
import { createSeededRandom } from '../seeded-random.mjs';
import { ADMIN_KEY, MB, startWatched, TEST_KEY } from '../attack/exhaustion/gateway.mjs';
import { requestOf } from './requests.mjs';

const AT_ONCE = 8;
/** Longer than a task is waited for at most. */
const LONGEST_SECONDS = 70;
const MOST_GROWTH_MB = 600;
const MODELS = ['m', 'gpt-5.2', 'no-such-model'];
/** 501 is an operation that is not served; 502 and 504 are no statuses of this gateway. What vendors fail at is a 503, and so is a part that is off. */
const OWN_FAULTS = [500, 502, 504];

export async function fuzz({ seconds, seed }) {
  const gateway = await startWatched();
  const random = createSeededRandom(seed);
  const faults = [];
  const statuses = {};
  let requests = 0;
  let delayMs = 0;
  try {
    // The same validators and adapters as later: what they take is no growth.
    const warm = createSeededRandom(seed + 1);
    for (let at = 0; at < 300; at++)
      await send(gateway.url, requestOf(warm, { key: TEST_KEY, adminKey: ADMIN_KEY, models: MODELS }));
    const before = await gateway.look();
    const until = Date.now() + seconds * 1000;
    const one = async () => {
      while (Date.now() < until && gateway.isAlive() && faults.length < 100) {
        const number = ++requests;
        const request = requestOf(random, { key: TEST_KEY, adminKey: ADMIN_KEY, models: MODELS });
        const { status, text } = await send(gateway.url, request);
        statuses[status] = (statuses[status] ?? 0) + 1;
        const what = `#${number} ${request.id} ${request.method} ${request.path.slice(0, 120)} ${JSON.stringify(request.headers).slice(0, 200)} ${String(request.body).slice(0, 600)}`;
        if (status === 0) faults.push(`no answer (${text}): ${what}`);
        // In these groups a vendor's fault is a 500 by the document: the code tells them apart.
        else if (OWN_FAULTS.includes(status) && isOwn(text))
          faults.push(`${status}: ${what}\n   ${text.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    if (!gateway.isAlive()) faults.push('the process is dead');
    const after = gateway.isAlive() ? await gateway.look() : before;
    delayMs = after.delayMs;
    const grownMb = (after.peakBytes - before.peakBytes) / MB;
    if (grownMb > MOST_GROWTH_MB) faults.push(`memory grew by ${grownMb.toFixed(0)} MB`);
    return { requests, statuses, grownMb, delayMs, faults };
  } finally {
    await gateway.stop();
  }
}

const isOwn = (text) => text.includes('something went wrong in the gateway') || !text.includes('error');

async function send(url, { method, path, headers, body }) {
  try {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(LONGEST_SECONDS * 1000),
    });
    return { status: reply.status, text: await reply.text() };
  } catch (error) {
    // What this program may not send says nothing of the gateway.
    if (error instanceof TypeError && error.cause === undefined) return { status: -1, text: String(error) };
    const code = error?.cause?.code;
    if (code === 'UND_ERR_INVALID_ARG') return { status: -1, text: String(error.cause) };
    return { status: 0, text: `${error} ${code ?? ''}` };
  }
}

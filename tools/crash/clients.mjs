/**
 * Clients that never give up: every intent has an Idempotency-Key and is repeated with it until there is an answer, now and then twice at once.
 * Beside that they cancel (twice at once), read, wait, and have webhooks delivered again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const BODIES = [
  (text) => ({ model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text }], duration: 5 }),
  (text) => ({ model: 'kling-v3-omni', prompt: text, duration: 5 }),
  (text) => ({ model: 'MiniMax-Hailuo-2.3', prompt: text, duration: 6 }),
];
const PAUSE_MS = 30;
/** Who waits for the leftovers of a dead replica does nothing else meanwhile: they are asked about at the end. */
const PATIENCE_MS = 3_000;
const LAST_PATIENCE_MS = 15_000;
const TRIES = 2;
const LAST_TRIES = 40;
const ORDER = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'];

/** Makes clients; `acknowledged` maps intent to task id, `refused` intent to its final error code. */
export function createClients({ key, adminKey, count, random, urls, receiver }) {
  const intents = [];
  const acknowledged = new Map();
  const refused = new Map();
  const cancelled = new Set();
  const contradictions = [];
  const seen = new Map();
  const counts = { cancels: 0, repeated: 0, reads: 0, redelivered: 0 };
  let stopped = false;
  let working = [];

  const call = async (url, path, { patience = PATIENCE_MS, bearer = key, ...options } = {}) => {
    const reply = await fetch(`${url}${path}`, {
      ...options,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...options.headers },
      signal: AbortSignal.timeout(patience),
    });
    return { status: reply.status, json: await reply.json() };
  };

  /** Asks once; true when the intent has its final answer. */
  const ask = async (intent, url, patience) => {
    const { status, json } = await call(url, '/v1/video/generations', {
      method: 'POST',
      headers: { 'idempotency-key': intent.key },
      body: JSON.stringify(intent.body),
      patience,
    });
    intent.last = `${status} ${json.code ?? ''} ${json.message ?? ''}`;
    if (status === 200) {
      const known = acknowledged.get(intent);
      if (known !== undefined && known !== json.task_id)
        contradictions.push(`${intent.name} was ${known}, then ${json.task_id}`);
      if (refused.has(intent)) contradictions.push(`${intent.name} was refused, then acknowledged`);
      acknowledged.set(intent, json.task_id);
      return true;
    }
    if (acknowledged.has(intent) && (status < 500 || json.code === 'submission_unknown')) {
      contradictions.push(`${intent.name} was acknowledged, then answered with ${intent.last}`);
      return true;
    }
    if (json.code === 'submission_unknown') {
      refused.set(intent, json.code);
      return true;
    }
    if (status < 500) {
      contradictions.push(`${intent.name} was answered with ${intent.last}`);
      refused.set(intent, json.code);
      return true;
    }
    return false;
  };
  const anyOf = (all) => all[Math.floor(random() * all.length)];
  const tryOnce = async (intent, url, patience = PATIENCE_MS) => {
    if (url === undefined) return false;
    try {
      return await ask(intent, url, patience);
    } catch (error) {
      intent.last = `no answer: ${error.name}`;
      return false; // the process died under it
    }
  };

  /** Two at once, perhaps to two replicas: at most one stops the job, nobody is told what is not so. */
  const cancel = async (id) => {
    counts.cancels += 1;
    const both = [0, 1].map(() => call(anyOf(urls()) ?? '', `/v1/video/generations/${id}`, { method: 'DELETE' }));
    for (const { value } of await Promise.allSettled(both)) {
      if (value?.status !== 200) continue;
      cancelled.add(id);
      if (value.json.data.status !== 'FAILURE')
        contradictions.push(`${id} was cancelled and is ${value.json.data.status}`);
    }
  };
  /** A record never goes back: not in state, not in progress, and an end stays as it is. */
  const read = async (id, query = '') => {
    counts.reads += 1;
    const before = seen.get(id);
    const { status, json } = await call(anyOf(urls()) ?? '', `/v1/video/generations/${id}${query}`);
    if (status !== 200) {
      if (status < 500) contradictions.push(`${id} was acknowledged and reads ${status} ${json.code}`);
      return;
    }
    const { status: state, progress, quota } = json.data;
    const now = { order: ORDER.indexOf(state), state, progress: Number.parseInt(progress, 10), quota };
    if (before !== undefined) {
      const ended = before.order >= 2;
      if (now.order < before.order || now.progress < before.progress)
        contradictions.push(`${id} went from ${before.state} ${before.progress} to ${state} ${progress}`);
      else if (ended && (now.state !== before.state || now.quota !== before.quota))
        contradictions.push(`${id} ended as ${before.state} (${before.quota}), then was ${state} (${quota})`);
    }
    const newest = seen.get(id);
    if (newest === undefined || newest.order <= now.order) seen.set(id, now);
  };
  const redeliver = async () => {
    const id = anyOf(receiver.ids().slice(-50));
    if (id === undefined) return;
    counts.redelivered += 1;
    const path = `/admin/webhook-deliveries/${id}/replay`;
    await call(anyOf(urls()) ?? '', path, { method: 'POST', bearer: adminKey });
  };
  const meddle = async (intent, id) => {
    const luck = random();
    // Only one of the three vendors can stop a job, and only in its queue.
    if (luck < (intent.body.content === undefined ? 0.1 : 0.6)) await cancel(id);
    else if (luck < 0.75) await tryOnce(intent, anyOf(urls()));
    else if (luck < 0.85) await read(id, '?wait=1');
    else if (luck < 0.95) await redeliver();
    const ids = [...acknowledged.values()].slice(-100);
    await read(anyOf(ids));
  };

  const work = async (client) => {
    for (let turn = 0; !stopped; turn++) {
      while (!stopped && anyOf(urls()) === undefined) await sleep(PAUSE_MS);
      const name = `crash intent ${client}-${turn}.`;
      const body = { ...BODIES[(client + turn) % BODIES.length](`${name} A paper boat.`), callback_url: receiver.url };
      const intent = { name, key: `intent-${client}-${turn}`, body, last: 'never asked' };
      intents.push(intent);
      for (let tries = 0; !stopped && tries < TRIES; tries++) {
        const twice = random() < 0.2;
        if (twice) counts.repeated += 1;
        const asked = await Promise.all((twice ? [0, 1] : [0]).map(() => tryOnce(intent, anyOf(urls()))));
        if (asked.includes(true)) break;
        await sleep(PAUSE_MS);
      }
      const id = acknowledged.get(intent);
      if (id !== undefined) await meddle(intent, id).catch(() => undefined); // the process died under it
      await sleep(PAUSE_MS);
    }
  };

  return {
    intents,
    acknowledged,
    refused,
    cancelled,
    contradictions,
    counts,
    call,
    start() {
      working = Array.from({ length: count }, (_, client) => work(client));
    },
    async stop() {
      stopped = true;
      await Promise.all(working);
    },
    /** Repeats every intent once more: those without an answer get one, the others must get the same. */
    async resolveAll(url) {
      const queue = [...intents];
      const take = async () => {
        for (let intent = queue.pop(); intent !== undefined; intent = queue.pop()) {
          let tries = 0;
          while (!(await tryOnce(intent, url, LAST_PATIENCE_MS))) {
            if (++tries === LAST_TRIES) {
              contradictions.push(`${intent.name} never got an answer; the last was ${intent.last}`);
              break;
            }
            await sleep(250);
          }
        }
      };
      await Promise.all(Array.from({ length: 16 }, take));
    },
  };
}

/** Clients that never give up: every intent has an Idempotency-Key and is repeated with it until there is an answer. */
import { setTimeout as sleep } from 'node:timers/promises';

const BODIES = [
  (text) => ({ model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text }], duration: 5 }),
  (text) => ({ model: 'kling-v3-omni', prompt: text, duration: 5 }),
  (text) => ({ model: 'MiniMax-Hailuo-2.3', prompt: text, duration: 6 }),
];
const PAUSE_MS = 60;
const PATIENCE_MS = 10_000;

/** Makes clients; `acknowledged` maps intent to task id, `refused` intent to its final error code. */
export function createClients({ key, count, dice, urls }) {
  const intents = [];
  const acknowledged = new Map();
  const refused = new Map();
  const contradictions = [];
  let cancels = 0;
  let stopped = false;
  let working = [];

  const call = async (url, path, options = {}) => {
    const reply = await fetch(`${url}${path}`, {
      ...options,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...options.headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: reply.status, json: await reply.json() };
  };

  /** Asks once; true when the intent has its final answer. */
  const ask = async (intent, url) => {
    const { status, json } = await call(url, '/v1/video/generations', {
      method: 'POST',
      headers: { 'idempotency-key': intent.key },
      body: JSON.stringify(intent.body),
    });
    if (status === 200) {
      const known = acknowledged.get(intent);
      if (known !== undefined && known !== json.task_id)
        contradictions.push(`${intent.name} was ${known}, then ${json.task_id}`);
      acknowledged.set(intent, json.task_id);
      return true;
    }
    if (acknowledged.has(intent)) {
      contradictions.push(`${intent.name} was acknowledged, then answered with ${status} ${json.code}`);
      return true;
    }
    if (json.code === 'submission_unknown') {
      refused.set(intent, json.code);
      return true;
    }
    if (status < 500 && status !== 429 && status !== 409) {
      contradictions.push(`${intent.name} was answered with ${status} ${JSON.stringify(json)}`);
      refused.set(intent, json.code);
      return true;
    }
    return false;
  };
  const anyUrl = () => {
    const all = urls();
    return all[Math.floor(dice() * all.length)];
  };
  const tryOnce = async (intent, url) => {
    if (url === undefined) return false;
    try {
      return await ask(intent, url);
    } catch {
      return false; // the process died under it
    }
  };

  const work = async (client) => {
    for (let turn = 0; !stopped; turn++) {
      while (!stopped && anyUrl() === undefined) await sleep(PAUSE_MS);
      const name = `crash intent ${client}-${turn}.`;
      const intent = {
        name,
        key: `intent-${client}-${turn}`,
        body: BODIES[(client + turn) % BODIES.length](`${name} A paper boat.`),
      };
      intents.push(intent);
      for (let tries = 0; !stopped && tries < 8 && !(await tryOnce(intent, anyUrl())); tries++) await sleep(PAUSE_MS);
      const id = acknowledged.get(intent);
      const url = anyUrl();
      if (id !== undefined && url !== undefined) {
        if (dice() < 0.2) {
          cancels += 1;
          await call(url, `/v1/video/generations/${id}`, { method: 'DELETE' }).catch(() => undefined);
        } else if (dice() < 0.2) await tryOnce(intent, url);
      }
      await sleep(PAUSE_MS);
    }
  };

  return {
    intents,
    acknowledged,
    refused,
    contradictions,
    call,
    cancels: () => cancels,
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
          if (refused.has(intent)) continue;
          let tries = 0;
          while (!(await tryOnce(intent, url))) {
            if (++tries === 20) {
              contradictions.push(`${intent.name} never got an answer`);
              break;
            }
            await sleep(250);
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, take));
    },
  };
}

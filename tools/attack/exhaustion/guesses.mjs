/** Somebody without a key tries keys; another, from the same address, tries the Idempotency-Keys of an answer that was paid once. */
import { ask, startWatched, KEYS } from './gateway.mjs';

const AT_ONCE = 16;
const GUESSES = { whole: 5_000, short: 1_000 };
/** A minute's worth; the run may reach into the next. */
const MOST_ANSWERED = 700;
const REPLAYS = 60;
const REQUESTS_PER_MINUTE = 20;
const LIMITED = 'sk-attack-replays-0123456789abcdef';

export async function guessKeys({ short }) {
  const gateway = await startWatched({
    keys: `  - { name: limited, key: ${LIMITED}, owner: 8, limits: { requests_per_minute: ${REQUESTS_PER_MINUTE} } }`,
  });
  const faults = [];
  try {
    // Keys that a process knows are not guesses.
    for (const key of [KEYS[0], LIMITED]) await ask(gateway.url, '/v1/models', { key, method: 'GET' });
    const guesses = short ? GUESSES.short : GUESSES.whole;
    const { cpu: before } = await gateway.look();
    const heard = { looked: 0, told: 0 };
    for (let at = 0; at < guesses; at += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const { status } = await ask(gateway.url, '/v1/models', {
            key: `sk-guess-${at + index}-0123456789abcdef`,
            method: 'GET',
          });
          if (status === 429) heard.told++;
          else heard.looked++;
        }),
      );
    const { cpu: after } = await gateway.look();
    const cpuMs = (after.user + after.system - before.user - before.system) / 1000;
    if (heard.looked > MOST_ANSWERED) faults.push(`${heard.looked} guesses were looked up one by one`);
    const own = await ask(gateway.url, '/v1/models', { key: KEYS[0], method: 'GET' });
    if (own.status !== 200) faults.push(`a right key from that address was answered ${own.status}`);
    const replays = await repeat(gateway.url);
    if (replays > REQUESTS_PER_MINUTE) faults.push(`${replays} repetitions of one answer were given`);
    return {
      measured: `${guesses} guesses, ${heard.looked} looked up one by one, ${(cpuMs / guesses).toFixed(2)} ms of CPU each; ${replays} of ${REPLAYS} repetitions given at ${REQUESTS_PER_MINUTE} requests a minute`,
      faults,
    };
  } finally {
    await gateway.stop();
  }
}

/** How many repetitions of one request with an Idempotency-Key are answered. */
async function repeat(url) {
  let given = 0;
  const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }));
  for (let count = 0; count < REPLAYS; count++) {
    const { status } = await ask(url, '/v1/chat/completions', {
      key: LIMITED,
      body,
      headers: { 'idempotency-key': 'one' },
    });
    if (status === 200) given++;
  }
  return given;
}

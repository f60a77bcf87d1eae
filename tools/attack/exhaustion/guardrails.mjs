/** Long texts for built-in sets, operators' patterns and words, in every chat format, whole and streamed: how long is the event loop held up? */
import { ask, KEYS, MB, startWatched, TEST_KEY } from './gateway.mjs';

export const MOST_DELAY_MS = 200;
const TRIES = 3;
const SECONDS = 90;
const WORDS = Array.from({ length: 2000 }, (_, at) => `word${at * 7919} phrase`);
const repeated = (text, bytes) => text.repeat(Math.ceil(bytes / text.length));

/** Each is one guardrail, and a text that is dear for it. */
const HOSTILE = {
  card: { rail: 'detect: [credit_card]', text: '1 ', bytes: 20 * MB },
  all: { rail: 'detect: [api_key, private_key, email, phone, credit_card, iban]', text: '1 ', bytes: 4 * MB },
  keys: { rail: 'detect: [private_key, email]', text: '-----BEGIN PRIVATE KEY-----a@', bytes: 4 * MB },
  unicode: { rail: 'detect: [email, credit_card]', text: '1\u00a0', bytes: 2 * MB },
  pattern: { rail: "patterns: [{ name: x, pattern: '[ab]+[ab]?c' }]", text: 'ab', bytes: MB },
  matches: { rail: "patterns: [{ name: x, pattern: '(?:a[ab]{0,400}c)|a' }]", text: 'ab', bytes: MB },
  words: { rail: `words: [${WORDS.join(', ')}]`, text: 'word1 word2 word12 ', bytes: 4 * MB },
};

const FORMATS = {
  chat: (model, text) => ['/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] }],
  messages: (model, text) => ['/v1/messages', { model, max_tokens: 5, messages: [{ role: 'user', content: text }] }],
  responses: (model, text) => ['/v1/responses', { model, input: text }],
  gemini: (model, text) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
};

export async function holdGuardrails({ short, say, until = Infinity }) {
  const gateway = await startWatched({ lines: linesOf() });
  const faults = [];
  const delays = [];
  try {
    for (let turn = 0; turn < 5; turn++)
      for (const name of Object.keys(HOSTILE)) await send(gateway, 'chat', name, 'a short text');
    await gateway.look();
    for (const [name, format, key, stream] of casesOf(short)) {
      if (Date.now() > until) break;
      const { text, bytes } = HOSTILE[name];
      const size = stream ? Math.min(bytes, MB / 4) : bytes;
      const { status, told, delayMs } = await leastOf(gateway, format, name, repeated(text, size), { key, stream });
      const words = `${name}, ${(size / MB).toFixed(2)} MB as ${format}${stream ? ', streamed' : ''}`;
      say(`${words}: ${status}, ${delayMs.toFixed(0)} ms ${status === 200 ? '' : told.slice(0, 120)}`);
      delays.push({ words, delayMs });
      if (delayMs > MOST_DELAY_MS) faults.push(`${words} held the event loop up for ${delayMs.toFixed(0)} ms`);
      // What cannot be looked through in time does not pass, which is said.
      const isRefused = told.includes('could not be looked through');
      if (status === 0 || (status >= 500 && !isRefused) || !gateway.isAlive())
        faults.push(`${words} was answered with ${status}: ${told.slice(0, 200)}`);
    }
  } finally {
    await gateway.stop();
  }
  const [worst] = delays.toSorted((a, b) => b.delayMs - a.delayMs);
  return {
    measured: `${delays.length} texts, longest delay ${worst?.delayMs.toFixed(0)} ms (${worst?.words})`,
    faults,
  };
}

function casesOf(short) {
  const whole = Object.keys(HOSTILE).map((name) => [name, 'chat', KEYS[0], false]);
  const formats = ['messages', 'responses', 'gemini'].flatMap((format) =>
    ['pattern', 'card'].map((name) => [name, format, KEYS[0], false]),
  );
  // The twin says again what it is told: of a test key, for nothing.
  const streams = ['chat', 'responses'].flatMap((format) =>
    ['pattern', 'matches', 'card'].map((name) => [name, format, TEST_KEY, true]),
  );
  return short ? [...whole, ...streams.slice(0, 2)] : [...whole, ...formats, ...streams];
}

/** Other work of the machine delays, too: what is over the bound is tried again, and the shortest delay counts. */
async function leastOf(gateway, format, name, text, { key, stream }) {
  let least;
  for (let turn = 0; turn < TRIES && (least === undefined || least.delayMs > MOST_DELAY_MS); turn++) {
    const { status, text: told } = await send(gateway, format, name, text, { key, stream });
    const seen = { ...(await gateway.look()), status, told };
    if (least === undefined || seen.delayMs < least.delayMs) least = seen;
  }
  return least;
}

function send(gateway, format, name, text, { key = KEYS[0], stream = false } = {}) {
  const [path, body] = FORMATS[format](`m-${name}`, text);
  return ask(gateway.url, path, {
    key,
    body: JSON.stringify({ ...body, ...(stream && { stream }) }),
    seconds: SECONDS,
  });
}

function linesOf() {
  const models = Object.keys(HOSTILE).map(
    (name) =>
      `  - { code: m-${name}, kind: chat, offers: [{ account: sink, model: m, dialect: openai-chat }], price: { input: 0, output: 0 } }`,
  );
  const rails = Object.entries(HOSTILE).map(
    ([name, { rail }]) => `  - { name: ${name}, mode: mask, models: [m-${name}], ${rail} }`,
  );
  return [...models, 'guardrails:', ...rails].join('\n');
}

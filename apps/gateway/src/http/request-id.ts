/** Ids of requests: the time first, so that the ledger's index of them grows at its end; then chance. */
import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

const pool = Buffer.alloc(RANDOM_LENGTH * 256);
let used = pool.length;
let lastTime = -1;
let lastText = '';

/** `req_` and a ULID: 48 bits of milliseconds and 80 random bits. */
export function newRequestId(now: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = now === lastTime ? lastText : timeText(now);
  for (const end = used + RANDOM_LENGTH; used < end; used++) text += ALPHABET.charAt((pool[used] ?? 0) & 31);
  return text;
}

function timeText(now: number): string {
  let rest = now;
  let text = '';
  for (let place = 0; place < TIME_LENGTH; place++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  lastTime = now;
  lastText = `req_${text}`;
  return lastText;
}

const ID = new RegExp(`^req_([${ALPHABET}]{${TIME_LENGTH}})[${ALPHABET}]{${RANDOM_LENGTH}}$`);

/** The moment that an id was made at; undefined of what is no id of ours. */
export function timeOfRequestId(id: string): number | undefined {
  const [, text] = ID.exec(id) ?? [];
  if (text === undefined) return undefined;
  let time = 0;
  for (const letter of text) time = time * 32 + ALPHABET.indexOf(letter);
  return time;
}

const GIVEN_ID = /^[\x21-\x7e]{1,256}$/;
/** Ids of the caller's own; the first is OpenAI's name for it. */
const GIVEN_ID_HEADERS = ['x-client-request-id', 'x-request-id'] as const;

/** The id that the caller has for a request, for people who look for both. */
export function clientRequestIdOf(headers: IncomingHttpHeaders): string | undefined {
  for (const name of GIVEN_ID_HEADERS) {
    const given = headers[name];
    if (typeof given === 'string' && GIVEN_ID.test(given)) return given;
  }
  return undefined;
}

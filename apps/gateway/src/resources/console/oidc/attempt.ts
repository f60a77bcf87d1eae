/** An attempt to sign in: what has to be known when the browser comes back, kept by the browser alone, sealed. */
import { timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '@model-gateway/contracts';
import { openText, sealText } from './sealed.ts';

export const ATTEMPT_MS = 600_000;
const PURPOSE = 'an attempt to sign in';
const COOKIE = 'gateway_sign_in';
const IN_HEADER = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{20,3000})(?:;|$)`);

export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  /** A path of the console. */
  readonly returnTo: string;
  readonly expiresAt: number;
}

/**
 * The cookie of an attempt. It is `Lax`, because the browser comes back from another site; it goes to the addresses of signing in alone. A second
 * attempt replaces the first.
 */
export function attemptCookie(attempt: Attempt, { secret, path, secure }: AttemptTerms): string {
  const sealed = sealText(JSON.stringify(attempt), secret, PURPOSE);
  return `${COOKIE}=${sealed}; ${attributes(path, secure)}; Max-Age=${ATTEMPT_MS / 1000}`;
}

export function noAttemptCookie({ path, secure }: Pick<AttemptTerms, 'path' | 'secure'>): string {
  return `${COOKIE}=; ${attributes(path, secure)}; Max-Age=0`;
}

export interface AttemptTerms {
  readonly secret: string;
  /** Where the browser shows it. */
  readonly path: string;
  readonly secure: boolean;
}

/** The attempt that a browser brings back; undefined where there is none, it is not ours, or its time is over. */
export function readAttempt(cookie: string | undefined, secret: string, now: number): Attempt | undefined {
  const sealed = cookie === undefined ? undefined : IN_HEADER.exec(cookie)?.[1];
  const text = sealed === undefined ? undefined : openText(sealed, secret, PURPOSE);
  if (text === undefined) return undefined;
  const read: unknown = JSON.parse(text);
  const attempt = isJsonObject(read) ? (read as unknown as Attempt) : undefined;
  return attempt === undefined || attempt.expiresAt <= now ? undefined : attempt;
}

/** Whether a text is the attempt's state, told in the same time whatever it is. */
export function isStateOf({ state }: Attempt, given: string): boolean {
  const [right, text] = [Buffer.from(state), Buffer.from(given)];
  return right.length === text.length && timingSafeEqual(right, text);
}

function attributes(path: string, secure: boolean): string {
  return `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** The cookie of a session. */
import type { Request, Response } from 'express';

const NAME = 'gateway_session';
const IN_HEADER = new RegExp(`(?:^|;\\s*)${NAME}=([A-Za-z0-9_-]{20,100})(?:;|$)`);

/** The token that a browser sent; undefined where there is none. */
export function sessionTokenOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  return headers.cookie === undefined ? undefined : IN_HEADER.exec(headers.cookie)?.[1];
}

export function giveSession(response: Response, token: string, terms: CookieTerms): void {
  response.setHeader('set-cookie', sessionCookie(token, terms));
  response.setHeader('cache-control', 'no-store');
}

/** The cookie of a session, as a header has it. */
export function sessionCookie(token: string, { lifeMs, secure }: CookieTerms): string {
  return `${NAME}=${token}; ${attributes(secure)}; Max-Age=${Math.floor(lifeMs / 1000)}`;
}

/** The browser forgets it. */
export function takeSessionBack(response: Response): void {
  response.setHeader('set-cookie', `${NAME}=; ${attributes(false)}; Max-Age=0`);
}

export interface CookieTerms {
  readonly lifeMs: number;
  /** It is sent by https only. */
  readonly secure: boolean;
}

function attributes(secure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

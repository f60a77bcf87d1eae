/** Tokens of an OAuth client of the operator’s: fetched when they are needed, kept until shortly before they end. */
import { GatewayError, isJsonObject, type Json } from '@model-gateway/contracts';
import type { Parts } from '../parts.ts';
import { readWithin } from './protocol.ts';
import type { McpServer } from './settings.ts';

const FETCH_MS = 15_000;
const LARGEST_ANSWER = 64 * 1024;
/** Where the issuer does not say how long a token is good for. */
const USUAL_SECONDS = 300;
const BEFORE_ITS_END_MS = 30_000;

interface Token {
  readonly text: string;
  readonly until: number;
}

export class ClientTokens {
  readonly #server: Pick<McpServer, 'name' | 'oauth'>;
  readonly #parts: Pick<Parts, 'untrustedFetcher' | 'now'>;
  #known: Token | undefined;
  #asking: Promise<Token> | undefined;

  constructor(server: Pick<McpServer, 'name' | 'oauth'>, parts: Pick<Parts, 'untrustedFetcher' | 'now'>) {
    this.#server = server;
    this.#parts = parts;
  }

  /** The header that a request needs; undefined where the server takes none. */
  async header(): Promise<string | undefined> {
    if (this.#server.oauth === undefined) return undefined;
    if (this.#known === undefined || this.#known.until <= this.#parts.now()) {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
      this.#known = await this.#asking;
    }
    return `Bearer ${this.#known.text}`;
  }

  /** The server did not take it: the next request asks for another one. */
  forget(): void {
    this.#known = undefined;
  }

  async #ask(): Promise<Token> {
    const { oauth, name } = this.#server;
    if (oauth === undefined) throw new Error('the server has no OAuth client');
    const refused = (why: string): GatewayError =>
      new GatewayError('upstream_rejected_key', `the gateway got no token for the MCP server '${name}': ${why}`);
    const form = new URLSearchParams({ grant_type: 'client_credentials', resource: oauth.resource });
    if (oauth.scope !== undefined) form.set('scope', oauth.scope);
    const client = [oauth.clientId, oauth.clientSecret].map(encodeURIComponent).join(':');
    let answer: { readonly status: number; readonly json: Json | undefined };
    try {
      const signal = AbortSignal.timeout(FETCH_MS);
      const reply = await this.#parts.untrustedFetcher.open(oauth.tokenUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(client).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: form.toString(),
        followRedirects: false,
        signal,
      });
      const text = await readWithin(reply.body, LARGEST_ANSWER);
      answer = { status: reply.status, json: jsonIn(text) };
    } catch {
      throw refused('its issuer could not be reached');
    }
    const { status, json } = answer;
    if (status !== 200) throw refused(`its issuer answered ${status}`);
    if (!isJsonObject(json) || typeof json['access_token'] !== 'string' || !/^[\x21-\x7e]+$/.test(json['access_token']))
      throw refused('the answer of its issuer has no token');
    const seconds = typeof json['expires_in'] === 'number' ? json['expires_in'] : USUAL_SECONDS;
    return { text: json['access_token'], until: this.#parts.now() + Math.max(0, seconds * 1000 - BEFORE_ITS_END_MS) };
  }
}

function jsonIn(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

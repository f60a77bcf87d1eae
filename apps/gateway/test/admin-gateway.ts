/** One gateway with its admin API for the tests of a file, on a clock that can be put forward. */
import { afterAll, beforeAll } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

/** A reply with its body read. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: JsonObject;
}

interface AdminGateway {
  gateway: TestGateway;
  admin: Admin;
  /** Milliseconds by which the clock is ahead. */
  later: number;
}

/** Opens the gateway before the tests of the file and closes it after them. */
export function useAdminGateway() {
  const bench = { later: 0 } as AdminGateway;
  let names = 0;
  const now = (): number => Date.now() + bench.later;

  beforeAll(async () => {
    bench.gateway = await openTestGateway({ clock: now });
    bench.admin = createAdmin({ baseUrl: bench.gateway.url, apiKey: bench.gateway.adminKey, maxRetries: 0 });
  });
  afterAll(() => bench.gateway.close());

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    {
      key = bench.gateway.adminKey,
      base = bench.gateway.url,
      headers = {},
    }: { key?: string; base?: string; headers?: object } = {},
  ): Promise<Answer> => {
    const reply = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, json: (await reply.json()) as JsonObject };
  };

  return Object.assign(bench, {
    now,
    call,
    newName: (): string => `name ${++names}`,
    chat: (key: string, text = 'Hello', model = 'gpt-5.2'): Promise<Answer> =>
      call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] }, { key }),
    /** Everything a write could have changed. */
    async everything(): Promise<unknown> {
      const keys = await bench.admin.keys.list({ include_revoked: true, limit: 500 }).all();
      return [
        // When a key was last used is written by and by, behind the requests of other tests.
        keys.map(({ last_used_at: _lastUsed, ...key }) => key),
        await bench.admin.owners.list({ limit: 500 }).all(),
        await bench.admin.ledger.list({ limit: 500 }).all(),
      ];
    },
    secondsFromNow: (seconds: number): string => new Date(now() + seconds * 1000).toISOString(),
  });
}

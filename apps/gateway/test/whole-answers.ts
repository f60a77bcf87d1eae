/** A gateway that is asked for vectors, verdicts and scores, and what it charged. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from '@model-gateway/testing';

export interface Reply {
  readonly status: number;
  readonly json: JsonObject;
  readonly headers: Headers;
}
export interface Charge {
  readonly amount: number;
  readonly model: string | null;
  readonly detail: { readonly usage: JsonObject };
}

/** The gateway of a file, whose twin forgets its faults after every test. */
export function useGateway(options: TestGatewayOptions = {}) {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway(options);
  });
  afterEach(() => gateway.twin.faults.clear());
  afterAll(() => gateway.close());
  return {
    gateway: () => gateway,
    async post(path: string, body: Json | string, headers: Record<string, string> = {}): Promise<Reply> {
      const reply = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: reply.status, json: (await reply.json()) as JsonObject, headers: reply.headers };
    },
    /** What was charged for requests, newest first; leases have entries of their own. */
    async charges(): Promise<readonly Charge[]> {
      const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger?limit=500`, {
        headers: { authorization: `Bearer ${gateway.adminKey}` },
      });
      const { data } = (await reply.json()) as { data: Charge[] };
      return data.filter(({ model }) => model !== null);
    },
  };
}

/** The error of a reply, as OpenAI's and Google's SDKs read it. */
export function errorOf({ json }: Reply): JsonObject {
  return isJsonObject(json['error']) ? json['error'] : {};
}

export function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

/** Every method of the official SDKs is in a list, and what the list says is served is called through its SDK. */
import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { formatted } from '../../../tools/docs/format.ts';
import { SDKS, methodsPage } from './sdk-methods/page.ts';
import { methodsOf, rowOf, type Clients } from './sdk-methods/sdk-methods.ts';

let gateway: TestGateway;
let clients: Clients;
beforeAll(async () => {
  let passed = 0;
  gateway = await openTestGateway({
    clock: () => Date.now() + passed,
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`,
  });
  const { url, liveKey: key } = gateway;
  clients = {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 }),
    google: new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } }),
    cloud: new GoogleGenAI({ vertexai: true, apiKey: key, httpOptions: { baseUrl: url } }),
    url,
    key,
    async passTime() {
      // Vendors' batches begin, and end.
      await gateway.server.batches.workAll();
      passed += 60_000;
      await gateway.server.tasks.runDue();
      await gateway.server.batches.workAll();
    },
  };
});
afterAll(() => gateway.close());

describe.each(SDKS)('$name', ({ name, rows }) => {
  const methods = methodsOf(name);

  it('every method is in the list, and the list has no other', () => {
    expect(methods.filter((method) => rowOf(rows, method) === undefined)).toEqual([]);
    const used = new Set(methods.map((method) => rowOf(rows, method)));
    expect(Object.keys(rows).filter((row) => !used.has(row))).toEqual([]);
  });

  it('what is translated is called with models of several vendors', () => {
    const alone = Object.entries(rows).filter(([, { state, models }]) => state === 'translated' && models!.length < 2);
    expect(alone.map(([row]) => row)).toEqual([]);
  });

  it('families stand for what is absent only', () => {
    const families = Object.entries(rows).filter(([row, { state }]) => row.endsWith('*') && state !== 'absent');
    expect(families.map(([row]) => row)).toEqual([]);
  });

  it.each(Object.entries(rows).filter(([, { call }]) => call !== undefined))(
    '%s',
    async (_, { call, models = [''] }) => {
      for (const model of models) expect(await call?.(clients, model), model).toBeTruthy();
    },
  );
});

it('the page says what the lists say', async () => {
  const place = new URL('../../../docs/sdk-methods.md', import.meta.url).pathname;
  const page = await formatted(place, methodsPage(SDKS));
  expect(readFileSync(place, 'utf8'), 'run node tools/sdk-methods.mjs').toBe(page);
});

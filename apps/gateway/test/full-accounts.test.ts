/** An account that takes no more calls: who has room is asked instead, owners take turns, and who finds no room is told to come back. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import {
  openTestGateway,
  paidOperations,
  paidRequestsOf,
  sendPaid,
  startScriptedVendor,
  until,
  type ScriptedReply,
  type ScriptedVendor,
  type TestGateway,
} from '@model-gateway/testing';
import { TWIN_VENDORS } from '@model-gateway/vendor-twin';
import { parse } from 'yaml';
import { askInFormat, FORMATS } from './ask-in-format.ts';

const operation = (id: string): OperationFacts => (OPERATIONS as Readonly<Record<string, OperationFacts>>)[id]!;

describe('every paid operation', () => {
  const AT_ONCE = 24;
  /** A job that is being submitted is not given up, nor a content that is being kept: nobody would know its name. */
  const SLOW = { kind: 'slow', ms: 500 } as const;
  const isSeenThrough = (id: string): boolean =>
    operation(id).idempotent === 'task' || id.startsWith('createCachedContent');
  let gateway: TestGateway;
  const busy = (): number =>
    gateway.server.own.accounts().reduce((sum, { queued, inFlight }) => sum + queued + inFlight, 0);

  beforeAll(async () => {
    const file = new URL('../config/catalogue.yaml', import.meta.url);
    const { accounts } = parse(readFileSync(file, 'utf8')) as {
      readonly accounts: readonly { readonly name: string }[];
    };
    const narrow = accounts.map(({ name }) => `{ name: ${name}, max_concurrency: 1, on_disconnect: abort }`);
    // What stands for a compacted conversation is encrypted.
    const key = Buffer.alloc(32, 5).toString('base64');
    gateway = await openTestGateway({
      yaml: `security: { encryption_key: '${key}' }\naccounts: [${narrow.join(', ')}]`,
    });
  });
  afterAll(() => gateway.close());

  // What is seen through comes last: one that begins when its test is over would wait for the hanging vendor of the next.
  const lastSeenThrough = [...paidOperations()].sort((one, other) => +isSeenThrough(one) - +isSeenThrough(other));

  it.each(lastSeenThrough)(
    '%s: who finds no room gets 429 where it is listed, else 503, and when to come back',
    async (id) => {
      for (const vendor of TWIN_VENDORS)
        gateway.twin.faults.always(vendor, '*', isSeenThrough(id) ? SLOW : { kind: 'hang' });
      const request = paidRequestsOf(id).find(({ body }) => body['background'] === undefined);
      const gone = new AbortController();
      const settled: Awaited<ReturnType<typeof sendPaid>>[] = [];
      const all = Array.from({ length: AT_ONCE }, () =>
        sendPaid({ url: gateway.url, key: gateway.testKey, signal: gone.signal }, request!).then(
          (answer) => settled.push(answer),
          () => undefined,
        ),
      );
      await until(() => settled.length > 0);
      const [refused] = settled;
      expect([refused?.status, refused?.text]).toEqual([
        operation(id).openAiStatuses === true ? 429 : 503,
        expect.stringContaining('the queue is full'),
      ]);
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      gone.abort();
      gateway.twin.faults.clear();
      await Promise.all(all);
      await until(() => busy() === 0);
    },
  );
});

describe('between accounts and owners', () => {
  let gateway: TestGateway;
  let first: ScriptedVendor;
  let second: ScriptedVendor;
  const held: (() => void)[] = [];
  const answer = (text: string): ScriptedReply => ({
    json: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    },
  });

  beforeAll(async () => {
    first = await startScriptedVendor(async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return answer('first');
    });
    second = await startScriptedVendor(() => answer('second'));
    const account = (name: string, { url }: ScriptedVendor, more: string): string =>
      `{ name: ${name}, vendor: openai, base_url: '${url}/v1', credentials: { api_key: none }, ${more} }`;
    const offer = (name: string, priority: number): string =>
      `{ account: ${name}, model: m, dialect: openai-chat, priority: ${priority} }`;
    gateway = await openTestGateway({
      yaml: `extends: none
security: { allow_private: ['127.0.0.1'] }
accounts: [${account('narrow', first, 'max_concurrency: 2')}, ${account('wide', second, 'max_concurrency: 64')}]
models:
  - { code: pair, kind: chat, price: free, offers: [${offer('narrow', 1)}, ${offer('wide', 2)}] }
  - { code: lone, kind: chat, price: free, offers: [${offer('narrow', 1)}] }
  - { code: other, kind: chat, price: free, offers: [${offer('wide', 1)}] }
  - { code: patient, kind: chat, price: free, offers: [${offer('narrow', 1)}], fallbacks: { on_error: [other] } }`,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await first.close();
    await second.close();
  });

  const ask = (model: string, key?: string) =>
    askInFormat(gateway, { format: 'chat', model, ...(key !== undefined && { key }) });
  /** Takes both places of the narrow account; what is given back lets them go. */
  async function fill(): Promise<readonly Promise<unknown>[]> {
    const running = [ask('lone'), ask('lone')];
    await until(() => held.length === 2);
    return running;
  }
  async function empty(running: readonly Promise<unknown>[]): Promise<void> {
    const letting = setInterval(() => held.shift()?.(), 2);
    await Promise.all(running);
    clearInterval(letting);
  }

  it.each(FORMATS)('%s: a full account is passed by when another one has room', async (format) => {
    const running = await fill();
    const reply = await askInFormat(gateway, { format, model: 'pair' });
    expect(reply).toMatchObject({ status: 200, attempts: '1', text: expect.stringContaining('second') as string });
    expect(held.length).toBe(2);
    await empty(running);
  });

  it('with room, the first one is asked', async () => {
    const asked = ask('pair');
    await until(() => held.length === 1);
    await empty([asked]);
    expect((await asked).text).toContain('first');
  });

  it('a fallback to another model is not asked for that: the request waits its turn', async () => {
    const running = await fill();
    const patient = ask('patient');
    await until(() => gateway.server.own.accounts().some(({ queued }) => queued === 1));
    await empty([...running, patient]);
    expect((await patient).text).toContain('first');
  });

  it('an owner with one request at a time is served beside one with many at once', async () => {
    const running = await fill();
    let over = false;
    const crowd = Array.from({ length: 30 }, async () => {
      while (!over) if ((await ask('lone')).status !== 200) await new Promise(setImmediate);
    });
    const letting = setInterval(() => held.shift()?.(), 1);
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) statuses.push((await ask('lone', gateway.otherKey)).status);
    over = true;
    await Promise.all([...running, ...crowd]);
    clearInterval(letting);
    expect(statuses).toEqual(Array<number>(10).fill(200));
  });
});

/** What becomes of work when a worker, the twin's process or the primary dies, and what one worker learns for all. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openStore } from '@model-gateway/store';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { until } from '@model-gateway/testing';
import { callOn, CHAT, KEY, startWorkers, yamlOf, type WorkersGateway } from './workers-gateway.ts';

const describeWorkers = availableParallelism() > 1 ? describe : describe.skip;

describeWorkers('a gateway with workers', () => {
  let twin: VendorTwin;
  let gateway: WorkersGateway;
  beforeAll(async () => {
    twin = await startVendorTwin({ media: 'tiny', seconds: { video: 1 } });
  });
  afterAll(() => twin.close());
  afterEach(async () => {
    twin.faults.clear();
    await gateway.close();
  });

  const create = (prompt: string) =>
    gateway.call('/v1/video/generations', {
      body: { model: 'film', content: [{ type: 'text', text: prompt }], duration: 5 },
    });
  const stateOf = async (id: string): Promise<unknown> => {
    const { json } = await gateway.call(`/v1/video/generations/${id}`);
    return isJsonObject(json['data']) ? json['data']['status'] : json;
  };

  it('loses no acknowledged task and starts none twice while its workers are killed one after the other; the ledger adds up', async () => {
    gateway = await startWorkers(twin);
    const before = twin.ledger.jobs('ark').length;
    const acknowledged: string[] = [];
    let sent = 0;
    let isOver = false;
    const create1 = async (): Promise<void> => {
      while (!isOver) {
        // A connection that died with its worker says nothing of the task.
        const reply = await create(`boat ${++sent}`).catch(() => undefined);
        if (reply?.status === 200) acknowledged.push(reply.json['task_id'] as string);
        await gateway.call('/v1/chat/completions', { body: CHAT }).catch(() => undefined);
      }
    };
    const working = Promise.all(Array.from({ length: 4 }, create1));
    const killed = new Set<number>();
    for (let round = 0; round < 3; round++) {
      await until(() => acknowledged.length >= (round + 1) * 8, 60).finally(
        () => (isOver = acknowledged.length < (round + 1) * 8),
      );
      const victim = gateway.children().find((pid) => !killed.has(pid)) ?? 0;
      killed.add(victim);
      process.kill(victim, 'SIGKILL');
      await until(() => gateway.logged('a worker has died; another one takes its place').length === round + 1);
    }
    await until(() => acknowledged.length >= 32, 60);
    isOver = true;
    await working;
    await until(async () => (await Promise.all(acknowledged.map(stateOf))).every((state) => state === 'SUCCESS'), 60);
    const jobs = twin.ledger.jobs('ark').length - before;
    expect(jobs).toBeGreaterThanOrEqual(acknowledged.length);
    expect(jobs).toBeLessThanOrEqual(sent);

    gateway.process.child.kill('SIGTERM');
    await until(() => gateway.process.child.exitCode !== null);
    expect(gateway.process.child.exitCode).toBe(0);
    const store = await openStore(`sqlite:${join(gateway.folder, 'gateway.db')}`);
    expect(await store.ledger.verify()).toEqual([]);
    await store.close();
  }, 240_000);

  it('asks an account that refused one worker from no other until its pause is over', async () => {
    gateway = await startWorkers(twin, {
      yaml: (folder) =>
        yamlOf(folder, twin)
          .replace(
            'models:\n',
            `  - { id: 9, name: spare, vendor: anthropic, base_url: '${twin.baseUrl('anthropic')}', credentials: { api_key: '${twin.credentials('anthropic')['api_key'] ?? ''}' } }\nmodels:\n`,
          )
          .replace(
            'offers: [{ account: chat, model: gpt-5.2, dialect: openai-chat }]',
            'offers: [{ account: chat, model: gpt-5.2, dialect: openai-chat, priority: 1 }, { account: spare, model: claude-opus-4-5, dialect: anthropic-messages, priority: 2 }]',
          ),
    });
    twin.requests.clear();
    twin.faults.always('openai', '*', { kind: 'status', status: 429, headers: { 'retry-after': '120' } });
    const first = await gateway.call('/v1/chat/completions', { body: CHAT });
    expect(first.status).toBe(200);
    expect(twin.requests.list({ vendor: 'openai' })).toHaveLength(1);
    const others = await Promise.all(
      Array.from({ length: 12 }, () => gateway.call('/v1/chat/completions', { body: CHAT })),
    );
    expect(others.map(({ status }) => status)).toEqual(Array<number>(12).fill(200));
    // Both workers have served, and only the one request ever found out.
    expect(twin.requests.list({ vendor: 'openai' })).toHaveLength(1);
    await until(() => new Set(gateway.logged('request').map(({ pid }) => pid)).size === 2);
  }, 120_000);

  it('has one twin for all workers, and another one at the same address when it dies', async () => {
    gateway = await startWorkers(twin, {
      yaml: (folder) => `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
tasks: { poll_seconds: 0.5 }
keys: [{ name: plain, key: ${KEY} }]
`,
    });
    const body: JsonObject = {
      model: 'doubao-seedance-2-0-fast',
      content: [{ type: 'text', text: 'a kite' }],
      duration: 5,
    };
    const made = await gateway.call('/v1/video/generations', { body });
    expect(made.status).toBe(200);
    // The twin's process is the one that serves no requests: three children, two of which write lines of requests.
    await until(async () => {
      await gateway.call('/v1/models');
      return new Set(gateway.logged('request').map(({ pid }) => pid)).size === 2;
    });
    const serving = new Set(gateway.logged('request').map(({ pid }) => pid));
    const twinPid = gateway.children().find((pid) => !serving.has(pid)) ?? 0;
    process.kill(twinPid, 'SIGKILL');
    await until(() => gateway.logged('the vendor twin stopped unexpectedly and is started again').length === 1);
    const id = made.json['task_id'] as string;
    await until(async () => (await stateOf(id)) === 'SUCCESS', 60);
    const seen = await Promise.all(Array.from({ length: 6 }, () => stateOf(id)));
    expect(new Set(seen)).toEqual(new Set(['SUCCESS']));
    const link = ((await gateway.call(`/v1/video/generations/${id}`)).json['data'] as JsonObject)[
      'result_url'
    ] as string;
    expect(link.startsWith(gateway.process.url)).toBe(true);
    const media = await callOn(gateway.process.url, new URL(link).pathname);
    expect(media.status).toBe(200);
  }, 120_000);

  it('ends with its primary, however that ends, and starts again on the same file at once', async () => {
    gateway = await startWorkers(twin);
    const made = await create('a kite');
    const workers = gateway.children();
    twin.faults.next('ark', 'create', { kind: 'hang' });
    twin.requests.clear();
    const interrupted = {
      body: { model: 'film', content: [{ type: 'text', text: 'a kite that is lost' }], duration: 5 },
      headers: { 'idempotency-key': 'interrupted' },
    };
    void gateway.call('/v1/video/generations', interrupted).catch(() => undefined);
    await until(() => twin.requests.list({ vendor: 'ark' }).some(({ operation }) => operation === 'create'));
    await gateway.process.kill();
    const isThere = (pid: number): boolean => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    await until(() => !workers.some(isThere));
    await gateway.restart();
    await until(async () => (await stateOf(made.json['task_id'] as string)) === 'SUCCESS', 60);
    // Nobody waits until the vendor's time to answer is over: its process is known to be gone.
    const repeated = await gateway.call('/v1/video/generations', interrupted);
    expect(repeated.json).toMatchObject({ code: 'submission_unknown' });
  }, 120_000);

  it('lets every worker finish what runs at SIGTERM, and ends with 0', async () => {
    gateway = await startWorkers(twin);
    twin.requests.clear();
    twin.faults.always('openai', '*', { kind: 'slow', ms: 2_000 });
    const slow = Array.from({ length: 6 }, () => gateway.call('/v1/chat/completions', { body: CHAT }));
    await until(() => twin.requests.list({ vendor: 'openai' }).length >= 6);
    gateway.process.child.kill('SIGTERM');
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array<number>(6).fill(200));
    await until(() => gateway.process.child.exitCode !== null);
    expect(gateway.process.child.exitCode).toBe(0);
    // One of them said so for all, and each for itself.
    const told = () => gateway.logged('shutting down: finishing running requests');
    // What it printed last may be read after its end.
    await until(() => told().length >= 3);
    expect(told()).toHaveLength(3);
  }, 120_000);
});

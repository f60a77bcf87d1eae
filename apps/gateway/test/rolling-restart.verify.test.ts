/** Three replicas on PostgreSQL and Redis behind a load balancer, replaced one after the other while chat, streams, tasks and webhooks run. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import {
  hasTestRedis,
  openTestDatabase,
  openTestRedis,
  startGatewayProcess,
  type GatewayProcess,
  type TestDatabase,
  type TestRedis,
  until,
} from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { startLoadBalancer, type LoadBalancer } from './load-balancer.ts';
import { callOn, CHAT, yamlOf } from './workers-gateway.ts';

const STREAMED = { ...CHAT, stream: true, messages: [{ role: 'user', content: 'Hello [[twin:long=60]]' }] };
/** How often all three are replaced; with more than one each of them is killed as often, too: `ROLLING_ROUNDS=3 npx vitest run rolling-restart`. */
const ROUNDS = Number(process.env['ROLLING_ROUNDS'] ?? 1);
const DEATHS = ROUNDS === 1 ? 1 : 3 * ROUNDS;
const LONGEST_MS = 300_000 * ROUNDS;
const describeReplicas = hasTestRedis() ? describe : describe.skip;
const PAUSE_MS = 20;

describeReplicas('three replicas', () => {
  let folder: string;
  let twin: VendorTwin;
  let database: TestDatabase;
  let redis: TestRedis;
  let balancer: LoadBalancer;
  let receiver: Server;
  let replicas: GatewayProcess[] = [];
  /** Ids of webhooks, by task. */
  const webhooks = new Map<string, Set<string>>();

  const addReplica = async (): Promise<void> => {
    const replica = await startGatewayProcess({
      folder,
      env: { DATABASE_URL: database.url, REDIS_URL: redis.url },
    });
    replicas.push(replica);
    balancer.add(replica.url);
    const before = balancer.answers.get(replica.url) ?? 0;
    await until(async () => {
      await callOn(balancer.url, '/v1/models').catch(() => undefined);
      return (balancer.answers.get(replica.url) ?? 0) > before;
    }, 60);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-rolling-'));
    twin = await startVendorTwin({ media: 'tiny', seconds: { video: 1 }, chunkDelayMs: 10 });
    [database, redis, balancer] = await Promise.all([
      openTestDatabase('postgres'),
      openTestRedis(),
      startLoadBalancer(),
    ]);
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const { data } = JSON.parse(body) as { data: { task_id: string } };
        const ids = webhooks.get(data.task_id) ?? new Set();
        webhooks.set(data.task_id, ids.add(String(request.headers['webhook-id'])));
        response.writeHead(204).end();
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    writeFileSync(
      join(folder, 'gateway.yaml'),
      // Longer than the balancer takes to see it on a busy machine: it repeats nothing that was sent on an open connection.
      yamlOf(folder, twin).replace('server: { port: 0,', 'server: { port: 0, drain_delay_seconds: 3,'),
    );
    await addReplica();
    await Promise.all([addReplica(), addReplica()]);
  }, 180_000);
  afterAll(async () => {
    for (const replica of replicas) await replica.kill();
    receiver.closeAllConnections();
    receiver.close();
    await balancer.close();
    await Promise.all([twin.close(), redis.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Everything at once, until it is told to stop; every request that was not answered well is remembered. */
  function startLoad() {
    const failures: { readonly by: number; readonly what: string; readonly fault: string }[] = [];
    const acknowledged: string[] = [];
    const counts = { chats: 0, streams: 0, tasks: 0 };
    let isOver = false;
    let callers = 0;
    const repeat = async (what: string, work: () => Promise<string | undefined>): Promise<void> => {
      const number = ++callers;
      while (!isOver) {
        const fault = await work().catch((error: unknown) => String(error));
        if (fault !== undefined) failures.push({ by: number, what, fault });
        // Leaves the processor to the replicas that start.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    const callback = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const running = [
      ...Array.from({ length: 3 }, () =>
        repeat('chat', async () => {
          const { status, text } = await callOn(balancer.url, '/v1/chat/completions', { body: CHAT });
          counts.chats++;
          return status === 200 ? undefined : `${status} ${text}`;
        }),
      ),
      ...Array.from({ length: 3 }, () =>
        repeat('stream', async () => {
          const { status, text } = await callOn(balancer.url, '/v1/chat/completions', { body: STREAMED });
          counts.streams++;
          return status === 200 && text.includes('data: [DONE]') ? undefined : `${status} ${text.slice(-200)}`;
        }),
      ),
      repeat('task', async () => {
        const { status, text, json } = await callOn(balancer.url, '/v1/video/generations', {
          body: {
            model: 'film',
            content: [{ type: 'text', text: `boat ${++counts.tasks}` }],
            duration: 5,
            callback_url: callback,
          },
        });
        if (status !== 200) return `${status} ${text}`;
        acknowledged.push(json['task_id'] as string);
        return undefined;
      }),
    ];
    return {
      failures,
      acknowledged,
      counts,
      async stop() {
        isOver = true;
        await Promise.all(running);
      },
    };
  }

  const settled = (tasks: readonly string[]) =>
    until(async () => {
      const states = await Promise.all(
        tasks.map(async (id) => (await callOn(balancer.url, `/v1/video/generations/${id}`)).text),
      );
      return states.every((text) => text.includes('"SUCCESS"'));
    }, 90);

  it(
    'are replaced one after the other by SIGTERM without a failed request, a job twice or a webhook missing',
    async () => {
      const jobsBefore = twin.ledger.jobs('ark').length;
      const load = startLoad();
      for (let replaced = 0; replaced < 3 * ROUNDS; replaced++) {
        const { chats, streams } = load.counts;
        await until(() => load.counts.chats > chats + 5 && load.counts.streams > streams + 3, 60);
        // The one that has run for the longest.
        const [{ child, url }] = replicas as [GatewayProcess];
        child.kill('SIGTERM');
        await until(() => child.exitCode !== null, 60);
        expect(child.exitCode).toBe(0);
        balancer.remove(url);
        replicas = replicas.slice(1);
        await addReplica();
      }
      await load.stop();
      expect(load.failures).toEqual([]);
      expect(load.acknowledged.length).toBeGreaterThan(3);
      await settled(load.acknowledged);
      expect(twin.ledger.jobs('ark').length - jobsBefore).toBe(load.acknowledged.length);
      await until(() => load.acknowledged.every((id) => webhooks.has(id)), 60);
      expect(load.acknowledged.map((id) => webhooks.get(id)?.size)).toEqual(load.acknowledged.map(() => 1));
    },
    LONGEST_MS,
  );

  it(
    'lose by SIGKILL what ran at that replica, and nothing else',
    async () => {
      const jobsBefore = twin.ledger.jobs('ark').length;
      const load = startLoad();
      const deaths: { readonly url: string; readonly from: number }[] = [];
      for (let death = 0; death < DEATHS; death++) {
        const { chats, streams } = load.counts;
        const tasks = load.acknowledged.length;
        await until(
          () =>
            load.counts.chats > chats + 5 && load.counts.streams > streams + 3 && load.acknowledged.length > tasks + 1,
          60,
        );
        const [victim] = replicas as [GatewayProcess];
        deaths.push({ url: victim.url, from: load.failures.length });
        const dying = victim.kill();
        // In the same moment: what was under way is cut, and nothing new is sent there.
        balancer.remove(victim.url);
        await dying;
        replicas = replicas.slice(1);
        const after = load.counts.chats;
        await until(() => load.counts.chats > after + 10, 60);
        await addReplica();
      }
      await load.stop();
      for (const [index, { url, from }] of deaths.entries()) {
        // What was under way there: of each caller one request, and no caller fails twice.
        const lost = load.failures.slice(from, deaths[index + 1]?.from);
        expect(lost).toHaveLength(new Set(lost.map(({ by }) => by)).size);
        for (const { fault } of lost) expect(fault).toMatch(new RegExp(`^200|${url}|aborted`));
      }
      expect(load.failures.slice(0, deaths[0]?.from)).toEqual([]);
      const tasksFailed = load.failures.filter(({ what }) => what === 'task').length;
      await settled(load.acknowledged);
      const jobs = twin.ledger.jobs('ark').length - jobsBefore;
      expect(jobs).toBeGreaterThanOrEqual(load.acknowledged.length);
      expect(jobs).toBeLessThanOrEqual(load.acknowledged.length + tasksFailed);
      const store = await openStore(database.url);
      expect(await store.ledger.verify()).toEqual([]);
      await store.close();
    },
    LONGEST_MS,
  );
});

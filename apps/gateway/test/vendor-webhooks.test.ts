/** Webhooks of vendors, over HTTP: two gateways on one database, the twin that signs as its vendors do, and a clock that the test moves. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';

const SECONDS = 30;
/** No job has ended yet, and all have (the twin's jobs take 85 to 115 % of their time). */
const RUNNING = 24_000;
const DONE = 35_000;
/** A poll that finds a job running is followed by the next one after so long: a fifth of `poll_seconds`. */
const PAUSE = 12_000;
const VENDORS = [
  { vendor: 'fal', model: 'fal/kling-2.5-turbo-pro', isSigned: true, time: 'x-fal-webhook-timestamp' },
  { vendor: 'replicate', model: 'replicate/kling-2.5-turbo-pro', isSigned: true, time: 'webhook-timestamp' },
  { vendor: 'luma', model: 'luma/ray-2', isSigned: false, time: '' },
] as const;

interface Sent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What vendors reach at `server.public_url`: it passes on to one of the gateways, or keeps what came. */
interface Front {
  readonly url: string;
  to: string | undefined;
  readonly sent: Sent[];
  close(): Promise<void>;
}

async function startFront(): Promise<Front> {
  const sent: Sent[] = [];
  const front = { to: undefined as string | undefined };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      sent.push(one);
      if (front.to === undefined) response.writeHead(502).end();
      else void post(front.to, one).then(({ status }) => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(front, { url, sent, close });
}

async function post(url: string, { path, headers, body }: Sent): Promise<{ status: number; json: JsonObject }> {
  const kept = Object.entries(headers).filter(([name]) => /^(?:webhook-|x-fal-|content-type)/.test(name));
  const reply = await fetch(url + path, { method: 'POST', headers: Object.fromEntries(kept) as never, body });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let at = Date.UTC(2026, 11, 1);
  let database: TestDatabase;
  let front: Front;
  let one: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    database = await openTestDatabase(kind);
    front = await startFront();
    const common = {
      clock: () => at,
      databaseUrl: database.url,
      server: `public_url: '${front.url}'`,
      tasks: '{ poll_seconds: 60, vendor_webhooks: true }',
    };
    one = await openTestGateway({ ...common, twinOptions: { seconds: { video: SECONDS } } });
    // SQLite has one process.
    other = kind === 'sqlite' ? one : await openTestGateway({ ...common, twin: one.twin });
  });
  afterAll(async () => {
    if (other !== one) await other.close();
    await one.close();
    await front.close();
    await database.close();
  });
  beforeEach(async () => {
    // Whatever the test before has left comes to its end.
    at += 600_000;
    await one.server.tasks.runDue();
    front.to = undefined;
    await drain();
    front.sent.length = 0;
  });

  /** The vendor gives up on webhooks that nobody takes. */
  async function drain(): Promise<void> {
    while ((await one.twin.sendWebhooks()).length > 0);
  }
  const row = async (id: string) => one.server.parts.store.tasks.get(id);
  const stateOf = async (id: string) => (await row(id))?.state;
  const polls = (vendor: (typeof VENDORS)[number]['vendor']): number =>
    one.twin.requests.list({ vendor, operation: 'poll' }).length;

  async function created(model: string, prompt = 'a fox'): Promise<string> {
    const reply = await fetch(`${one.url}/v1/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${one.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, prompt, duration: 5 }),
    });
    expect(reply.status).toBe(200);
    return String(((await reply.json()) as JsonObject)['id']);
  }

  /** A task that was found running, and has ended at its vendor since; nobody is due to ask. */
  async function endedUnseen(model: string): Promise<string> {
    const id = await created(model);
    at += RUNNING;
    // Of its beginning.
    await drain();
    await one.server.tasks.runDue();
    expect(await stateOf(id)).toBe('IN_PROGRESS');
    at += DONE - RUNNING;
    expect(await one.server.tasks.runDue()).toBe(0);
    return id;
  }

  describe.each(VENDORS)('of $vendor', ({ vendor, model, isSigned, time }) => {
    it('have the task asked about at once, whichever gateway they reach', async () => {
      const id = await endedUnseen(model);
      front.to = other.url;
      expect((await one.twin.sendWebhooks()).map(({ status }) => status)).toEqual([200]);
      // What it says is not believed: nothing has changed before the vendor is asked.
      expect(await stateOf(id)).toBe('IN_PROGRESS');
      expect(await one.server.tasks.runDue()).toBe(1);
      expect(await stateOf(id)).toBe('SUCCESS');
      expect(front.sent.at(-1)?.path).toMatch(
        new RegExp(`^/vendor-webhooks/${id}\\?expires=\\d+&signature=[0-9a-f]{40}$`),
      );
    });

    it('cost nothing when they are lost: the task is polled as ever', async () => {
      const id = await endedUnseen(model);
      at += RUNNING + PAUSE - DONE;
      expect(await one.server.tasks.runDue()).toBe(1);
      expect(await stateOf(id)).toBe('SUCCESS');
      front.to = other.url;
      // It comes late: the vendor need not send it again.
      expect((await one.twin.sendWebhooks()).map(({ status }) => status)).toEqual([200]);
    });

    it.each([
      ['succeeds', 'a fox', 'SUCCESS'],
      ['fails', 'a fox [[twin:fail]]', 'FAILURE'],
    ])('come to an address that no caller sees, of a job that %s', async (_, prompt, end) => {
      const id = await created(model, prompt);
      const asked = one.twin.requests.list({ vendor }).map(({ path, body }) => decodeURIComponent(path) + body);
      const [, signature = ''] =
        new RegExp(`/vendor-webhooks/${id}\\?expires=\\d+&signature=([0-9a-f]{40})`).exec(asked.join()) ?? [];
      expect(signature).not.toBe('');
      const shown: string[] = [];
      for (const ms of [RUNNING, DONE + PAUSE]) {
        at += ms;
        await one.server.tasks.runDue();
        for (const path of [`/v1/video/generations/${id}`, `/v1/videos/${id}`, '/v1/video/generations']) {
          const reply = await fetch(one.url + path, { headers: { authorization: `Bearer ${one.testKey}` } });
          expect(reply.status).toBe(200);
          shown.push(await reply.text());
        }
      }
      expect(await row(id)).toMatchObject({ state: end, payload: expect.anything() as object });
      expect(shown.join()).toContain(end);
      expect(shown.join()).not.toContain(signature);
      expect(JSON.stringify(await row(id))).not.toContain(signature);
    });

    it('are taken once: a second one changes nothing', async () => {
      const id = await endedUnseen(model);
      await one.twin.sendWebhooks();
      const [sent] = front.sent.slice(-1);
      if (sent === undefined) throw new Error('nothing was sent');
      const taken = await Promise.all([post(one.url, sent), post(other.url, sent)]);
      expect(taken.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(taken.map(({ json }) => json['due'])).toContain(true);
      await other.server.tasks.runDue();
      const before = { row: await row(id), polls: polls(vendor) };
      expect(await post(one.url, sent)).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
      await one.server.tasks.runDue();
      expect({ row: await row(id), polls: polls(vendor) }).toEqual(before);
    });

    it('are refused with a 4xx when they are not the vendor’s, or too large, and nothing changes', async () => {
      const id = await endedUnseen(model);
      await one.twin.sendWebhooks();
      const [sent] = front.sent.slice(-1);
      if (sent === undefined) throw new Error('nothing was sent');
      const before = { row: await row(id), polls: polls(vendor) };
      const [path = '', query = ''] = sent.path.split('?');
      const forged: [Sent, number][] = [
        [{ ...sent, path: `${path}x?${query}` }, 401],
        [{ ...sent, path: `${path}?${query.slice(0, -1)}${query.endsWith('0') ? '1' : '0'}` }, 401],
        [{ ...sent, path }, 401],
        [{ ...sent, body: ' '.repeat(1024 * 1024 + 1) }, 413],
      ];
      if (isSigned) {
        const later = String(Number(sent.headers[time]) + 60);
        forged.push([{ ...sent, body: `${sent.body} ` }, 401]);
        forged.push([{ ...sent, headers: { ...sent.headers, [time]: later } }, 401]);
        forged.push([{ ...sent, headers: {} }, 401]);
      }
      for (const [webhook, status] of forged) expect((await post(other.url, webhook)).status).toBe(status);
      expect(await one.server.tasks.runDue()).toBe(0);
      expect({ row: await row(id), polls: polls(vendor) }).toEqual(before);
      // The genuine one is still good.
      expect((await post(other.url, sent)).status).toBe(200);
    });
  });

  it('that are too large are refused without a length, too, and nothing more of them is read', async () => {
    const id = await endedUnseen('luma/ray-2');
    await one.twin.sendWebhooks();
    const [sent] = front.sent.slice(-1);
    if (sent === undefined) throw new Error('nothing was sent');
    const send = async (bytes: number) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const body = ReadableStream.from(
        (function* () {
          for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
        })(),
      );
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(other.url + sent.path, { method: 'POST', headers, body, duplex: 'half' });
      return [reply.status, ((await reply.json()) as JsonObject)['error']];
    };
    const before = await row(id);
    expect(await send(1024 * 1024 + 1)).toEqual([413, expect.objectContaining({ code: 'body_too_large' })]);
    expect(await row(id)).toEqual(before);
    expect(await send(1024 * 1024)).toEqual([200, undefined]);
  });

  it('that were signed minutes ago are refused', async () => {
    await endedUnseen('fal/kling-2.5-turbo-pro');
    await one.twin.sendWebhooks();
    const [sent] = front.sent.slice(-1);
    if (sent === undefined) throw new Error('nothing was sent');
    at += 301_000;
    expect(await post(other.url, sent)).toMatchObject({ status: 401 });
  });

  it('cause one question a second at most', async () => {
    const id = await created('luma/ray-2');
    at += RUNNING;
    await one.server.tasks.runDue();
    expect(await stateOf(id)).toBe('IN_PROGRESS');
    await one.twin.sendWebhooks();
    const [sent] = front.sent.slice(-1);
    if (sent === undefined) throw new Error('nothing was sent');
    const before = polls('luma');
    for (let tenth = 0; tenth < 40; tenth++) {
      await post(tenth % 2 === 0 ? one.url : other.url, sent);
      await Promise.all([one.server.tasks.runDue(), other.server.tasks.runDue()]);
      at += 100;
    }
    const asked = polls('luma') - before;
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(4);
  });
});

it('are not asked for, and not taken, where the operator has not allowed them', async () => {
  const gateway = await openTestGateway({ server: `public_url: 'https://gateway.example'` });
  for (const { model } of VENDORS) {
    await fetch(`${gateway.url}/v1/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, prompt: 'a fox', duration: 5 }),
    });
  }
  const asked = VENDORS.flatMap(({ vendor }) => gateway.twin.requests.list({ vendor }));
  expect(asked.length).toBeGreaterThanOrEqual(VENDORS.length);
  expect(asked.map(({ path, body }) => path + body).join()).not.toContain('vendor-webhooks');
  await gateway.close();
});

/** Alerts over real sockets: a receiver of webhooks and a mail server, on a clock of the test's own. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { createUntrustedFetcher } from '@model-gateway/provider-kit';
import { openTestDatabase, openTestGateway, type TestGateway } from '@model-gateway/testing';
import { readConfig } from '../src/config/config.ts';
import { AlertChannels } from '../src/resources/alerts/channels.ts';
import { AlertMonitor } from '../src/resources/alerts/monitor.ts';
import type { AlertChannel, MailChannel } from '../src/config/alerts.ts';
import {
  MAIL_CERTIFICATE,
  openHttpReceiver,
  openMailReceiver,
  type HttpReceiver,
  type MailReceiver,
} from './alert-receivers.ts';
import { runCommand } from './run-command.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_PER_HOUR = 6;

let http: HttpReceiver;
let mail: MailReceiver;
let gateway: TestGateway;
let admin: Admin;
let database: Awaited<ReturnType<typeof openTestDatabase>>;
let now = NOON;
let owners = 0;

const open = async (): Promise<void> => {
  gateway = await openTestGateway({
    clock: () => now,
    databaseUrl: database.url,
    yaml: `security: { allow_private: ['${http.host}'] }
alerts:
  max_per_hour: ${MAX_PER_HOUR}
  channels:
    - { name: ops, type: webhook, webhook_url: '${http.url}/signed', secret: '${SECRET}' }
    - { name: chat, type: slack, webhook_url: '${http.url}/slack' }
    - { name: mail, type: email, smtp: { host: 127.0.0.1, port: ${mail.port}, security: none }, from: gateway@example.com, to: [ops@example.com, money@example.com] }`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
};
beforeAll(async () => {
  http = await openHttpReceiver();
  mail = await openMailReceiver();
  database = await openTestDatabase('sqlite');
  await open();
  // The harness' own owner has no money limit, and no other one is there.
  await gateway.server.alerts?.run();
});
afterAll(async () => {
  await gateway.close();
  await database.close();
  await http.close();
  await mail.close();
});
beforeEach(() => {
  now += 2 * HOUR;
  http.received.length = 0;
  http.status = 200;
  mail.mails.length = 0;
});

const look = async (): Promise<void> => {
  now += MINUTE;
  await gateway.server.alerts?.run();
};
const at = (path: string): readonly string[] =>
  http.received.filter((each) => each.path === path).map(({ body }) => body);
const signedTexts = (): readonly string[] =>
  at('/signed').map((body) => String((JSON.parse(body) as { data: JsonObject }).data['text']));

/** A prepaid owner, whose money is below its warning at once. */
async function lowOwner(balance = 3, low = 5): Promise<{ readonly id: number; readonly name: string }> {
  const owner = await admin.owners.create({ name: `owner <${++owners}>`, low_balance: low * 500_000 });
  if (balance > 0) await admin.owners.topUp(owner.id, { usd: balance });
  return owner;
}

describe('an alert', () => {
  it('goes to every channel, once: signed, as a chat message, as an e-mail', async () => {
    const { name, id } = await lowOwner();
    await look();
    await look();
    const [hook, ...more] = http.received.filter(({ path }) => path === '/signed');
    expect(more).toEqual([]);
    const headers = hook?.headers ?? {};
    expect(headers['webhook-timestamp']).toBe(String(Math.floor((now - MINUTE) / 1000)));
    // Its `verify` would compare that time with its own clock.
    const signature = new Webhook(SECRET).sign(String(headers['webhook-id']), new Date(now - MINUTE), hook?.body ?? '');
    expect(headers['webhook-signature']).toBe(signature);
    expect(JSON.parse(hook!.body)).toMatchObject({
      type: 'owner.low_balance',
      timestamp: new Date(now - MINUTE).toISOString().replace('.000', ''),
      data: {
        of: 'owner',
        id,
        name,
        left: 3,
        low_balance: 5,
        text: `The balance of the owner "${name}" (${id}) is $3.00, below $5.00.`,
      },
    });
    expect(at('/slack').map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        text: `The balance of the owner "${name.replace('<', '&lt;').replace('>', '&gt;')}" (${id}) is $3.00, below $5.00.`,
      },
    ]);
    expect(mail.mails).toMatchObject([{ to: ['ops@example.com', 'money@example.com'] }]);
    expect(mail.mails[0]?.source).toMatch(/^Subject: =\?UTF-8\?Q\?Model_gateway=3A_The_balance/m);
    expect(mail.mails[0]?.source).toContain(`The balance of the owner "${name}" (${id}) is $3.00, below $5.00.`);
    const { items } = await admin.alerts.list();
    expect(items).toMatchObject(
      ['mail', 'chat', 'ops'].map((channel) => ({
        channel,
        status: 'sent',
        attempts: 1,
        next_attempt_at: null,
        last_error: null,
      })),
    );
    expect(JSON.stringify(items)).not.toContain(http.host);
  });

  it('is not repeated by another process or after a restart, and is raised again when it was over', async () => {
    const owner = await lowOwner();
    const { alerts } = gateway.server.parts.store;
    const channels = new AlertChannels({
      settings: { channels: [{ name: 'ops', type: 'webhook', url: `${http.url}/signed`, secret: SECRET }] },
      fetcher: () => gateway.server.parts.untrustedFetcher,
      now: () => now,
    });
    now += MINUTE;
    const others = ['p', 'q', 'r'].map(
      (process) =>
        new AlertMonitor({
          ...{ alerts, channels, process, now: () => now, log: { info: none, warn: none, error: none } },
          settings: { at: [1], forecast: true, maxPerHour: MAX_PER_HOUR, channels: [] },
          budgets: () => Promise.resolve([]),
          own: () => Promise.resolve([]),
          others: () => Promise.resolve({ occasions: [], isOver: () => false }),
        }),
    );
    // Whoever is first looks; all of them send.
    await gateway.server.alerts?.run();
    await Promise.all([gateway.server.alerts?.run(), ...others.map((each) => each.run())]);
    expect(signedTexts()).toHaveLength(1);
    await gateway.close();
    await open();
    await look();
    expect(signedTexts()).toHaveLength(1);
    await admin.owners.topUp(owner.id, { usd: 10 });
    await look();
    await admin.owners.adjust(owner.id, { amount: -12 * 500_000, note: 'correction' });
    await look();
    expect(signedTexts()).toEqual([
      expect.stringContaining('is $3.00, below'),
      expect.stringContaining('is $1.00, below'),
    ]);
  });

  it('of a refused account is told by the process that saw it, whoever looks for all', async () => {
    const { alerts } = gateway.server.parts.store;
    const raised: string[] = [];
    const monitors = ['p', 'q'].map(
      (process) =>
        new AlertMonitor({
          alerts: { ...alerts, raise: async (each) => (raised.push(each.name), alerts.raise(each)) },
          ...{ process, now: () => now, log: { info: none, warn: none, error: none } },
          channels: { names: () => [], send: () => Promise.resolve(undefined) },
          settings: { at: [1], forecast: true, maxPerHour: MAX_PER_HOUR, channels: [] },
          budgets: () => Promise.resolve([]),
          own: () => Promise.resolve(process === 'q' ? [{ ...seen, name: 'account:1:key_refused@today' }] : []),
          others: () => Promise.resolve({ occasions: [{ ...seen, name: 'open x:1' }], isOver: () => false }),
        }),
    );
    await monitors[0]?.run();
    await monitors[1]?.run();
    expect(raised).toEqual(['open x:1', 'account:1:key_refused@today']);
    // What is raised and not over is not written again.
    now += MINUTE;
    await monitors[0]?.run();
    expect(raised).toHaveLength(2);
    await alerts.forget(['open x:1']);
  });

  it('of a key: each threshold once in each window', async () => {
    const { key, secret } = await admin.keys.create({ name: 'indexer', mode: 'live', limits: { spend_per_day: 100 } });
    expect(await chat(secret)).toBe(200);
    const spent =
      (await admin.usage({ group_by: ['key'] })).data.find(({ group }) => group['key'] === key.id)?.charged_usd ?? 0;
    expect(spent).toBeGreaterThan(0);
    // What is set aside for requests to come is much more, and is not used.
    await admin.keys.update(key.id, { limits: { spend_per_day: 26 } });
    await look();
    expect(signedTexts()).toEqual([]);
    const limitOf = async (share: number): Promise<void> => {
      const limit = Math.round((spent / share) * 500_000) / 500_000;
      await admin.keys.update(key.id, { limits: { spend_per_day: limit } });
    };
    await limitOf(0.85);
    await look();
    await look();
    expect(signedTexts()).toEqual([
      expect.stringMatching(/^The key "indexer" \(\d+\) of the owner .* has used 8[45]% of spend_per_day/),
    ]);
    await limitOf(1);
    await look();
    await look();
    expect(signedTexts()).toEqual([expect.anything(), expect.stringContaining('has used 100% of spend_per_day')]);
    now = Math.ceil(now / DAY) * DAY;
    await look();
    expect(signedTexts()).toHaveLength(2);
  });
});

it('of a budget with shares of its own: each once, over processes, a restart and a change of the shares', async () => {
  await admin.createBudget({ name: 'soft', scope: 'key', values: ['soft key'], window: 'total', limit: 1000, action: 'alert', alert_at: [3] }); // prettier-ignore
  const { secret } = await admin.keys.create({ name: 'soft key', mode: 'live' });
  expect(await chat(secret)).toBe(200);
  const reopen = async (): Promise<void> => {
    await gateway.close();
    await open();
  };
  // What was set aside for requests to come goes back: what is used is what was spent.
  await reopen();
  const [soft] = (await admin.budgets({ of: 'budget' })).data;
  const spent = soft?.used ?? 0;
  expect(spent).toBeGreaterThan(0);
  await admin.updateBudget('soft', { limit: spent / 2 });
  await look();
  expect(signedTexts()).toEqual([]);
  await admin.updateBudget('soft', { alert_at: [1.5, 3] });
  await look();
  await look();
  const told = expect.stringMatching(/^The budget "soft" \(\d+\) has used 200% of spend_total: .* Requests beyond it are not refused\.$/); // prettier-ignore
  expect(signedTexts()).toEqual([told]);
  const sent: string[] = [];
  const other = new AlertMonitor({
    ...{ alerts: gateway.server.parts.store.alerts, process: 'other', now: () => now },
    ...{ log: { info: none, warn: none, error: none }, own: () => Promise.resolve([]) },
    channels: { names: () => ['theirs'], send: (_name, { text }) => Promise.resolve(void sent.push(text)) },
    settings: { at: [1], forecast: true, maxPerHour: MAX_PER_HOUR, channels: [] },
    budgets: async () => (await admin.budgets({ of: 'budget' })).data,
    others: () => Promise.resolve({ occasions: [], isOver: () => false }),
  });
  now += MINUTE;
  await other.run();
  expect(sent).toEqual([]);
  await admin.updateBudget('soft', { alert_at: [3] });
  await look();
  await reopen();
  await admin.updateBudget('soft', { alert_at: [1.5, 3] });
  await look();
  expect(signedTexts()).toEqual([told]);
  await admin.updateBudget('soft', { alert_at: [1.5, 1.9] });
  await look();
  await look();
  expect(signedTexts()).toEqual([told, told]);
  await admin.deleteBudget('soft');
});

describe('a message that fails', () => {
  it('is sent later under the same id, and the other channels do not wait for it', async () => {
    http.status = 500;
    await lowOwner();
    await look();
    expect([at('/signed').length, at('/slack').length, mail.mails.length]).toEqual([1, 1, 1]);
    await gateway.server.alerts?.run();
    expect(at('/signed')).toHaveLength(1);
    http.status = 307;
    await look();
    expect(at('/elsewhere')).toEqual([]);
    expect((await admin.alerts.list({ channel: 'ops', limit: 1 })).items).toMatchObject([{ status: 'pending', attempts: 2, last_error: 'the address answered 307' }]); // prettier-ignore
    http.status = 204;
    now += 5 * MINUTE;
    await gateway.server.alerts?.run();
    const ids = http.received.filter(({ path }) => path === '/signed').map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
    expect((await admin.alerts.list({ channel: 'ops', limit: 1 })).items).toMatchObject([{ status: 'sent', attempts: 3, last_error: null }]); // prettier-ignore
    expect(mail.mails).toHaveLength(1);
  });

  it('is given up after two days, and stays in the list', async () => {
    http.status = 500;
    await lowOwner();
    for (let hour = 0; hour < 60; hour++) {
      now += HOUR;
      await gateway.server.alerts?.run();
    }
    const tried = at('/signed').length;
    expect(tried).toBe(9);
    expect((await admin.alerts.list({ channel: 'ops', limit: 1 })).items).toMatchObject([{ status: 'given_up', attempts: 9, next_attempt_at: null }]); // prettier-ignore
  });
});

it('no more than so many messages in an hour: the last one sums up the rest', async () => {
  for (let each = 0; each < 10; each++) await lowOwner(1, 2);
  await look();
  expect(signedTexts()).toHaveLength(MAX_PER_HOUR);
  const last = signedTexts().at(-1) ?? '';
  expect(last).toMatch(/^5 alerts in one message/);
  expect(last.match(/is \$1\.00, below \$2\.00/g)).toHaveLength(5);
  const told = new Set(
    signedTexts()
      .join('\n')
      .match(/owner <\d+>/g),
  );
  expect(told.size).toBe(10);
  await lowOwner(1, 2);
  await look();
  expect(signedTexts()).toHaveLength(MAX_PER_HOUR);
  now += HOUR;
  await look();
  expect(signedTexts()).toHaveLength(MAX_PER_HOUR + 1);
});

it('a gateway keeps its connections to channels while it runs, and closes them when it stops', async () => {
  await gateway.close();
  // Sooner than an idle connection ends by itself.
  await expect.poll(() => http.connections(), { timeout: 2_500 }).toBe(0);
  await open();
  for (let times = 0; times < 3; times++) expect(await admin.alerts.test()).toMatchObject({ ok: true });
  await lowOwner();
  await look();
  expect(http.received.length).toBeGreaterThan(6);
  // One for each of the two channels.
  expect(await http.connections()).toBe(2);
  await gateway.close();
  await expect.poll(() => http.connections(), { timeout: 2_500 }).toBe(0);
  await open();
});

describe('channels', () => {
  const channelsOf = (channels: readonly AlertChannel[], allowPrivate: readonly string[] = [http.host]) => {
    const fetcher = createUntrustedFetcher({ allowPrivate });
    return new AlertChannels({
      settings: { channels },
      fetcher: () => fetcher,
      now: () => now,
      mailCertificates: MAIL_CERTIFICATE,
    });
  };
  const secure = (
    port: number,
    password: string,
    security: MailChannel['server']['security'] = 'starttls',
  ): MailChannel => ({
    ...{ name: 'mail', type: 'email', from: 'a@example.com', to: ['b@example.com'] },
    server: { host: 'localhost', port, security, login: { user: 'robot', password } },
  });

  it('mail is encrypted before the password is sent; faults say nothing of it', async () => {
    const server = await openMailReceiver({ user: 'robot', password: 'right word' });
    try {
      expect((await channelsOf([secure(server.port, 'right word')]).test('mail')).channels).toMatchObject([
        { ok: true },
      ]);
      expect(server.mails).toMatchObject([{ encrypted: true, user: 'robot', to: ['b@example.com'] }]);
      const wrong = await channelsOf([secure(server.port, 'wrong word')]).test('mail');
      expect(wrong.channels).toMatchObject([
        { ok: false, error: 'the mail server refused the user name or the password' },
      ]);
      const strangers = new AlertChannels({ settings: { channels: [secure(server.port, 'right word')] }, fetcher: () => createUntrustedFetcher({ allowPrivate: [] }), now: () => now }); // prettier-ignore
      expect((await strangers.test('mail')).channels).toMatchObject([
        { error: 'the certificate of the mail server is not trusted' },
      ]);
      // This one offers no encryption: nothing is sent in clear.
      expect((await channelsOf([secure(mail.port, 'right word')]).test('mail')).channels).toMatchObject([{ ok: false, error: 'the mail server does not encrypt as configured' }]); // prettier-ignore
      expect(mail.mails).toEqual([]);
    } finally {
      await server.close();
    }
  });

  it('a mail server that goes on without an end is given up', async () => {
    const sockets: Socket[] = [];
    const slow = createServer((socket) => void sockets.push(socket.on('error', none))).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const settings = { channels: [secure((slow.address() as AddressInfo).port, 'right word')] };
    const channels = new AlertChannels({ settings, fetcher: () => createUntrustedFetcher({ allowPrivate: [] }), now: () => now, mailMs: 100 }); // prettier-ignore
    const begun = performance.now();
    expect((await channels.test('mail')).channels).toMatchObject([{ error: 'the mail server did not answer in time' }]);
    expect(performance.now() - begun).toBeLessThan(10_000);
    for (const socket of sockets) socket.destroy();
    slow.close();
  });

  it('Discord and Teams get their own forms, without mentions', async () => {
    await channelsOf(
      (['discord', 'teams'] as const).map((type) => ({ name: `<@${type}>`, type, url: `${http.url}/${type}` })),
    ).test(undefined);
    expect(JSON.parse(at('/discord')[0]!)).toEqual({
      content: expect.stringContaining('<@discord>'),
      allowed_mentions: { parse: [] },
    });
    expect(JSON.parse(at('/teams')[0]!)).toMatchObject({ type: 'message', attachments: [{ content: { type: 'AdaptiveCard', body: [{ type: 'RichTextBlock' }] } }] }); // prettier-ignore
  });

  it('do not reach private addresses that are not opened', async () => {
    const tested = await channelsOf([{ name: 'inside', type: 'slack', url: `${http.url}/inside` }], []).test('inside');
    expect(tested).toMatchObject({ ok: false, channels: [{ error: expect.stringContaining('not a public one') }] });
    expect(http.received).toEqual([]);
  });

  it('are tested by the API and by a command; who tests is in the audit log', async () => {
    http.status = 403;
    const env = { GATEWAY_URL: gateway.url, GATEWAY_ADMIN_KEY: gateway.adminKey };
    const said = await runCommand(['alerts', 'test', '--url', gateway.url], { env, now: () => now });
    expect(said.code).toBe(1);
    expect(said.out).toMatch(/ops\s+webhook\s+the address answered 403/);
    expect(said.out).toMatch(/mail\s+email\s+arrived/);
    await expect(admin.alerts.test({ channel: 'nobody' })).rejects.toMatchObject({ status: 404 });
    const [line] = (await admin.audit.list({ limit: 1 })).items;
    expect(line).toMatchObject({
      action: 'alert.test',
      after: { channels: expect.arrayContaining([{ name: 'ops', ok: false }]) },
    });
    const listed = await runCommand(['alerts', 'list', '--url', gateway.url, '--limit', '1'], { env, now: () => now });
    expect(listed.out).toContain('below');
  });
});

describe('the configuration', () => {
  it.each([
    {
      name: 'a webhook without its secret',
      yaml: `{ name: a, type: webhook, webhook_url: 'https://x.example' }`,
      says: 'needs secret',
    },
    {
      name: 'a chat with a mail server',
      yaml: `{ name: a, type: slack, webhook_url: 'https://x.example', smtp: { host: m } }`,
      says: 'does not have it',
    },
    {
      name: 'mail without recipients',
      yaml: `{ name: a, type: email, from: a@example.com, smtp: { host: m } }`,
      says: 'needs to',
    },
    {
      name: 'a password in clear',
      yaml: `{ name: a, type: email, from: a@example.com, to: [b@example.com], smtp: { host: m, security: none, user: u, password: secret-word } }`,
      says: 'travel in clear',
    },
    {
      name: 'two of one name',
      yaml: `{ name: a, type: slack, webhook_url: 'https://x.example' }, { name: a, type: slack, webhook_url: 'https://x.example' }`,
      says: 'another channel has this name',
    },
  ])('refuses $name', ({ yaml, says }) => {
    const read = () => readConfig({ GATEWAY_CONFIG: 'gateway.yaml' }, { text: `alerts: { channels: [${yaml}] }` });
    expect(read).toThrow(says);
    expect(read).not.toThrow('secret-word');
  });

  it('is shown without its secrets', () => {
    const text = `alerts: { channels: [{ name: a, type: webhook, webhook_url: 'https://hooks.example/T0/B0', secret: '${SECRET}' }, { name: m, type: email, from: a@example.com, to: [b@example.com], smtp: { host: mail.example, user: robot, password: hunter22 } }] }`;
    const { shown, alerts } = readConfig({ GATEWAY_CONFIG: 'gateway.yaml' }, { text });
    expect(JSON.stringify(shown)).not.toMatch(/T0|whsec|hunter22/);
    expect(alerts).toMatchObject({ at: [0.8, 1], forecast: true, maxPerHour: 20, channels: [{ type: 'webhook' }, { server: { port: 587, security: 'starttls' } }] }); // prettier-ignore
  });
});

const seen = { type: 'account.key_refused', implied: [], text: 'refused', data: {} } as const;

async function chat(secret: string): Promise<number> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await reply.text();
  return reply.status;
}

function none(): void {
  // Lines are not looked at.
}

/** Streams that survive: what is refused, whose they are, how much is kept and for how long. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import {
  ASK,
  FORMATS,
  heldYaml,
  openReading,
  startHeldVendor,
  type Format,
  type HeldVendor,
  type Reading,
} from './held-vendor.ts';

const MOST = 3;
let now = Date.UTC(2026, 10, 22, 12);
let vendor: HeldVendor;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = await startHeldVendor();
  gateway = await openTestGateway({
    clock: () => now,
    server: `resumable_streams: ${MOST}`,
    // What becomes of a vendor's stream when its reader leaves is the account's for other streams.
    yaml: heldYaml(vendor, ', on_disconnect: abort'),
  });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});
beforeEach(() => {
  now += 3_600_000;
});

interface Sent {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly extra?: JsonObject;
  readonly path?: string;
}
function send(
  format: Format,
  { key = gateway.liveKey, headers = { 'x-gateway-resumable': 'true' }, extra, path }: Sent,
) {
  const [usual, body] = ASK[format]('held', 'Tell me');
  return [
    `${gateway.url}${path ?? usual}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...body, ...extra }),
    },
  ] as const;
}
const open = (format: Format, sent: Sent = {}): Promise<Reading> => openReading(...send(format, sent));
async function refused(format: Format, sent: Sent): Promise<readonly [number, string]> {
  const asked = vendor.asked.length;
  const reply = await fetch(...send(format, sent));
  expect(vendor.asked).toHaveLength(asked);
  return [reply.status, await reply.text()];
}
const streamAt = (id: string, after?: string, key = gateway.liveKey) =>
  [
    `${gateway.url}/v1/streams/${id}`,
    { headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': after }) } },
  ] as const;
async function lookAt(id: string, after?: string, key?: string): Promise<readonly [number, string]> {
  const reply = await fetch(...streamAt(id, after, key));
  return [reply.status, await reply.text()];
}
/** A stream that has come to its end. */
async function finished(format: Format = 'openai-chat', sent: Sent = {}): Promise<Reading> {
  const reading = await open(format, sent);
  (await vendor.next()).finish();
  return reading.until();
}

describe('bad input', () => {
  it.each(FORMATS)('%s: a word that is none, and a request that is not streamed', async (format) => {
    const headers = { 'x-gateway-resumable': 'yes' };
    expect(await refused(format, { headers })).toEqual([
      400,
      expect.stringContaining("x-gateway-resumable is 'yes'; it must be true or false"),
    ]);
    const unstreamed =
      format === 'gemini-generate' ? { path: '/v1beta/models/held:generateContent' } : { extra: { stream: false } };
    const [status, text] = await refused(format, unstreamed);
    expect([status, text]).toEqual([400, expect.stringContaining('x-gateway-resumable is for streamed requests')]);
  });

  it('a JSON array has no place for numbers of events', async () => {
    const path = '/v1beta/models/held:streamGenerateContent';
    expect(await refused('gemini-generate', { path })).toEqual([400, expect.stringContaining('ask with alt=sse')]);
  });

  it.each(['openai-chat', 'openai-responses'] as const)(
    '%s: stream_options.resumable is for us alone',
    async (format) => {
      expect(await refused(format, { headers: {}, extra: { stream_options: { resumable: 'yes' } } })).toEqual([
        400,
        expect.stringContaining('stream_options.resumable'),
      ]);
      const reading = await finished(format, { headers: {}, extra: { stream_options: { resumable: true } } });
      expect(reading.id).toMatch(/^stream_\w{20,}$/);
      expect(vendor.asked.at(-1)).not.toContain('resumable');
      const plain = await finished(format, { headers: {}, extra: { stream_options: { resumable: false } } });
      expect([plain.id, plain.text.includes('id: 1\n')]).toEqual(['', false]);
      expect(vendor.asked.at(-1)).not.toContain('resumable');
    },
  );

  it('other options go where they went', async () => {
    const options = { resumable: true, include_usage: true };
    const reading = await finished('openai-chat', { headers: {}, extra: { stream_options: options } });
    expect(reading.text).toContain('"usage"');
    expect(JSON.parse(vendor.asked.at(-1) ?? '')).toMatchObject({ stream_options: { include_usage: true } });
  });

  it.each(['x', '-1', '1.5', '1'.repeat(16)])('Last-Event-ID %s', async (after) => {
    const { id } = await finished();
    expect(await lookAt(id, after)).toEqual([400, expect.stringContaining('Last-Event-ID must be the number')]);
  });

  it('an event that the stream has not', async () => {
    const { id, events } = await finished();
    expect(await lookAt(id, String(events.length))).toEqual([200, '']);
    const [status, text] = await lookAt(id, String(events.length + 1));
    expect([status, text]).toEqual([400, expect.stringContaining(`the stream has ${events.length} events`)]);
  });
});

it('is nobody else’s: another owner, the other mode, another id', async () => {
  const { id } = await finished();
  for (const [stream, key] of [
    [id, gateway.otherKey],
    [id, gateway.testKey],
    [`${id}x`, gateway.liveKey],
    ['%27', gateway.liveKey],
  ] as const)
    expect(await lookAt(stream, undefined, key)).toEqual([404, expect.stringContaining('there is no stream')]);
  expect((await lookAt(id))[0]).toBe(200);
});

it('a vendor’s own numbers, line ends and comments: events have one number, ours, and comments none', async () => {
  const reading = await open('openai-chat');
  const stream = await vendor.next();
  const event = (content: string) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }] })}`;
  stream.write(`: processing\n\nid: 77\n${event('one')}\n\n`);
  stream.write(`event: x\r\nid: 78\r\n${event('id: 9')}\r\nid\r\n\r\n`);
  stream.finish();
  const { text, events, id } = await reading.until();
  expect(text).toContain(': processing\nid: 2\n');
  expect(text.match(/^id.*$/gm)).toEqual(events.map((_event, index) => `id: ${index + 1}`));
  expect((await lookAt(id, '2'))[1]).toBe(
    events
      .slice(2)
      .map(({ block }) => block)
      .join(''),
  );
});

describe('how many', () => {
  it('streams run at once: the next one is refused before anybody is asked, whoever listens to the others', async () => {
    const readings = [await open('openai-chat'), await open('anthropic-messages'), await open('gemini-generate')];
    const streams = [await vendor.next(), await vendor.next(), await vendor.next()];
    for (const reading of readings) reading.hangUp();
    for (const format of FORMATS) {
      const [status, text] = await refused(format, {});
      expect([status, text]).toEqual([429, expect.stringContaining(`your account has ${MOST} resumable streams`)]);
    }
    // Of somebody else, in the other mode, and of another sort.
    const other = await open('openai-chat', { key: gateway.otherKey });
    const otherStream = await vendor.next();
    const plain = await open('openai-chat', { headers: {} });
    (await vendor.next()).finish();
    await plain.until();
    for (const stream of [...streams, otherStream]) stream.finish();
    await other.until();
    await until(
      async () =>
        (await fetch(...send('openai-chat', {})).then(async (reply) => (await reply.body?.cancel(), reply.status))) ===
        200,
    );
    (await vendor.next()).finish();
  });

  it('fifty at once: not one too many', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => fetch(...send('openai-chat', {}))));
    const taken = replies.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(MOST);
    for (const _reply of taken) (await vendor.next()).finish();
    await Promise.all(replies.map((reply) => reply.text()));
  });

  it('a refusal of the vendor leaves nothing behind', async () => {
    const before = gateway.twin.requests.list().length;
    for (let round = 0; round <= MOST; round++) {
      const [status] = await refused('openai-chat', { extra: { model: 'no-such-model' } });
      expect(status).toBe(400);
    }
    expect(gateway.twin.requests.list()).toHaveLength(before);
    expect((await finished()).id).not.toBe('');
  });
});

describe('without its caller', () => {
  it('is read on although the account says abort, for ten minutes and no longer', async () => {
    const reading = await open('openai-chat');
    const stream = await vendor.next();
    await reading.until(({ events }) => events.length > 0);
    reading.hangUp();
    stream.say(' on');
    await until(async () => (await resumedText(reading.id, ' on')).includes(' on'));
    now += 9 * 60_000;
    await gateway.server.streams.tend();
    expect(stream.isRead()).toBe(true);
    now += 61_000;
    await gateway.server.streams.tend();
    await until(() => !stream.isRead());
  });

  it('a caller that leaves before the stream begins is a caller that hangs up', async () => {
    const over = new AbortController();
    const [url, init] = send('openai-chat', {
      extra: { model: 'gpt-5.2', messages: [{ role: 'user', content: '[[twin:slow]] hi' }] },
    });
    const asking = fetch(url, { ...init, signal: over.signal }).catch(() => undefined);
    over.abort();
    await asking;
    expect((await finished()).id).not.toBe('');
  });

  it('more than is kept: who listens hears all of it, who comes back hears that there is more', async () => {
    const reading = await open('anthropic-messages');
    const stream = await vendor.next();
    for (let megabyte = 0; megabyte < 9; megabyte++) stream.say('x'.repeat(1024 * 1024));
    stream.finish();
    await reading.until();
    expect(reading.text.length).toBeGreaterThan(9 * 1024 * 1024);
    expect(reading.text).toContain('message_stop');
    const [status, text] = await lookAt(reading.id, '1');
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(9 * 1024 * 1024);
    expect(text.slice(-400)).toMatch(/event: error\ndata: .*larger than a stored stream may be/);
  });
});

describe('how long', () => {
  it('ten minutes after its end, and then the rows are gone', async () => {
    const { id } = await finished();
    // Its end is written down a moment later.
    await gateway.server.streams.tend();
    now += 10 * 60_000 - 1;
    expect((await lookAt(id))[0]).toBe(200);
    now += 1;
    expect((await lookAt(id))[0]).toBe(404);
    await gateway.server.streams.tend();
    const { streamLogs } = gateway.server.parts.store;
    expect(await streamLogs.sweep(now, 10)).toBe(0);
  });

  it.each(FORMATS)('%s: of a process that died, what there is and an error of the format', async (format) => {
    const { streamLogs } = gateway.server.parts.store;
    const whole = await finished(format);
    const [first] = whole.events;
    const id = `stream_of_the_dead_${format}`;
    const life = { aliveMs: 20_000, keptMs: 600_000 };
    await streamLogs.open({ id, ownerId: 1, mode: 'live', format }, { running: 9, bytes: 1e9 }, life, now);
    const batch = { first: 1, last: 1, bytes: Buffer.from(first?.block ?? '') };
    await streamLogs.append([{ id, batch }], life, now);
    const reading = await openReading(...streamAt(id));
    await reading.until(({ events }) => events.length === 1);
    now += 20_001;
    await reading.until();
    expect(reading.text.startsWith(first?.block ?? '?')).toBe(true);
    expect(reading.text.slice(first?.block.length)).toMatch(
      /error[\s\S]*the process that read this answer has stopped/,
    );
    // Nothing behind the last event is there, however often it is asked for.
    expect((await lookAt(id, '1'))[1]).toContain('has stopped');
  });
});

/** What a resumed stream says until it has a word. */
async function resumedText(id: string, word: string): Promise<string> {
  const reading = await openReading(...streamAt(id));
  await reading.until(({ text }) => text.includes(word));
  reading.hangUp();
  return reading.text;
}

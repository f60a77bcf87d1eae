/** Streams that survive: in all four formats, whole and cut anywhere, on another replica, for one bill. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import {
  ASK,
  eventsIn,
  FORMATS,
  type Format,
  HELD_USAGE,
  heldYaml,
  openReading,
  startHeldVendor,
  type HeldVendor,
  type Reading,
} from './held-vendor.ts';

/** Of the twin, by the format that is its own. */
const OWN: Record<Format, string> = {
  'openai-chat': 'gpt-5.2',
  'openai-responses': 'gpt-5.2-pro',
  'anthropic-messages': 'claude-sonnet-5',
  'gemini-generate': 'gemini-3.1-pro',
};

let database: TestDatabase;
let vendor: HeldVendor;
let gateway: TestGateway;
let replica: TestGateway;

beforeAll(async () => {
  [database, vendor] = await Promise.all([openTestDatabase('postgres'), startHeldVendor()]);
  const yaml = heldYaml(vendor);
  gateway = await openTestGateway({ yaml, databaseUrl: database.url });
  replica = await openTestGateway({ yaml, databaseUrl: database.url });
});
afterAll(async () => {
  await gateway.close();
  await replica.close();
  await vendor.close();
  await database.close();
});

interface Asked {
  readonly on?: TestGateway;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

function ask(
  format: Format,
  model: string,
  text: string,
  { on = gateway, key = on.liveKey, headers = {} }: Asked = {},
) {
  const [path, body] = ASK[format](model, text);
  return openReading(`${on.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-gateway-resumable': 'true',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}
const headersOf = (key: string, after?: number): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(after !== undefined && { 'last-event-id': String(after) }),
});
function resume(id: string, after?: number, { on = gateway, key = on.liveKey }: Asked = {}): Promise<Reading> {
  return openReading(`${on.url}/v1/streams/${id}`, { headers: headersOf(key, after) });
}

/** What the ledger has of a request, when it is there. */
async function chargesOf(requestId: string | null): Promise<readonly JsonObject[]> {
  const { ledger } = gateway.server.parts.store;
  for (let round = 0; round < 3_000; round++) {
    const entries = await ledger.entries({ requestId: requestId ?? '', kind: 'capture', limit: 5 });
    if (entries.length > 0) return entries.map(({ detail }) => detail['usage'] as JsonObject);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('nothing was charged');
}

describe.each(FORMATS)('%s', (format) => {
  it('of a vendor of the same format: from every event on, the rest as it was sent', async () => {
    const first = await ask(format, OWN[format], 'Tell me [[twin:long=12]] of the sea — élan', {
      key: gateway.testKey,
    });
    const { text, id } = await first.until();
    const events = eventsIn(text);
    expect(events.map((event) => event.id)).toEqual(events.map((_event, index) => index + 1));
    expect(events.length).toBeGreaterThan(4);
    const kept = events.map(({ block }) => block).join('');
    for (const after of [undefined, ...events.map((event) => event.id)]) {
      const rest = await resume(id, after, { on: after === 3 ? replica : gateway, key: gateway.testKey });
      expect((await rest.until()).text).toBe(
        kept.slice(
          events
            .slice(0, after ?? 0)
            .map(({ block }) => block)
            .join('').length,
        ),
      );
    }
  });

  it('of Claude, which pings: an empty line ends an event and stands nowhere else', async () => {
    const first = await ask(format, OWN['anthropic-messages'], 'Tell me', { key: gateway.testKey });
    const blocks = (await first.until()).text.split(/\r?\n\r?\n/);
    expect(blocks.pop()).toBe('');
    expect(blocks.filter((block) => !/^data:/m.test(block))).toEqual([]);
  });

  it('translated, left in the middle: another replica follows live, and the bill is the vendor’s', async () => {
    const asking = ask(format, 'held', 'Tell me');
    const stream = await vendor.next();
    const reading = await asking;
    const asked = vendor.asked.length;
    stream.say(' upon', ' a', ' time');
    await reading.until(({ text }) => text.includes(' time'));
    reading.hangUp();
    const last = reading.events.at(-1)?.id ?? 0;
    const resumed = await resume(reading.id, last, { on: replica });
    stream.say(' there', ' was');
    await resumed.until(({ text }) => text.includes(' was'));
    resumed.hangUp();
    const again = await resume(reading.id, resumed.events.at(-1)?.id);
    stream.say(' a', ' boat.');
    stream.finish();
    await again.until();
    const whole = await (await resume(reading.id)).until();
    const heard = [...reading.events, ...resumed.events, ...again.events];
    expect(heard.map(({ block }) => block)).toEqual(whole.events.map(({ block }) => block));
    expect(heard.map((event) => event.id)).toEqual(heard.map((_event, index) => index + 1));
    expect(vendor.asked).toHaveLength(asked);
    expect(await chargesOf(reading.reply.headers.get('x-request-id'))).toEqual([
      expect.objectContaining({
        inputTokens: HELD_USAGE.prompt_tokens,
        outputTokens: HELD_USAGE.completion_tokens,
      }),
    ]);
  });
});

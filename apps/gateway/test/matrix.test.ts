/**
 * Every official SDK against every upstream dialect, through the running gateway and the vendor twin. The outcome is a table in the docs;
 * `UPDATE_DOCS=1` writes it, otherwise the table there must be what was seen.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import sharp from 'sharp';
import { formatted } from '../../../tools/docs/format.ts';
import { aiSdkDrivers, generated, streamed, type AiSdkDriver } from './matrix/ai-sdk-driver.ts';
import { anthropicDriver } from './matrix/anthropic-driver.ts';
import type { Driver } from './matrix/driver.ts';
import { googleDriver } from './matrix/google-driver.ts';
import { openAiChatDriver, openAiResponsesDriver } from './matrix/openai-driver.ts';

const TABLE = fileURLToPath(new URL('../../../docs/chat-matrix.md', import.meta.url));
const VENDOR: Readonly<Record<ChatFormat, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'gemini',
};
const YAML = `extends: none\naccounts:
  - { id: 1, name: openai, vendor: openai, on_disconnect: abort, credentials: { api_key: '\${NO_KEY}' } }
  - { id: 2, name: anthropic, vendor: anthropic, on_disconnect: abort, credentials: { api_key: '\${NO_KEY}' } }
  - { id: 3, name: gemini, vendor: gemini, on_disconnect: abort, credentials: { api_key: '\${NO_KEY}' } }
models:
  - { code: up-openai-chat, kind: chat, price: free, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }] }
  - { code: up-openai-responses, kind: chat, price: free, offers: [{ account: openai, model: gpt-5.2, dialect: openai-responses }] }
  - { code: up-anthropic-messages, kind: chat, limits: { max_output_tokens: 64000 }, price: free, offers: [{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages, quirks: { thinking: budget } }] }
  - { code: up-gemini-generate, kind: chat, price: free, offers: [{ account: gemini, model: gemini-3.1-pro-preview, dialect: gemini-generate }] }
`;

let gateway: TestGateway;
/** Cool-downs after a fault must not reach the next cell. */
let later = 0;
let drivers: ReadonlyMap<ChatFormat, Driver>;
let aiSdk: ReadonlyMap<ChatFormat, AiSdkDriver>;
let picture: string;
const seen = new Map<string, string>();

beforeAll(async () => {
  gateway = await openTestGateway({ yaml: YAML, clock: () => Date.now() + later });
  drivers = new Map(
    [openAiChatDriver, openAiResponsesDriver, anthropicDriver, googleDriver].map((make) => {
      const driver = make(gateway.url, gateway.testKey);
      return [driver.name, driver];
    }),
  );
  aiSdk = new Map(aiSdkDrivers(gateway.url, gateway.testKey).map((driver) => [driver.name, driver]));
  picture = (
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
  ).toString('base64');
});
afterAll(() => gateway.close());

type Scenario = (driver: Driver, model: string) => Promise<string | void>;

const weather = { text: 'What is the weather in Ulm?', tools: true } as const;

/** The status an SDK sees, by what the vendor said and by the group the format belongs to (docs/architecture.md#errors). */
const expectStatus = async (
  driver: Driver,
  model: string,
  marker: number,
  statuses: { readonly chat: number; readonly others: number },
): Promise<void> => {
  const error = await driver.ask(model, { text: `[[twin:${marker}]] Hello` }).then(
    () => new Error('it answered'),
    (thrown: unknown) => thrown as Error & { status?: number },
  );
  later += 3_600_000;
  expect((error as { status?: number }).status).toBe(driver.name === 'openai-chat' ? statuses.chat : statuses.others);
};

const scenarios: Readonly<Record<string, Scenario>> = {
  plain: async (driver, model) => {
    const heard = await driver.ask(model, { system: 'Be brief.', text: 'Hello' });
    expect(heard.text).toContain('You said: Hello');
    expect(heard.text).toContain('My instructions: Be brief.');
    return heard.dropped;
  },
  stream: async (driver, model) => {
    const heard = await driver.ask(model, { text: 'Hello', stream: true });
    expect(heard.text).toContain('You said: Hello');
  },
  tools: async (driver, model) => {
    for (const stream of [false, true]) {
      const heard = await driver.ask(model, { ...weather, stream });
      expect(heard.calls).toEqual([
        expect.objectContaining({ name: 'get_weather', args: { city: expect.any(String) } }),
      ]);
    }
  },
  'parallel tools': async (driver, model) => {
    for (const stream of [false, true]) {
      const heard = await driver.ask(model, { text: '[[twin:tools]] the weather', tools: true, stream });
      expect(heard.calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time']);
    }
  },
  'tool results': async (driver, model) => {
    const heard = await driver.ask(model, weather);
    const answer = await driver.ask(model, { text: '', after: { ask: weather, heard, result: '5 degrees' } });
    expect(answer.text).toContain('get_weather answered: ');
    expect(answer.text).toContain('5 degrees');
    return answer.dropped;
  },
  'image in': async (driver, model) => {
    const heard = await driver.ask(model, { text: 'Describe this', image: picture });
    expect(heard.text).toContain('Images seen: 1');
    return heard.dropped;
  },
  'structured output': async (driver, model) => {
    for (const stream of [false, true]) {
      const heard = await driver.ask(model, { text: 'Hello', structured: true, stream });
      expect(JSON.parse(heard.text)).toEqual({ answer: expect.any(String) });
    }
    return (await driver.ask(model, { text: 'Hello', structured: true })).dropped;
  },
  'reasoning with tools, two turns': async (driver, model) => {
    const ask = { ...weather, think: true } as const;
    const heard = await driver.ask(model, ask);
    expect(heard.calls).toHaveLength(1);
    const answer = await driver.ask(model, {
      text: '',
      think: true,
      stream: true,
      after: { ask, heard, result: '5 degrees' },
    });
    expect(answer.text).toContain('5 degrees');
    return heard.dropped;
  },
  'vendor 400': (driver, model) => expectStatus(driver, model, 400, { chat: 400, others: 400 }),
  'vendor 401': (driver, model) => expectStatus(driver, model, 401, { chat: 500, others: 503 }),
  'vendor 429': (driver, model) => expectStatus(driver, model, 429, { chat: 429, others: 503 }),
  'vendor 5xx': (driver, model) => expectStatus(driver, model, 500, { chat: 500, others: 503 }),
  'cut stream': async (driver, model) => {
    const outcome = await driver.ask(model, { text: '[[twin:cut=2]] Hello there, good people', stream: true }).then(
      (heard) => `ended cleanly with '${heard.text}'`,
      () => 'failed',
    );
    later += 3_600_000;
    expect(outcome).toBe('failed');
  },
  'client abort': async (driver, model) => {
    const vendor = VENDOR[model.slice(3) as ChatFormat] as 'openai';
    const before = gateway.twin.ledger.totals(vendor).abortedStreams;
    const abort = new AbortController();
    await driver
      .ask(model, {
        text: '[[twin:long=20000]] Hello',
        stream: true,
        signal: abort.signal,
        onPiece: () => abort.abort(),
      })
      .catch(() => undefined);
    for (let round = 0; round < 1_500 && gateway.twin.ledger.totals(vendor).abortedStreams === before; round++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(gateway.twin.ledger.totals(vendor).abortedStreams).toBe(before + 1);
  },
};

describe.each(DIALECT_NAMES)('client %s', (client) => {
  describe.each(DIALECT_NAMES)('upstream %s', (upstream) => {
    it.each(Object.keys(scenarios))('%s', async (name) => {
      const driver = drivers.get(client);
      const scenario = scenarios[name];
      if (driver === undefined || scenario === undefined) throw new Error('no such cell');
      const cell = `${name}|${client}|${upstream}`;
      seen.set(cell, 'fails');
      const dropped = await scenario(driver, `up-${upstream}`);
      seen.set(cell, typeof dropped === 'string' && dropped !== '' ? `pass, reports ${dropped}` : 'pass');
    });
  });
});

type AiSdkScenario = (driver: AiSdkDriver, code: string) => Promise<void>;

const aiSdkScenarios: Readonly<Record<string, AiSdkScenario>> = {
  'AI SDK, plain': async (driver, code) => {
    const heard = await generated(driver.model(code), { prompt: 'Hello', tools: false });
    expect(heard).toMatchObject({ text: expect.stringContaining('You said: Hello'), steps: 1, finish: 'stop' });
    expect(heard.tokens).toBeGreaterThan(0);
  },
  'AI SDK, stream': async (driver, code) => {
    const heard = await streamed(driver.model(code), { prompt: 'Hello', tools: false });
    expect(heard).toMatchObject({ text: expect.stringContaining('You said: Hello'), steps: 1, finish: 'stop' });
    expect(heard.tokens).toBeGreaterThan(0);
  },
  'AI SDK, tools': async (driver, code) => {
    for (const run of [generated, streamed]) {
      const heard = await run(driver.model(code), { prompt: 'What is the weather in Ulm?', tools: true });
      expect(heard.calls).toEqual([{ name: 'get_weather', input: { city: expect.any(String) } }]);
      expect(heard).toMatchObject({ text: expect.stringContaining('5 degrees'), steps: 2, finish: 'stop' });
    }
  },
};

describe.each(DIALECT_NAMES)('AI SDK with %s', (client) => {
  describe.each(DIALECT_NAMES)('upstream %s', (upstream) => {
    it.each(Object.keys(aiSdkScenarios))('%s', async (name) => {
      const driver = aiSdk.get(client);
      const scenario = aiSdkScenarios[name];
      if (driver === undefined || scenario === undefined) throw new Error('no such cell');
      const cell = `${name}|${client}|${upstream}`;
      seen.set(cell, 'fails');
      await scenario(driver, `up-${upstream}`);
      seen.set(cell, 'pass');
    });
  });
});

describe('the table in the docs', () => {
  it('says what was seen', async () => {
    const table = await formatted(TABLE, tableOf());
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(TABLE, table);
    expect(readFileSync(TABLE, 'utf8')).toBe(table);
  });
});

function tableOf(): string {
  const lines = [
    '# Chat: every format against every format',
    '',
    'Each cell was run through the gateway against the vendor twin with the official SDK of the client’s format, and with the Vercel AI SDK and its package for that format.',
    '`pass, reports …`: the answer is right, and `x-gateway-dropped` names what the translation could not carry. Written by `apps/gateway/test/matrix.test.ts`.',
    '',
  ];
  for (const client of DIALECT_NAMES) {
    lines.push(
      `## Client: ${client}`,
      '',
      `| | ${DIALECT_NAMES.join(' | ')} |`,
      `|---|${DIALECT_NAMES.map(() => '---').join('|')}|`,
    );
    for (const name of [...Object.keys(scenarios), ...Object.keys(aiSdkScenarios)]) {
      lines.push(
        `| ${name} | ${DIALECT_NAMES.map((upstream) => seen.get(`${name}|${client}|${upstream}`) ?? 'not run').join(' | ')} |`,
      );
    }
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

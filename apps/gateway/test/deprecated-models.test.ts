/** Models that their vendors give up: headers for callers, a line a day for operators. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const DAY_MS = 86_400_000;
const lines: { readonly msg: string; readonly model?: string; readonly retires?: string }[] = [];
let now = Date.UTC(2026, 10, 26, 12);
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    log: pino(
      { level: 'warn' },
      { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
    ),
    yaml: `models:
  - { code: gpt-5.2, deprecated: 2026-09-01, retires: 2026-12-31, aliases: [gpt-old] }
  - { code: doubao-seedance-2-0-fast, retires: 2027-01-01 }
  - { code: 'openai-any/*', kind: chat, deprecated: 2026-11-01, price: free, offers: [{ account: openai, model: '*', dialect: openai-chat }] }
`,
  });
});
afterAll(() => gateway.close());

async function headersOf(path: string, body: object): Promise<readonly (string | null)[]> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return [answer.headers.get('deprecation'), answer.headers.get('sunset')];
}

const chat = (model: string, more: object = {}) =>
  headersOf('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more });
const told = () => lines.filter(({ msg }) => msg.includes('deprecated')).map(({ model }) => model);

it('answers say when the model was deprecated and when it ends, under any of its names, whole, streamed and as a task', async () => {
  const said = ['@1788220800', 'Thu, 31 Dec 2026 00:00:00 GMT'];
  expect(await chat('gpt-5.2')).toEqual(said);
  expect(await chat('gpt-old', { stream: true })).toEqual(said);
  expect(await chat('openai-any/gpt-5-mini')).toEqual(['@1793491200', null]);
  const video = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A boat' }] };
  expect(await headersOf('/v1/video/generations', video)).toEqual([null, 'Fri, 01 Jan 2027 00:00:00 GMT']);
  expect(await chat('gpt-5-mini')).toEqual([null, null]);
});

it('operators are told once for a row and day, however often it is asked', async () => {
  expect(told()).toEqual(['gpt-5.2', 'openai-any/gpt-5-mini', 'doubao-seedance-2-0-fast']);
  await chat('openai-any/gpt-4.1');
  expect(told()).toHaveLength(3);
  now += DAY_MS;
  await chat('gpt-5.2');
  await chat('gpt-5.2');
  expect(told().slice(3)).toEqual(['gpt-5.2']);
  expect(lines.find(({ retires }) => retires !== undefined)?.msg).toContain('its vendor ends it on 2026-12-31');
});

/** The marks of docs/guides/test-mode.md, as they are documented; what they do to test keys is nothing to live keys. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import supertest from 'supertest';

let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  // No account is on: live keys are answered by the twin, too.
  gateway = await openTestGateway({ clock: () => now });
});
beforeEach(async () => {
  now += 3_600_000;
  for (const model of ['gpt-5.2', 'gpt-5-mini']) expect((await ask(model, 'well')).status).toBe(200);
});
afterAll(() => gateway.close());

const ask = (model: string, content: string, key = gateway.testKey, extra: object = {}) =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${key}`)
    .send({ model, messages: [{ role: 'user', content }], ...extra });

describe('what test keys ask for', () => {
  it.each(['testKey', 'liveKey'] as const)(
    'is felt by no other request: a refusal that the %s asked for',
    async (key) => {
      const refused = await ask('gpt-5.2', '[[twin:429=60]]', gateway[key]);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
      for (const other of [gateway.testKey, gateway.liveKey, gateway.otherKey])
        expect((await ask('gpt-5.2', 'without a mark', other)).status).toBe(200);
      expect((await ask('gpt-5-mini', 'another model', gateway[key])).status).toBe(200);
    },
  );

  it('is no fault of an account that live keys use, in the admin API', async () => {
    await ask('gpt-5.2', '[[twin:503]]');
    const { body } = await supertest(gateway.server.adminUrl)
      .get('/admin/accounts')
      .set('authorization', `Bearer ${gateway.adminKey}`);
    const { data } = body as { data: { name: string; last_fault: { status: number } | null }[] };
    const named = (name: string) => data.find((each) => each.name === name)?.last_fault;
    expect(named('twin openai')).toMatchObject({ status: 503 });
    expect(named('openai')).toBeNull();
  });
});

describe('the documented marks', () => {
  const guide = readFileSync(new URL('../../../docs/guides/test-mode.md', import.meta.url), 'utf8');
  const marks = [...guide.matchAll(/^\| `(\[\[twin:[^`]+\]\])`/gm)].map(([, mark]) => mark);
  /** Marks of videos have their tests with the task engine, a stall with the twin; a hang takes as long as the account's deadline. */
  const ELSEWHERE = [
    '[[twin:stall=3]]',
    '[[twin:moderation]]',
    '[[twin:fail]]',
    '[[twin:never]]',
    '[[twin:no-answer]]',
    '[[twin:hang]]',
  ];

  it('are these', () => {
    expect(marks.filter((mark) => !ELSEWHERE.includes(mark ?? ''))).toEqual([
      '[[twin:429]]',
      '[[twin:503*2]]',
      '[[twin:slow=2000]]',
      '[[twin:reset]]',
      '[[twin:cut=3]]',
      '[[twin:error-event=3]]',
      '[[twin:malformed]]',
    ]);
  });

  it('[[twin:429]]: the vendor refuses with this status, and is asked again by the next request', async () => {
    expect((await ask('gpt-5.2', 'a [[twin:429]]')).status).toBe(429);
    expect((await ask('gpt-5.2', 'b')).status).toBe(200);
  });

  it('[[twin:429=7]]: adds a retry-after', async () => {
    const refused = await ask('gpt-5.2', 'c [[twin:429=7]]');
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('7');
    expect((await ask('gpt-5.2', 'd')).status).toBe(200);
  });

  it('[[twin:503*2]]: the first two requests with this text are refused, the third succeeds', async () => {
    const statuses = [];
    for (let each = 0; each < 3; each++) statuses.push((await ask('gpt-5.2', 'f [[twin:503*2]]')).status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  it('[[twin:reset]] and [[twin:malformed]] are refusals; the next request is answered', async () => {
    for (const mark of ['reset', 'malformed']) {
      expect((await ask('gpt-5.2', `g [[twin:${mark}]]`)).status).toBe(500);
      expect((await ask('gpt-5.2', 'h')).status).toBe(200);
    }
  });

  it('[[twin:slow=2000]]: an answer, later', async () => {
    expect((await ask('gpt-5.2', 'i [[twin:slow=200]]')).status).toBe(200);
  });

  it('[[twin:cut=3]] and [[twin:error-event=3]] end a stream with an error after three events', async () => {
    for (const mark of ['cut', 'error-event']) {
      const { status, text } = await ask('gpt-5.2', `one two three four five six [[twin:${mark}=3]]`, gateway.testKey, {
        stream: true,
      });
      expect(status).toBe(200);
      expect(text).toContain('"error"');
      expect(text).not.toContain('[DONE]');
    }
  });
});

/** What callers say of the way of one request: in all four formats, and what is no such thing. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { askInFormat, FORMATS, postTo, type Format, type Question } from './ask-in-format.ts';

const CLOSED = 'sk-closed-key-0123456789abcdefghij';
let gateway: TestGateway;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    keys: `  - { name: closed, key: ${CLOSED}, owner: 1, group: closed }\n`,
    yaml: `groups: { closed: { factor: 1, may_route: false } }
models:
  - { code: smart, routes: [{ model: claude-opus-4-8 }, { model: gpt-5-mini, priority: 2 }, { model: gemini-2.5-flash, priority: 3 }], fallbacks: { on_error: [claude-haiku-4-5] } }
  - { code: by-tag, routes: [{ model: gpt-5-mini }, { model: claude-haiku-4-5, when: { tags: { team: [ads] } } }] }
`,
  });
});
afterEach(async () => {
  gateway.twin.faults.clear();
  now += 3_600_000;
  for (const model of ['gpt-5-mini', 'gpt-5.2', 'claude-opus-4-8', 'gemini-2.5-flash'])
    expect((await ask('chat', model)).status).toBe(200);
});
afterAll(() => gateway.close());

type Asked = Pick<Question, 'headers' | 'stream' | 'key' | 'extra'>;

function ask(format: Format, model: string, asked: Asked = {}) {
  return askInFormat(gateway, { format, model, mostTokens: 100, ...asked });
}

describe.each(FORMATS)('%s', (format) => {
  it.each([false, true])('the dear model is passed over where the ceiling is lower (stream: %s)', async (stream) => {
    expect(await ask(format, 'smart', { stream })).toMatchObject({ route: 'claude-opus-4-8; route; weighted' });
    const headers = { 'x-gateway-max-cost': '0.001' };
    expect(await ask(format, 'smart', { stream, headers })).toMatchObject({
      status: 200,
      route: 'gpt-5-mini; route; weighted',
    });
  });

  it('a ceiling below all is refused by its name, and nobody is asked', async () => {
    const before = gateway.twin.requests.list().length;
    const reply = await ask(format, 'smart', { headers: { 'x-gateway-max-cost': '0.000001' } });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/the request may cost \$0\.\d+, and x-gateway-max-cost allows \$0\.000001/);
    // A model without routes, too.
    expect((await ask(format, 'gpt-5-mini', { headers: { 'x-gateway-max-cost': '0.000001' } })).status).toBe(400);
    expect(gateway.twin.requests.list()).toHaveLength(before);
  });

  it('vendors that may be asked, and those that may not', async () => {
    const chosen = (vendors: string) => ask(format, 'smart', { headers: { 'x-gateway-vendors': vendors } });
    expect(await chosen('openai')).toMatchObject({ status: 200, route: 'gpt-5-mini; route; weighted' });
    expect(await chosen('-anthropic, -openai')).toMatchObject({
      status: 200,
      route: 'gemini-2.5-flash; route; weighted',
    });
    expect(await chosen('gemini,anthropic')).toMatchObject({ status: 200, route: 'claude-opus-4-8; route; weighted' });
    const nobody = await chosen('kling');
    expect(nobody.status).toBe(400);
    expect(nobody.text).toContain("x-gateway-vendors leaves no vendor for the model 'smart'");
  });

  it('no fallback is the first model’s refusal', async () => {
    gateway.twin.faults.always('anthropic', '*', { kind: 'status', status: 503 });
    expect((await ask(format, 'smart')).status).toBe(200);
    now += 3_600_000;
    const reply = await ask(format, 'smart', { headers: { 'x-gateway-no-fallback': 'true' } });
    expect([500, 503]).toContain(reply.status);
    expect(reply.route).toBe('claude-opus-4-8; route; weighted');
    now += 3_600_000;
    expect((await ask(format, 'smart', { headers: { 'x-gateway-no-fallback': 'false' } })).status).toBe(200);
  });

  it('tags', async () => {
    const headers = { 'x-gateway-tags': 'tier=gold, team=ads' };
    expect(await ask(format, 'by-tag', { headers })).toMatchObject({
      status: 200,
      route: 'claude-haiku-4-5; route; weighted',
    });
    expect(await ask(format, 'by-tag', { headers: { 'x-gateway-tags': 'team=ops' } })).toMatchObject({
      route: 'gpt-5-mini; route; weighted',
    });
  });

  it.each([false, true])('a deadline ends the wait, whoever it is (stream: %s)', async (stream) => {
    gateway.twin.faults.always('openai', '*', { kind: 'hang' });
    const reply = await ask(format, 'gpt-5-mini', { stream, headers: { 'x-gateway-timeout': '0.2' } });
    expect([500, 503]).toContain(reply.status);
    expect(reply.text).toContain('there was no answer within the 0.2 s that x-gateway-timeout allows');
    // It says nothing about the account: the next is asked.
    gateway.twin.faults.clear();
    expect((await ask(format, 'gpt-5-mini', { stream, headers: { 'x-gateway-timeout': '20' } })).status).toBe(200);
  });
});

it('tags of the header go before those of the body', async () => {
  const extra = { metadata: { team: 'ads' } };
  expect(await ask('chat', 'by-tag', { extra })).toMatchObject({ route: 'claude-haiku-4-5; route; weighted' });
  expect(await ask('chat', 'by-tag', { extra, headers: { 'x-gateway-tags': 'team=ops' } })).toMatchObject({
    route: 'gpt-5-mini; route; weighted',
  });
});

describe('what is no such thing', () => {
  it.each([
    ['x-gateway-max-cost', 'cheap', "x-gateway-max-cost is 'cheap'; it must be US dollars above 0, such as 0.05"],
    ['x-gateway-max-cost', '0', "is '0'"],
    ['x-gateway-max-cost', '-1', "is '-1'"],
    ['x-gateway-max-cost', '1e9', "is '1e9'"],
    ['x-gateway-timeout', 'soon', "x-gateway-timeout is 'soon'; it must be seconds above 0 and up to 3600, such as 20"],
    ['x-gateway-timeout', '3601', "is '3601'"],
    ['x-gateway-timeout', '', "is ''"],
    ['x-gateway-vendors', 'opnai', "names 'opnai', which is no vendor of this gateway (did you mean openai?)"],
    ['x-gateway-vendors', ' , ', 'x-gateway-vendors is empty'],
    ['x-gateway-no-fallback', 'yes', "x-gateway-no-fallback is 'yes'; it must be true or false"],
    ['x-gateway-tags', 'team', "x-gateway-tags has 'team'; it must be name=value"],
    ['x-gateway-tags', 'a=b=c', "has 'a=b=c'"],
    ['x-gateway-tags', Array.from({ length: 17 }, (_, index) => `t${index}=v`).join(','), 'has 17 tags; 16 are taken'],
  ])('%s: %s', async (header, value, says) => {
    for (const format of FORMATS) {
      const reply = await ask(format, 'smart', { headers: { [header]: value } });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain(says);
    }
  });

  it('keys of a group that may not say such things, may ask without', async () => {
    const reply = await ask('chat', 'smart', {
      key: CLOSED,
      headers: { 'x-gateway-vendors': 'openai', 'x-gateway-timeout': '5' },
    });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('keys of the group closed may not send x-gateway-timeout, x-gateway-vendors');
    expect((await ask('chat', 'smart', { key: CLOSED })).status).toBe(200);
  });

  it.each([
    ['/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'a boat' }],
    ['/v1/video/generations', { model: 'MiniMax-Hailuo-2.3', prompt: 'a boat' }],
    ['/v1/audio/speech', { model: 'mimo-v2.5-tts', input: 'hi', voice: 'mimo_default' }],
    ['/v1/chat/completions', { model: 'mimo-v2.5-tts', messages: [{ role: 'assistant', content: 'hi' }] }],
  ])('%s takes all but a deadline', async (path, body) => {
    const sent = (headers: Record<string, string>) => postTo(gateway, path, body, { headers });
    expect((await sent({ 'x-gateway-max-cost': '100', 'x-gateway-tags': 'a=b' })).status).toBe(200);
    const dear = await sent({ 'x-gateway-max-cost': '0.0000001' });
    expect(dear).toMatchObject({ status: 400, text: expect.stringContaining('x-gateway-max-cost allows') as unknown });
    const nobody = await sent({ 'x-gateway-vendors': 'anthropic' });
    expect(nobody).toMatchObject({ status: 400, text: expect.stringContaining('leaves no vendor') as unknown });
    const late = await sent({ 'x-gateway-timeout': '9' });
    expect(late).toMatchObject({ status: 400, text: expect.stringContaining('is for chat requests') as unknown });
  });

  it('a subject, which costs nothing, takes none of it', async () => {
    const body = {
      model: 'kling-v3-omni',
      element_name: 'Mira',
      element_description: 'young woman, red coat',
      reference_type: 'image_refer',
      element_image_list: { frontal_image: 'https://example.com/front.png', refer_images: [] },
    };
    const reply = await postTo(gateway, '/v1/general/advanced-custom-elements', body, {
      headers: { 'x-gateway-max-cost': '1' },
    });
    expect(reply).toMatchObject({
      status: 400,
      text: expect.stringContaining('that a model answers by itself') as unknown,
    });
  });
});

/** Conversations made short and counted, by OpenAI's SDK: what a compaction stands for reaches any model, and nobody else reads it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { isEnd, openSocket } from './open-socket.ts';

const yaml = (byte: number): string =>
  `security: { encryption_key: '${Buffer.alloc(32, byte).toString('base64')}' }\nresponses: { compaction_prompt: 'Sum it up: we sail from Brest at noon.' }`;
/** `gpt-5.2-pro` is OpenAI's own; `grok-4` speaks the format and compacts nothing. */
const SUMMARISED = ['claude-sonnet-5', 'gemini-3.1-pro', 'qwen3-max', 'deepseek-chat', 'grok-4'];
type Items = OpenAI.Responses.ResponseInputItem[];
const TALK: Items = [
  { role: 'user', content: 'Where do I sail from?' },
  { type: 'function_call', call_id: 'c1', name: 'find_harbour', arguments: '{"near":"Ouessant"}' },
  { type: 'function_call_output', call_id: 'c1', output: 'Le Conquet' },
  { role: 'assistant', content: 'From Le Conquet.' },
];
const NEXT = { role: 'user', content: 'And when?' } as const;

let gateway: TestGateway;
let other: TestGateway;
let openai: OpenAI;
const clientOf = ({ url }: TestGateway, apiKey: string): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: yaml(7) });
  other = await openTestGateway({ yaml: yaml(8), twin: gateway.twin });
  openai = clientOf(gateway, gateway.liveKey);
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const sent = (): string => gateway.twin.requests.last()?.body ?? '';
const paths = (): string[] => gateway.twin.requests.list().map(({ path }) => path);
async function compacted(model = 'claude-sonnet-5', input = TALK): Promise<Items> {
  return (await openai.responses.compact({ model: model, input })).output as Items;
}

describe('compacting', () => {
  it.each(SUMMARISED)('%s writes the summary, any model goes on from it', async (model) => {
    const { id, object, output, usage } = await openai.responses.compact({ model: model, input: TALK });
    expect([id.slice(0, 5), object]).toEqual(['resp_', 'response.compaction']);
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    // What tools were asked and said is told to whoever sums it up, although the request declares none.
    for (const words of ['find_harbour', 'Ouessant', 'Le Conquet']) expect(sent()).toContain(words);
    expect(JSON.stringify(output)).not.toContain('Brest');
    for (const next of ['gpt-5.2-pro', 'claude-sonnet-5', 'gemini-3.1-pro', 'deepseek-chat']) {
      const answer = await openai.responses.create({ model: next, input: [...(output as Items), NEXT] });
      expect(answer.status).toBe('completed');
      expect(sent()).toContain('we sail from Brest at noon.');
      expect(sent()).toContain('Where do I sail from?');
      expect(sent()).not.toContain('gwc1.');
    }
  });

  it('what OpenAI serves alone goes to OpenAI, and comes back to it as it was', async () => {
    const output = await compacted('gpt-5.2-pro');
    expect(paths()).toEqual(['/v1/responses/compact']);
    expect(output.at(-1)).toMatchObject({ type: 'compaction', encrypted_content: 'gAAAAtwin' });
    await openai.responses.create({ model: 'gpt-5.2-pro', input: [...output, NEXT] });
    expect(sent()).toContain('gAAAAtwin');
    await expect(openai.responses.create({ model: 'claude-sonnet-5', input: [...output, NEXT] })).rejects.toMatchObject(
      { status: 400, message: expect.stringContaining('only OpenAI can read') },
    );
  });

  it('a kept conversation is made short, and a compaction is kept like any item', async () => {
    const first = await openai.responses.create({ model: 'claude-sonnet-5', input: 'I sail from Roscoff.' });
    const { output } = await openai.responses.compact({
      model: 'gemini-3.1-pro',
      previous_response_id: first.id,
    });
    expect(sent()).toContain('I sail from Roscoff.');
    const second = await openai.responses.create({ model: 'deepseek-chat', input: [...(output as Items), NEXT] });
    await openai.responses.create({ model: 'gpt-5.2-pro', input: 'Why?', previous_response_id: second.id });
    expect(sent()).toContain('we sail from Brest at noon.');
    const kept = (await openai.responses.inputItems.list(second.id)).data;
    expect(JSON.stringify(kept)).toContain('gwc1.');
  });

  it('as a stream, over a WebSocket, in the background and in an estimate', async () => {
    const input = [...(await compacted()), NEXT];
    await openai.responses.stream({ model: 'gemini-3.1-pro', input }).finalResponse();
    expect(sent()).toContain('we sail from Brest');
    const socket = await openSocket(gateway.url, { authorization: `Bearer ${gateway.liveKey}` });
    socket.send({ type: 'response.create', model: 'deepseek-chat', input: input as never });
    await socket.until(isEnd);
    await socket.close();
    expect(sent()).toContain('we sail from Brest');
    await openai.responses.create({ model: 'claude-sonnet-5', input, background: true });
    await gateway.server.responses?.workAll();
    expect(sent()).toContain('we sail from Brest');
    const reply = await fetch(`${gateway.url}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: '/v1/responses/compact', body: { model: 'claude-sonnet-5', input } }),
    });
    expect(await reply.json()).toMatchObject({ object: 'estimate', quota: expect.any(Number) });
  });

  it('is paid for like an answer, and once', async () => {
    const headers = { 'idempotency-key': 'compact-once' };
    const asked = { model: 'claude-sonnet-5' as never, input: TALK };
    const one = await openai.responses.compact(asked, { headers }).withResponse();
    const two = await openai.responses.compact(asked, { headers }).withResponse();
    expect(Number(one.response.headers.get('x-gateway-cost'))).toBeGreaterThan(0);
    expect(two.data).toEqual(one.data);
    expect(gateway.twin.requests.list()).toHaveLength(1);
  });

  const faulty: Record<string, (item: Record<string, string>) => object> = {
    'a changed one': (item) => ({ ...item, encrypted_content: `${item['encrypted_content']!.slice(0, -8)}AAAAAAAA` }),
    'one that is no more than its mark': (item) => ({ ...item, encrypted_content: 'gwc1.' }),
    'one whose content is another’s': (item) => ({ ...item, encrypted_content: 'gAAAA' }),
    'one without content': ({ id, type }) => ({ id, type }),
  };
  it.each(Object.entries(faulty))('%s is refused by name', async (_, change) => {
    const [message, item] = await compacted();
    const input = [message, change(item as never), NEXT] as Items;
    for (const model of ['gpt-5.2-pro', 'claude-sonnet-5']) {
      gateway.twin.requests.clear();
      await expect(openai.responses.create({ model, input })).rejects.toMatchObject({ status: 400, param: 'input[1]' });
      expect(gateway.twin.requests.list()).toEqual([]);
    }
  });

  it('another owner, the test mode and another gateway read nothing of it', async () => {
    const input = [...(await compacted()), NEXT];
    const strangers = [
      clientOf(gateway, gateway.otherKey),
      clientOf(gateway, gateway.testKey),
      clientOf(other, other.liveKey),
    ];
    for (const stranger of strangers) {
      const asked = { model: 'claude-sonnet-5', input };
      await expect(stranger.responses.create(asked)).rejects.toMatchObject({ status: 400, param: 'input[1]' });
      await expect(stranger.responses.inputTokens.count(asked)).rejects.toMatchObject({ status: 400 });
    }
  });
});

describe('counting', () => {
  it.each([
    ['gpt-5.2-pro', null],
    ['claude-sonnet-5', null],
    ['gemini-3.1-pro', null],
    ['deepseek-chat', 'true'],
  ])('%s, with what was said before', async (model, estimated) => {
    const asked = { model, input: 'When is high tide?' };
    const { data, response } = await openai.responses.inputTokens.count(asked).withResponse();
    expect(data).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
    expect(response.headers.get('x-gateway-estimated')).toBe(estimated);
    const first = await openai.responses.create({ model, input: 'A long story. '.repeat(100) });
    const more = await openai.responses.inputTokens.count({ ...asked, previous_response_id: first.id });
    expect(more.input_tokens).toBeGreaterThan(data.input_tokens + 100);
    const [count] = gateway.twin.requests.list();
    if (model === 'gpt-5.2-pro') expect(count?.path).toBe('/v1/responses/input_tokens');
  });
});

/** Bytes that are no JSON in UTF-8: refused in the caller's words, before anybody is asked or paid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

const OPERATIONS = [
  { path: '/v1/chat/completions', before: '{"model":"gpt-5.2","messages":[{"role":"user","content":"', after: '"}]}' },
  {
    path: '/v1/messages',
    before: '{"model":"gpt-5.2","max_tokens":9,"messages":[{"role":"user","content":"',
    after: '"}]}',
  },
  { path: '/v1beta/models/gpt-5.2:generateContent', before: '{"contents":[{"parts":[{"text":"', after: '"}]}]}' },
  { path: '/v1/responses', before: '{"model":"gpt-5.2","input":"', after: '"}' },
  { path: '/v1/embeddings', before: '{"model":"text-embedding-3-small","input":"', after: '"}' },
  { path: '/v1/moderations', before: '{"model":"omni-moderation-latest","input":"', after: '"}' },
  { path: '/v1/rerank', before: '{"model":"qwen3-rerank","query":"q","documents":["', after: '"]}' },
  { path: '/v1/audio/speech', before: '{"model":"gpt-4o-mini-tts","voice":"alloy","input":"', after: '"}' },
  { path: '/v1/images/generations', before: '{"model":"gpt-image-2","prompt":"', after: '"}' },
] as const;
const ENCODINGS: readonly (readonly [string, (before: string, after: string) => Buffer, string])[] = [
  ['ISO 8859-1', (before, after) => Buffer.from(`${before}café${after}`, 'latin1'), 'not UTF-8'],
  [
    'a broken sequence',
    (before, after) => Buffer.concat([Buffer.from(before), Buffer.from([0xc3]), Buffer.from(after)]),
    'not UTF-8',
  ],
  [
    'a surrogate as bytes',
    (before, after) => Buffer.concat([Buffer.from(before), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(after)]),
    'not UTF-8',
  ],
  ['UTF-16', (before, after) => Buffer.from(`${before}tide${after}`, 'utf16le'), 'not JSON'],
  ['UTF-16 with its mark', (before, after) => Buffer.from(`\ufeff${before}tide${after}`, 'utf16le'), 'not UTF-8'],
  ['a byte order mark', (before, after) => Buffer.from(`\ufeff${before}tide${after}`), 'byte order mark'],
];

describe('bodies in another encoding', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({});
  });
  afterAll(() => gateway.close());

  const send = async (path: string, body: Buffer): Promise<{ status: number; text: string }> => {
    const headers = { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' };
    const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
    return { status: reply.status, text: await reply.text() };
  };
  const charged = async (): Promise<unknown> => {
    const reply = await fetch(`${gateway.url}/v1/ledger?limit=1`, {
      headers: { authorization: `Bearer ${gateway.testKey}` },
    });
    const { data } = (await reply.json()) as { data: unknown[] };
    expect(Array.isArray(data)).toBe(true);
    return data;
  };

  it.each(
    OPERATIONS.flatMap((operation) =>
      ENCODINGS.map(([name, encode, words]) => ({ ...operation, name, encode, words })),
    ),
  )('$path: $name', async ({ path, before, after, encode, words }) => {
    const was = await charged();
    const { status, text } = await send(path, encode(before, after));
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(words) });
    expect(await charged()).toEqual(was);
  });

  it.each(OPERATIONS)('$path: the same in UTF-8 is answered and charged', async ({ path, before, after }) => {
    const was = await charged();
    expect((await send(path, Buffer.from(`${before}café 潮汐${after}`))).status).toBe(200);
    expect(await charged()).not.toEqual(was);
  });
});

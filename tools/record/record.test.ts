import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { startVendorTwin, type TwinVendor, type VendorTwin } from '@model-gateway/vendor-twin';
import { adapterOf } from '@model-gateway/gateway';
import type { CaseName } from './cases.ts';
import { fixtureOf, recordVendor } from './record.ts';
import { scrubEvents, scrubJson, scrubText } from './scrub.ts';

describe('recording against the twin', () => {
  let twin: VendorTwin;
  let folder: string;
  beforeAll(async () => {
    twin = await startVendorTwin({ seconds: { video: 0.2, image: 0.1 } });
    folder = mkdtempSync(join(tmpdir(), 'record-'));
  });
  afterAll(async () => {
    await twin.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const record = async (vendor: TwinVendor, model: string, only?: readonly CaseName[]) => {
    const adapter = (await adapterOf(vendor)) as VendorAdapter;
    const said: string[] = [];
    const out = join(folder, vendor);
    const written = await recordVendor({
      adapter,
      account: {
        id: 1,
        name: 'recording',
        vendor,
        baseUrl: twin.baseUrl(vendor),
        credentials: { ...twin.credentials(vendor) },
        settings: {},
      },
      model,
      only,
      folder: out,
      voice: undefined,
      pollEveryMs: 20,
      allowPrivate: ['127.0.0.1'],
      now: Date.now,
      say: (line) => said.push(line),
    });
    const texts = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    for (const secret of Object.values(twin.credentials(vendor)))
      for (const text of texts) expect(text).not.toContain(secret);
    return { written, said };
  };

  it.each([
    ['openai', 'gpt-5.2', ['chat.openai-chat', 'chat-stream.openai-chat', 'chat.openai-responses']],
    ['anthropic', 'claude-sonnet-5', ['chat.anthropic-messages', 'chat-stream.anthropic-messages']],
    ['gemini', 'gemini-3-pro-preview', ['chat.gemini-generate', 'chat-stream.gemini-generate']],
  ] as const)('%s: whole, streamed, with a tool, and a refusal', async (vendor, model, calls) => {
    const { written, said } = await record(vendor, model, ['chat', 'chat-stream', 'chat-tool', 'chat-unknown-model']);
    expect(said.filter((line) => line.includes('failed'))).toEqual([]);
    for (const call of calls) expect(written).toContain(`${call}.200.${call.includes('stream') ? 'sse' : 'json'}`);
    expect(written.some((name) => /chat-unknown-model\..*\.4\d\d\.json$/.test(name))).toBe(true);
  });

  it('a film from its start to its end, each state once', async () => {
    const { written, said } = await record('ark', 'doubao-seedance-2-0-fast-260128', ['videos']);
    expect(said.filter((line) => line.includes('failed'))).toEqual([]);
    expect(written).toContain('videos-start.200.json');
    expect(written).toContain('videos-check.succeeded.200.json');
    expect(new Set(written).size).toBe(written.length);
  });

  it('a case that fails is told without its secret, and the others go on', async () => {
    twin.faults.next('openai', 'chat', { kind: 'reset' });
    const { written, said } = await record('openai', 'gpt-5.2', ['chat']);
    expect(said[0]).toMatch(/failed/);
    expect(written).toContain('chat.openai-responses.200.json');
  });
});

describe('scrubbing', () => {
  it.each([
    ['a given secret', 'key abcd1234 here', 'key [removed] here'],
    ['a key', 'Incorrect key sk-proj-abcdefghijklmnop', 'Incorrect key [removed]'],
    ['a token', 'Authorization: Bearer abc.def-ghi', 'Authorization: [removed]'],
    ['an e-mail', 'owner jane.doe@example.com', 'owner [removed]'],
    ['an organisation', 'org-abcDEF123', '[removed]'],
    [
      'a signed link',
      'https://x.example/a.mp4?Expires=17&Signature=zz&w=1',
      'https://x.example/a.mp4?Expires=[removed]&Signature=[removed]&w=1',
    ],
    ['nothing else', 'hello task_1 gpt-5.2', 'hello task_1 gpt-5.2'],
  ])('%s', (_name, text, clean) => {
    expect(scrubText(text, ['abcd1234'])).toBe(clean);
  });

  it('fields that name somebody, and media, whatever they say', () => {
    expect(
      scrubJson({ request_id: 'r1', organization: 'acme', a: [{ user_id: 42, n: 1 }], b64_json: 'A'.repeat(4000) }, []),
    ).toEqual({
      request_id: '[removed]',
      organization: '[removed]',
      a: [{ user_id: 0, n: 1 }],
      b64_json: 'A'.repeat(64),
    });
  });

  it('streams keep their lines', () => {
    expect(scrubEvents('event: a\r\ndata: {"x":"sk-proj-abcdefghijklmnop"}\r\n\r\ndata: [DONE]\n\n', [])).toBe(
      'event: a\r\ndata: {"x":"[removed]"}\r\n\r\ndata: [DONE]\n\n',
    );
  });

  it('an answer that is no JSON is kept as short text', () => {
    const exchange = {
      method: 'GET',
      path: '/',
      requestBody: '',
      status: 502,
      headers: {},
      body: Buffer.from('<html>'),
    };
    expect(fixtureOf('chat', exchange, [])).toEqual({ name: 'chat.502.txt', text: '<html>' });
  });
});

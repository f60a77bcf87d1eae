/** A real llama.cpp server, found and asked: its answers, its streams, its own settings, its refusal of a prompt that is too long, its end when nobody listens. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { askInFormat, FORMATS, postTo } from './ask-in-format.ts';
import { runCommand } from './run-command.ts';

const PYTHON = process.env['PYTHON'] ?? 'python3';
const PROGRAM = fileURLToPath(new URL('fixtures/llamacpp.py', import.meta.url));
/** The server and what writes its model: pip install xllamacpp gguf. */
const hasServer = ((): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import xllamacpp, gguf'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasServer)('llama.cpp', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-llamacpp-'));
  let server: ChildProcess;
  let url: string;
  let twin: VendorTwin;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = spawn(PYTHON, [PROGRAM, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    url = await new Promise((resolve, reject) => {
      let said = '';
      server.once('exit', () => reject(new Error(`it has ended: ${said}`)));
      server.stdout?.on('data', (piece: Buffer) => {
        said += piece.toString();
        const found = /^listening (\S+)$/m.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    twin = await startVendorTwin({ media: 'tiny' });
    gateway = await openTestGateway({
      twin,
      env: { LLAMACPP_BASE_URL: `${url}/v1` },
      yaml: `config: { source: database }
models:
  - { code: tiny-or-larger, kind: chat, price: free, fallbacks: { on_context_too_long: [gpt-5-mini] }, offers: [{ account: llamacpp, model: tiny, dialect: openai-chat }] }
accounts: [{ name: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }]`,
    });
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const line = ['connect', 'llamacpp', url, '--write', '--url', gateway.server.adminUrl];
    expect(await runCommand(line, { env })).toMatchObject({ code: 0 });
  }, 60_000);
  afterAll(async () => {
    await gateway.close();
    await twin.close();
    server.stdin?.end();
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const chat = (body: object) =>
    postTo(gateway, '/v1/chat/completions', {
      model: 'llamacpp/tiny',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 8,
      ...body,
    });

  it('is found, with the context that it has loaded', async () => {
    const { out } = await runCommand(['accounts', 'discover', url, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      servers: [{ name: 'llamacpp', baseUrl: `${url}/v1`, models: [{ id: 'tiny', maxInputTokens: 512 }] }],
    });
  });

  it.each(FORMATS)('answers in the format of %s, whole and streamed, at no charge', async (format) => {
    for (const stream of [false, true]) {
      const reply = await askInFormat(gateway, { format, model: 'llamacpp/tiny', stream, mostTokens: 16 });
      expect(reply).toMatchObject({ status: 200, account: '134' });
      expect(reply.text).not.toContain('"error":{');
    }
  });

  it('takes its own settings', async () => {
    const { text } = await chat({ max_tokens: undefined, n_predict: 3 });
    expect(JSON.parse(text)).toMatchObject({ usage: { completion_tokens: 3 }, timings: { predicted_n: 3 } });
    const limited = await chat({ grammar: 'root ::= "yes" | "no"', max_tokens: 32 });
    expect(
      (JSON.parse(limited.text) as { choices: [{ message: { content: string } }] }).choices[0].message.content,
    ).toMatch(/^(yes|no)$/);
  });

  it('refuses a prompt that does not fit, and another model may answer', async () => {
    const text = 'word '.repeat(400);
    const refused = await askInFormat(gateway, { format: 'chat', model: 'llamacpp/tiny', text });
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'context_length_exceeded' } });
    const reply = await askInFormat(gateway, { format: 'chat', model: 'tiny-or-larger', text });
    expect([reply.status, reply.route]).toEqual([200, expect.stringContaining('gpt-5-mini')]);
  });

  it('stops when nobody listens any more', async () => {
    const busy = async (): Promise<boolean> => {
      const slots = (await (await fetch(`${url}/slots`)).json()) as { is_processing: boolean }[];
      return slots.some(({ is_processing: isBusy }) => isBusy);
    };
    const gone = new AbortController();
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: gone.signal,
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'llamacpp/tiny', stream: true, max_tokens: 100_000, ignore_eos: true },
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    await reply.body?.getReader().read();
    gone.abort();
    await until(async () => !(await busy()));
  });
});

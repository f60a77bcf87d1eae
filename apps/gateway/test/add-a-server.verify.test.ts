/** The guide on adding a server, as it is written: by the file, by commands and by the admin API, each against a server on a socket. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, createClient } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand } from './run-command.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../../docs/guides/add-a-server.md', import.meta.url)), 'utf8');
const USUAL_ADDRESS = 'http://127.0.0.1:11434';
/** For the fallback: the account that answers when the server does not. */
const openaiOf = ({ twin }: TestGateway): string =>
  `  - { name: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }`;

let gateway: TestGateway;
/** The address in the guide is that of the server that runs here, or of none. */
let address: string;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: base('') });
  gateway.configure({ yaml: base(openaiOf(gateway)) });
  await gateway.server.reload();
  address = gateway.twin.baseUrl('ollama');
});
afterAll(() => gateway.close());

function base(accounts: string, models = ''): string {
  return `log: { level: silent }\nsecurity: { encryption_key: '${Buffer.alloc(32, 5).toString('base64')}' }${accounts === '' ? '' : `\naccounts:\n${accounts}`}${models}`;
}

/** The blocks of a chapter, with the address of the server that runs here. */
function blocksOf(chapter: string, language: string): readonly string[] {
  const [, text = ''] = PAGE.split(`\n## ${chapter}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, 'gm'))].map(([, code = '']) =>
    code.replaceAll(USUAL_ADDRESS, address),
  );
}

const admin = () => createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });

async function answered() {
  const client = createClient({ baseUrl: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
  const { model } = await client.chat.create({ model: 'llama3.2', messages: [{ role: 'user', content: 'Hello' }] });
  return model;
}

/** The model answers, costs what the guide says, and falls back where its server is gone. */
async function expectServer(moveAway: () => Promise<unknown>): Promise<void> {
  const [model] = (await admin().models()).data.filter(({ id }) => id === 'llama3.2');
  expect(model?.price).toMatchObject({ input: 0.1, output: 0.2 });
  expect(await answered()).toMatch(/^llama3\.2/);
  await moveAway();
  expect(await answered()).toMatch(/^gpt-5-mini/);
}

async function forget(): Promise<void> {
  for (const entry of await admin().configEntries.list({ from: 'database' }).all())
    await admin().configEntries.delete(entry.section, entry.name);
}

describe('the guide on adding a server', () => {
  it('by the configuration file', async () => {
    const [rows = ''] = blocksOf('In the configuration file', 'yaml');
    const withRows = (text: string) => base(openaiOf(gateway), `\n${text.replace('accounts:\n', '')}`);
    const load = (text: string) => {
      gateway.configure({ yaml: withRows(text) });
      return gateway.server.reload();
    };
    await load(rows);
    await expectServer(() => load(rows.replace(address, 'http://127.0.0.1:1')));
    gateway.configure({ yaml: base(openaiOf(gateway)) });
    await gateway.server.reload();
  });

  it('by commands', async () => {
    const [lines = ''] = blocksOf('By a command', 'sh');
    const commands = lines
      .trim()
      .split('\n')
      .map((line) => wordsOf(line).slice(2));
    expect(commands.at(-1)).toEqual(['accounts', 'test', 'ollama']);
    const vendors = await runCommand(['accounts', 'vendors', 'OLLAMA', '--url', gateway.url], {
      env: { GATEWAY_ADMIN_KEY: gateway.adminKey },
    });
    expect(vendors.out).toMatch(/ollama +Ollama +ollama +OLLAMA_BASE_URL +yes/);
    expect(vendors.out).not.toContain('anthropic');
    for (const command of commands) {
      const said = await runCommand([...command, '--url', gateway.url], {
        env: { GATEWAY_ADMIN_KEY: gateway.adminKey },
      });
      expect(said).toMatchObject({ code: 0, error: '' });
    }
    await expectServer(() =>
      admin().configEntries.put('accounts', 'ollama', { value: { base_url: 'http://127.0.0.1:1' } }),
    );
    await forget();
  });

  it('by the admin API', async () => {
    const calls = blocksOf('By the admin API', 'sh').map(callOf);
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'PUT', 'PUT']);
    for (const { method, path, body } of calls) {
      const headers = { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' };
      const reply = await fetch(`${gateway.url}${path}`, { method, headers, body });
      const answer = (await reply.json()) as { ok?: boolean; models?: readonly { id: string }[] };
      expect(reply.status).toBe(200);
      if (method !== 'POST') continue;
      expect(answer).toMatchObject({ ok: true, finding: 'works', models_from: 'vendor' });
      expect(answer.models?.length).toBeGreaterThan(0);
    }
    await expectServer(() =>
      admin().configEntries.put('accounts', 'ollama', { value: { base_url: 'http://127.0.0.1:1' } }),
    );
    await forget();
  });
});

/** Words of a command line; single quotes hold one together. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function callOf(code: string): { readonly method: string; readonly path: string; readonly body: string } {
  const [, method = '', path = ''] = /curl -X (\w+) "\$MODEL_GATEWAY_URL([^"]+)"/.exec(code) ?? [];
  const [, body = ''] = /-d '([^']+)'/.exec(code) ?? [];
  return { method, path, body };
}

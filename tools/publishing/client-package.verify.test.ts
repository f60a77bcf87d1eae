/** The client as somebody else gets it: packed, installed into an empty project, used against a running gateway. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasTestBrowser, openTestBrowser, openTestGateway, type TestGateway } from '@model-gateway/testing';
import { publint } from 'publint';
import { coreSize } from './size.ts';
import { node, openSandbox, readJson, ROOT, type Sandbox } from './sandbox.ts';

const BUDGET_BYTES = 12 * 1024;
const attw = createRequire(import.meta.url)
  .resolve('@arethetypeswrong/cli/package.json')
  .replace('package.json', 'dist/index.js');
const dist = join(ROOT, 'libs/client/dist');

// Compilers and browsers beside other work take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let sandbox: Sandbox;
let gateway: TestGateway;
let project: string;
let installed: string;

beforeAll(async () => {
  sandbox = openSandbox();
  gateway = await openTestGateway({ twinOptions: { media: 'tiny', seconds: { video: 0.3 } } });
  await node([join(ROOT, 'libs/client/build.mjs')], ROOT);
  const needed = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(ROOT, 'node_modules', name));
  const tarballs = await sandbox.pack([dist, ...needed]);
  project = await sandbox.project('a-project', tarballs);
  installed = join(project, 'node_modules/@model-gateway/client');
}, 300_000);
afterAll(async () => {
  await gateway.close();
  sandbox.close();
});

/** Chat, a stream, a video task to its end and a typed error, by whichever way the package was loaded. */
const program = (baseUrl: string): string => `
const client = createClient({ baseUrl: '${baseUrl}', apiKey: '${gateway.testKey}', maxRetries: 0 });
const messages = [{ role: 'user', content: 'Hello' }];
const answer = await client.chat.create({ model: 'gpt-5.2', messages });
let streamed = '';
for await (const piece of client.messages.stream({ model: 'gpt-5.2', max_tokens: 200, messages }).text()) streamed += piece;
const task = await client.videos.create({ model: 'veo-3.1-fast', prompt: 'a boat' }).wait();
const error = await client.models.get('no-such-model').catch((thrown) => thrown);
const said = {
  chat: answer.choices[0].message.content.length > 0,
  stream: streamed.length > 0,
  video: [task.status, task.progress, task.result_url.startsWith('http')],
  error: [error instanceof NotFoundError, error.name, error.status, typeof error.requestId],
};
`;
const SAID = {
  chat: true,
  stream: true,
  video: ['SUCCESS', '100%', true],
  error: [true, 'NotFoundError', 404, 'string'],
};

describe('what is in it', () => {
  it('depends on openapi-fetch alone, and says nothing of the workspace', () => {
    const manifest = readJson(join(installed, 'package.json'));
    expect(Object.keys(manifest['dependencies'] as object)).toEqual(['openapi-fetch']);
    for (const field of ['private', 'nx', 'devDependencies', 'scripts']) expect(manifest).not.toHaveProperty(field);
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'esm/index.js', 'cjs/index.js', 'esm/api.d.ts']));
    expect(files.filter((file) => /\.test\.|testing\//.test(file))).toEqual([]);
    const code = files.filter((file) => /\.(js|ts)$/.test(file));
    const traces = code.filter((file) =>
      /@model-gateway\/(?!client)[a-z]+'|from '[^']+\.ts'/.test(readFileSync(join(installed, file), 'utf8')),
    );
    expect(traces).toEqual([]);
  });

  it('keeps its size, and its README says it', async () => {
    const { minified, gzipped } = await coreSize(join(installed, 'esm'));
    expect(gzipped).toBeGreaterThan(1024);
    expect(gzipped).toBeLessThanOrEqual(BUDGET_BYTES);
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const [, said, saidGzipped] =
      /Its core is at most ([\d.]+) KB minified, ([\d.]+) KB minified and gzipped/.exec(readme) ?? [];
    // Every operation of the document adds some bytes: what is said is no more than a tenth above what it is.
    for (const [bytes, kilobytes] of [
      [minified, Number(said)],
      [gzipped, Number(saidGzipped)],
    ] as const) {
      expect(bytes).toBeLessThanOrEqual(kilobytes * 1024);
      expect(bytes).toBeGreaterThan(kilobytes * 1024 * 0.9);
    }
  });

  it('publint finds nothing', async () => {
    const { messages } = await publint({ pkgDir: dist, strict: true, pack: 'npm' });
    expect(messages).toEqual([]);
  });

  it('are-the-types-wrong finds nothing', async () => {
    expect(await node([attw, '--pack', dist, '--no-emoji'], ROOT)).toContain('No problems found');
  });
});

describe('used in an empty project', () => {
  it('as an ES module', async () => {
    const text = `import { createClient, NotFoundError } from '@model-gateway/client';\n${program(gateway.url)}\nconsole.log(JSON.stringify(said));`;
    writeFileSync(join(project, 'esm.mjs'), text);
    expect(JSON.parse(await node(['esm.mjs'], project))).toEqual(SAID);
  });

  it('as CommonJS', async () => {
    const text = `const { createClient, NotFoundError } = require('@model-gateway/client');\n(async () => {${program(gateway.url)}\nconsole.log(JSON.stringify(said));\n})();`;
    writeFileSync(join(project, 'commonjs.cjs'), text);
    expect(JSON.parse(await node(['commonjs.cjs'], project))).toEqual(SAID);
  });

  it.each([
    {
      name: 'nodenext',
      options: { module: 'nodenext', moduleResolution: 'nodenext' },
      files: ['types.mts', 'types.cts'],
    },
    { name: 'node16', options: { module: 'node16', moduleResolution: 'node16' }, files: ['types.mts', 'types.cts'] },
    { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' }, files: ['types.ts'] },
  ])('from strict TypeScript, resolution $name', async ({ name, options, files }) => {
    for (const file of files) writeFileSync(join(project, file), TYPES);
    const compilerOptions = {
      ...options,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      // Once for all: the declarations themselves.
      skipLibCheck: name !== 'nodenext',
    };
    writeFileSync(join(project, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, files }));
    await node([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', `tsconfig.${name}.json`], project);
  });

  (hasTestBrowser() ? it : it.skip)('in a page of a browser', async () => {
    const front = await openFront();
    const browser = await openTestBrowser();
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(`${front.url}/page.html`);
      const said = page.waitForFunction('globalThis.said', undefined, { timeout: 60_000 });
      expect(
        await said.then(
          (handle) => handle.jsonValue(),
          () => errors,
        ),
      ).toEqual(SAID);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      front.close();
    }
  });
});

const TYPES = `import { createClient, verifyWebhook, type Schemas } from '@model-gateway/client';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: () => 'k' });
export async function typed(): Promise<string> {
  const task: Schemas['VideoTask'] = await client.videos.create({ model: 'm', prompt: 'p' }).wait({ onProgress: ({ progress }) => progress.length });
  const { data, requestId } = await client.models.list().withResponse();
  for await (const event of client.messages.stream({ model: 'm', messages: [] })) if (event.type === 'content_block_delta') return event.delta.text ?? '';
  const hook = await verifyWebhook('', {}, 'whsec_');
  // @ts-expect-error a misspelt field
  await client.images.generate({ model: 'doubao-seedream-4-5', prompt: 'p', sze: '2K' });
  // @ts-expect-error a text where a number belongs
  await client.videos.create({ model: 'doubao-seedance-2-0', content: [{ type: 'text', text: 'p' }], duration: '5' });
  // @ts-expect-error a body needs its messages
  await client.chat.create({ model: 'm' });
  // @ts-expect-error there is no such operation
  await client.call('noSuchOperation');
  return task.result_url + data.data.length.toFixed() + (requestId ?? '') + hook.data.task_id;
}
`;

/** A site that serves the page and the package, and hands everything else to the gateway: one origin, as browsers want it. */
async function openFront(): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://front');
    const file = join(project, pathname);
    const say = (type: string, text: string | Buffer): void => {
      response.writeHead(200, { 'content-type': type }).end(text);
    };
    if (pathname === '/page.html') say('text/html', page());
    else if (pathname.startsWith('/node_modules/') && ['.js', '.mjs'].includes(extname(file)) && existsSync(file))
      say('text/javascript', readFileSync(file));
    else {
      const { hostname, port } = new URL(gateway.url);
      const { method, headers, url: path } = request;
      const onward = httpRequest({ hostname, port, method, path, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      });
      request.pipe(onward);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function page(): string {
  const imports = {
    '@model-gateway/client': '/node_modules/@model-gateway/client/esm/index.js',
    'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
  };
  return `<!doctype html><title>page</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">import { createClient, NotFoundError } from '@model-gateway/client';
${program('').replace("baseUrl: ''", 'baseUrl: location.origin')}
globalThis.said = said;</script>`;
}

// Packs the client as it is published, installs it into an empty project and uses it from ESM, CommonJS, TypeScript and a browser page.
// It needs the npm registry for openapi-fetch. Says every check, and exits 1 when one fails.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coreSize } from './size.mjs';

const BUDGET = 8 * 1024;
const CHROMIUM = '/usr/bin/chromium';
const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(join(root, 'package.json'));
const dist = join(root, 'libs/client/dist');
const folder = mkdtempSync(join(tmpdir(), 'client-pack-'));
const project = join(folder, 'project');
const installed = join(project, 'node_modules/@model-gateway/client');
const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
const node = (file, ...args) => run(process.execPath, [...args, file]);

const checks = {
  'builds and packs'() {
    run(process.execPath, [join(root, 'libs/client/build.mjs')], root);
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], dist));
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'a-project', private: true, type: 'module' }));
    run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)]);
  },

  'depends on openapi-fetch alone and has no trace of the workspace'() {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    same(Object.keys(manifest.dependencies), ['openapi-fetch']);
    same([manifest.private, manifest.nx, manifest.devDependencies], [undefined, undefined, undefined]);
    const files = readdirSync(installed, { recursive: true }).filter((file) => /\.(js|ts)$/.test(file));
    const traces = files.filter((file) =>
      /@model-gateway\/contracts|from '[^']+\.ts'/.test(readFileSync(join(installed, file), 'utf8')),
    );
    same(traces, []);
    same(
      files.filter((file) => /\.test\.|testing\//.test(file)),
      [],
    );
  },

  'works as ESM'() {
    writeFileSync(
      join(project, 'esm.mjs'),
      `import { createClient, RateLimitError } from '@model-gateway/client';\n${PROGRAM}`,
    );
    same(node('esm.mjs').trim(), EXPECTED);
  },

  'works as CommonJS'() {
    const program = `const { createClient, RateLimitError } = require('@model-gateway/client');\n(async () => {\n${PROGRAM}})();`;
    writeFileSync(join(project, 'commonjs.cjs'), program);
    same(node('commonjs.cjs').trim(), EXPECTED);
  },

  'has types for nodenext, from ESM and from CommonJS'() {
    typecheck({ module: 'nodenext', moduleResolution: 'nodenext' }, ['types.mts', 'types.cts']);
  },

  'has types for bundlers'() {
    typecheck({ module: 'esnext', moduleResolution: 'bundler' }, ['types.ts']);
  },

  async 'works in a browser page'() {
    if (!existsSync(CHROMIUM)) return `not tried: there is no ${CHROMIUM}`;
    const { chromium } = require('playwright-core');
    const flags = [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
    try {
      const page = await browser.newPage();
      const errors = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(`${stub.url}/page.html`);
      await page.waitForFunction('window.said !== undefined', undefined, { timeout: 10_000 }).catch(() => undefined);
      same([await page.evaluate('window.said'), errors], [EXPECTED, []]);
    } finally {
      await browser.close();
    }
  },

  async 'keeps its size'() {
    const size = await coreSize(join(dist, 'esm'));
    if (size > BUDGET) throw new Error(`the core is ${size} bytes gzipped; the budget is ${BUDGET}`);
    return `${size} of ${BUDGET} bytes gzipped`;
  },

  'publint finds nothing'() {
    return tool('publint', (bin) => run(process.execPath, [bin, 'run', dist, '--strict'], root));
  },

  'are-the-types-wrong finds nothing'() {
    return tool('@arethetypeswrong/cli', (bin) => run(process.execPath, [bin, '--pack', dist], root));
  },
};

const stub = await startStub();
const EXPECTED = 'Hello | Hel,lo | RateLimitError rate_limited 7';
const PROGRAM = `const client = createClient({ baseUrl: '${stub.url}', apiKey: 'sk-test-1', maxRetries: 0 });
const messages = [{ role: 'user', content: 'Hello' }];
const answer = await client.chat.create({ model: 'm', messages });
const pieces = [];
for await (const piece of client.chat.stream({ model: 'm', messages }).text()) pieces.push(piece);
const error = await client.models.get('busy').catch((thrown) => thrown);
const said = [answer.choices[0].message.content, pieces.join(), [error.name, error.code, error.retryAfterSeconds].join(' ')].join(' | ');
if (!(error instanceof RateLimitError)) throw new Error('no RateLimitError');
globalThis.said = said;
console.log(said);
`;
const TYPES = `import { createClient, verifyWebhook, type Schemas } from '@model-gateway/client';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: () => 'k' });
export async function typed(): Promise<string> {
  const task: Schemas['VideoTask'] = await client.videos.create({ model: 'm', prompt: 'p' }).wait({ onProgress: ({ progress }) => progress.length });
  const { data, requestId } = await client.models.list().withResponse();
  for await (const event of client.messages.stream({ model: 'm', messages: [] })) if (event.type === 'content_block_delta') return event.delta.text ?? '';
  const hook = await verifyWebhook('', {}, 'whsec_');
  // @ts-expect-error a body needs its messages
  await client.chat.create({ model: 'm' });
  // @ts-expect-error there is no such operation
  await client.call('noSuchOperation');
  return task.result_url + data.data.length.toFixed() + (requestId ?? '') + hook.data.task_id;
}
`;

let failed = 0;
try {
  for (const [name, check] of Object.entries(checks)) {
    try {
      const note = await check();
      console.log(`ok      ${name}${note === undefined ? '' : ` (${note})`}`);
    } catch (error) {
      failed++;
      console.log(
        `FAILED  ${name}\n${[error.message, error.stdout, error.stderr].filter(Boolean).join('\n').slice(0, 4000)}`,
      );
    }
  }
} finally {
  stub.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

function same(found, expected) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`expected ${JSON.stringify(expected)}\nfound    ${JSON.stringify(found)}`);
}

/** Types are checked as somebody would who skips nothing: strict, libraries too. */
function typecheck(options, files) {
  for (const file of files) writeFileSync(join(project, file), TYPES);
  const compilerOptions = {
    ...options,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
}

/** A tool that may not be installed here. */
function tool(name, use) {
  const manifest = join(root, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) return `not tried: ${name} is not installed`;
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  use(join(manifest, '..', typeof bin === 'string' ? bin : Object.values(bin)[0]));
  return undefined;
}

/** A gateway of three answers, which also serves the page and the package to the browser. */
async function startStub() {
  const chunk = (content, finish = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { pathname } = new URL(request.url, 'http://stub');
    const say = (status, type, text, headers = {}) =>
      response.writeHead(status, { 'content-type': type, ...headers }).end(text);
    if (pathname === '/v1/chat/completions') {
      if (JSON.parse(body).stream === true)
        return say(200, 'text/event-stream', `${chunk('Hel')}${chunk('lo', 'stop')}data: [DONE]\n\n`);
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }];
      return say(
        200,
        'application/json',
        JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }),
      );
    }
    if (pathname === '/v1/models/busy')
      return say(429, 'application/json', JSON.stringify({ error: { message: 'busy', code: 'rate_limit_exceeded' } }), {
        'retry-after': '7',
      });
    if (pathname === '/page.html') return say(200, 'text/html', page());
    const file = join(project, pathname);
    if (pathname.startsWith('/node_modules/') && ['.js', '.mjs'].includes(extname(file)) && existsSync(file))
      return say(200, 'text/javascript', readFileSync(file));
    return say(404, 'text/plain', 'nothing here');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function page() {
  const imports = {
    '@model-gateway/client': '/node_modules/@model-gateway/client/esm/index.js',
    'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
  };
  return `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">import { createClient, RateLimitError } from '@model-gateway/client';\n${PROGRAM}</script>`;
}

/** Generators of clients, and a linter, on the document that the gateway publishes: made, compiled, and used for a chat and a video. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goProgramsOf, needGo, needJava, npmFolderOf, pythonOf } from './environments.mjs';
import { KEY } from './gateway.mjs';
import { run } from './processes.mjs';
import { runScript } from './python-clients.mjs';
import { emptyHome } from './sandbox.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MODELS = JSON.parse(readFileSync(join(HERE, 'models.json'), 'utf8'));
const STEP_SECONDS = 240;
const MOST_TEXT = 2_500;
const NODE_GENERATORS = ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3'];
const SPECTRAL = ['@stoplight/spectral-cli@6.16.0'];
/** Opening a WebSocket is answered with 101, and has no success beside it. */
const SPECTRAL_RULES = `extends: ["spectral:oas"]
overrides:
  - files: ["**#/paths/~1v1~1responses/get"]
    rules: { operation-success-response: "off" }
`;
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** `steps` gets the folder with openapi.json and `step(name, command, args, options)`, which adds a case and is true when it passed. */
function generator(name, { version, ran, prepare, steps }) {
  return {
    name,
    ran,
    prepare,
    async run(context) {
      const folder = mkdtempSync(join(tmpdir(), `model-gateway-${name}-`));
      const home = emptyHome();
      const cases = [];
      const step = async (title, command, args, { env = {}, cwd = folder, wrong = () => false } = {}) => {
        const all = { ...home.env, ...context.outside.env, ...env };
        const { code, timedOut, stdout, stderr, seconds } = await run(command, args, {
          cwd,
          env: all,
          seconds: STEP_SECONDS,
        });
        const text = `${stdout}\n${stderr}`.replace(/^\[main\] (INFO|WARN|ERROR) .*\n/gm, '').trim();
        const ok = code === 0 && wrong(text) === false;
        const error = `${timedOut ? 'took too long' : `ended with ${code}`}: ${text.slice(0, MOST_TEXT)}`;
        cases.push({ name: title, ok, seconds, ...(!ok && { error }) });
        return ok;
      };
      try {
        const reply = await fetch(`${context.gateway.url}/openapi.json`);
        writeFileSync(join(folder, 'openapi.json'), await reply.text());
        await steps({ ...context, folder, step, cases, called: { GATEWAY: context.gateway.url, KEY } });
      } finally {
        home.remove();
        rmSync(folder, { recursive: true, force: true });
      }
      return { version, cases };
    },
  };
}

function writeTsconfig(folder, options, files) {
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [files] }));
}

/** Without the proxy that lets nothing through: Go fetches the modules that generated code imports. */
function goEnvironment(home = homedir()) {
  const kept = Object.entries(process.env).filter(([name]) => /^(GO|HOME$|PATH$|SSL_|.*PROXY$|.*_proxy$)/i.test(name));
  return {
    HTTP_PROXY: '',
    HTTPS_PROXY: '',
    ALL_PROXY: '',
    http_proxy: '',
    https_proxy: '',
    all_proxy: '',
    ...Object.fromEntries(kept),
    HOME: home,
  };
}

export const GENERATORS = [
  generator('openapi-python-client', {
    version: 'openapi-python-client 0.29.1',
    ran: 'generated without a warning; everything imported, a chat, a video and the models through the generated client',
    prepare: () => pythonOf('openapi-python-client'),
    async steps({ folder, step, cases, ...context }) {
      const python = await pythonOf('openapi-python-client');
      const args = [
        'generate',
        '--path',
        'openapi.json',
        '--output-path',
        'generated',
        '--meta',
        'none',
        '--overwrite',
      ];
      // It has no formatter here, and says so.
      const wrong = (text) =>
        /Unable to|WARNING|ERROR/.test(text.replace(/Skipping Integration\s+ruff is not in PATH/g, ''));
      await step('generates everything', join(dirname(python), 'openapi-python-client'), args, { wrong });
      const script = join(HERE, 'python/generated_client.py');
      cases.push(...(await runScript(python, [script], { ...context, env: { GENERATED: folder } })).cases);
    },
  }),
  generator('hey-api', {
    version: 'openapi-ts 0.95.0',
    ran: 'generated, compiled with TypeScript 5.9; a chat, the models and a video through the generated client',
    prepare: () => npmFolderOf('hey-api', NODE_GENERATORS),
    async steps({ folder, step, called }) {
      const bin = join(await npmFolderOf('hey-api', NODE_GENERATORS), 'node_modules/.bin');
      const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'];
      const made = await step(
        'generates',
        join(bin, 'openapi-ts'),
        ['-i', 'openapi.json', '-o', 'made', '--no-log-file', '-p', ...plugins],
        {
          wrong: (text) => /warn/i.test(text),
        },
      );
      if (!made) return;
      writeTsconfig(folder, { module: 'commonjs', moduleResolution: 'node10', outDir: 'js' }, 'made/**/*.ts');
      if (!(await step('compiles', join(bin, 'tsc'), []))) return;
      const program = join(HERE, 'generated/hey-api.cjs');
      for (const what of ['chat', 'models', 'video'])
        await step(what, process.execPath, [program, join(folder, 'js'), what], { env: called });
    },
  }),
  generator('openapi-generator', {
    version: 'openapi-generator-cli 7.26.0',
    ran: 'validated; clients in Go and TypeScript generated and compiled, one in Python generated and imported',
    async prepare() {
      await needJava();
      await needGo();
      await pythonOf('openapi-generator');
    },
    async steps({ folder, step, quick }) {
      const python = await pythonOf('openapi-generator');
      const where = ['-c', 'import openapi_generator_cli as m; print(m.__path__[0])'];
      const { stdout } = await run(python, where, { env: process.env, seconds: 20 });
      const jar = join(stdout.trim(), 'openapi-generator.jar');
      const java = (...args) => ['-Xmx768m', '-jar', jar, ...args];
      await step('valid', 'java', java('validate', '-i', 'openapi.json'));
      const make = (language, ...more) =>
        step(
          `generates ${language}`,
          'java',
          java('generate', '-i', 'openapi.json', '-g', language, '-o', language, ...more),
        );
      if (await make('typescript-fetch')) {
        const bin = join(await npmFolderOf('hey-api', NODE_GENERATORS), 'node_modules/.bin');
        writeTsconfig(
          folder,
          { module: 'preserve', moduleResolution: 'bundler', noEmit: true },
          'typescript-fetch/**/*.ts',
        );
        await step('TypeScript compiles', join(bin, 'tsc'), []);
      }
      if (quick) return;
      // Without it two enumerations that share a word are two constants of one name.
      if (await make('go', '--additional-properties=enumClassPrefix=true'))
        await step('Go compiles', 'go', ['build', './...'], { cwd: join(folder, 'go'), env: goEnvironment() });
      await make('python');
    },
  }),
  generator('oapi-codegen', {
    version: 'oapi-codegen 2.8.2',
    ran: 'a client in Go generated and compiled; a chat and a video through it',
    prepare: () => goProgramsOf('oapi-codegen', OAPI_CODEGEN),
    async steps({ folder, step, called }) {
      const program = join(await goProgramsOf('oapi-codegen', OAPI_CODEGEN), 'oapi-codegen');
      mkdirSync(join(folder, 'gw'));
      const args = ['-generate', 'types,client', '-package', 'gw', '-o', 'gw/gw.go', 'openapi.json'];
      if (!(await step('generates', program, args, { env: goEnvironment(), wrong: (text) => /WARNING/i.test(text) })))
        return;
      writeFileSync(join(folder, 'go.mod'), 'module gw\n\ngo 1.24\n');
      copyFileSync(join(HERE, 'generated/oapi-codegen.go.txt'), join(folder, 'main.go'));
      const env = goEnvironment();
      if (!(await step('finds its modules', 'go', ['mod', 'tidy'], { env }))) return;
      if (!(await step('compiles', 'go', ['build', '-o', 'program', '.'], { env }))) return;
      await step('chat, video', join(folder, 'program'), [MODELS.chat.openai, MODELS.video], { env: called });
    },
  }),
  generator('spectral', {
    version: 'spectral-cli 6.16.0',
    ran: 'the published document by its OpenAPI rules: no error, no warning',
    prepare: () => npmFolderOf('spectral', SPECTRAL),
    async steps({ folder, step }) {
      const bin = join(await npmFolderOf('spectral', SPECTRAL), 'node_modules/.bin');
      writeFileSync(join(folder, 'rules.yaml'), SPECTRAL_RULES);
      await step('lints', join(bin, 'spectral'), [
        'lint',
        'openapi.json',
        '--ruleset',
        'rules.yaml',
        '--fail-severity',
        'warn',
      ]);
    },
  }),
];

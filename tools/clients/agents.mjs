/** Command-line agents as they are shipped, run without a terminal in an empty home: what they print is looked at, not how they ask. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmFolderOf } from './environments.mjs';
import { CAPPED_KEYS, KEY } from './gateway.mjs';
import { run } from './processes.mjs';
import { startRelay } from './relay.mjs';
import { emptyHome } from './sandbox.mjs';

const MODELS = JSON.parse(readFileSync(new URL('models.json', import.meta.url), 'utf8'));
const HELLO = 'Say hello to the harbour';
const ANSWERED = [/You said/, new RegExp(HELLO)];
/** What the twin says of a tool's result: it has come back to the model. */
const USED_TOOL = [/You said/, /\w (answered|failed): /];
const CASE_SECONDS = 60;
/** An agent in a loop calls its tool again and again. */
const MARK_OF_LOOP = '[[twin:steps=200]]';
/** It ends so soon after its run is refused, and asks so often at most. */
const REFUSED_SECONDS = 10;
const MOST_REFUSED = 3;
/** What the gateway tells the model, the agent shows. */
const REFUSALS = {
  requests_per_run: /This run has made the \d+ requests that it may make\. Stop and report what you have\./,
  spend_per_run: /The budget of this run is used.*Stop and report what you have\./,
};
/** A fault shows at once. */
const NO_RETRIES = 'request_max_retries = 0\nstream_max_retries = 0\n';
const GATEWAY = fileURLToPath(new URL('../../apps/gateway/bin/gateway.mjs', import.meta.url));

/** Sets the agent up as its users do, with `gateway connect`; gives the environment that this asks for. */
function connect(tool, home, url) {
  const line = [GATEWAY, 'connect', tool, '--write', '--url', url, '--json'];
  const said = JSON.parse(
    execFileSync(process.execPath, line, { env: { HOME: home, PATH: process.env.PATH }, encoding: 'utf8' }),
  );
  const env = { [said.key_variable]: KEY };
  for (const text of said.shell) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(text) ?? [];
    if (name !== undefined) env[name] = value === `"$${said.key_variable}"` ? KEY : value;
  }
  return env;
}

/** With the capped key in place of the usual one. */
function withKey(env, key) {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === KEY ? key : value]));
}

/**
 * A run that goes on for ever is refused at its limit: the agent ends soon, hardly asks again, and shows why. Told `asMessage`, it ends as
 * after any other last word of its model.
 */
async function runLoop({ program, line, work, env, relay, limit, asMessage }) {
  relay.begin();
  const { code, timedOut, stdout, stderr, seconds } = await run(program, line, {
    cwd: work,
    env,
    seconds: CASE_SECONDS,
  });
  const answers = relay.answers();
  const statuses = answers.map(({ status }) => status);
  const refused = answers.filter(({ status }) => status !== 200);
  const waited = (Date.now() - refused[0]?.at) / 1_000;
  const isOrderly = asMessage
    ? !timedOut && code === 0 && refused.length === 0 && REFUSALS[limit].test(stdout)
    : !timedOut && code !== 0 && waited < REFUSED_SECONDS && refused.length <= MOST_REFUSED;
  const ok = isOrderly && statuses[0] === 200 && REFUSALS[limit].test(stdout + stderr);
  const error = `ended with ${code}, ${waited} s after it was refused; the gateway answered ${statuses.join(', ')}; printed ${JSON.stringify(stdout.slice(-600))}; said ${JSON.stringify(stderr.slice(-1_500))}`;
  return { ok, seconds, ...(!ok && { error, wire: relay.said() }) };
}

/**
 * `tool` is one of its own tools, which the twin calls when its name is in the prompt. `names` are models by the names that the agent
 * itself has for them; `undefined` is the one it takes when nothing is said. `setUp` may write into the home and gives the environment. `loop` says
 * with which model it loops, how the home is made `asShipped`, and how the agent is set up to be told of limits in a message.
 */
function agent(name, { version, ran, script, tool, loop, names, setUp, argumentsOf }) {
  return {
    name,
    ran,
    prepare: () => npmFolderOf(name, [version], script),
    async run({ gateway, outside, quick, filter }) {
      const folder = await npmFolderOf(name, [version], script);
      const relay = await startRelay(gateway.url);
      const home = emptyHome();
      const cases = [];
      try {
        const more = setUp(home.folder, relay.url);
        const program = join(folder, 'node_modules/.bin', name === 'claude-code' ? 'claude' : name.replace('-cli', ''));
        const work = join(home.folder, 'work');
        mkdirSync(work);
        writeFileSync(join(work, 'notes.txt'), 'the tide is high\n');
        const attempt = async (title, model, prompt, expected) => {
          if (filter !== undefined && !title.includes(filter)) return;
          relay.begin();
          const { code, timedOut, stdout, stderr, seconds } = await run(program, argumentsOf(prompt, model, work), {
            cwd: work,
            env: { ...home.env, ...outside.env, ...more },
            seconds: CASE_SECONDS,
          });
          const ok = code === 0 && expected.every((text) => text.test(stdout));
          const why = timedOut ? `took more than ${CASE_SECONDS} s` : `ended with ${code}`;
          const error = `${why}; expected ${expected.join(' and ')}; printed ${JSON.stringify(stdout.slice(-600))}; said ${JSON.stringify(stderr.replace(/\n +at .*/g, '').slice(-1_500))}`;
          cases.push({ name: title, ok, seconds, ...(!ok && { error, wire: relay.said() }) });
        };
        for (const [label, model] of Object.entries(MODELS.chat)) {
          await attempt(`answer, ${label}`, model, HELLO, ANSWERED);
          // The short form tries a tool with one model.
          if (!quick || label === 'anthropic')
            await attempt(`tool, ${label}`, model, `${HELLO}: use ${tool} [[twin:tool]]`, USED_TOOL);
        }
        for (const model of quick ? [] : MODELS.rest) await attempt(`answer, ${model}`, model, HELLO, ANSWERED);
        for (const model of names) await attempt(`answer, ${model ?? 'its own default'}`, model, HELLO, ANSWERED);
        loop?.asShipped?.(home.folder);
        for (const [limit, key] of loop === undefined ? [] : Object.entries(CAPPED_KEYS)) {
          const title = `loop, ended by ${limit}`;
          if (filter !== undefined && !title.includes(filter)) continue;
          const line = argumentsOf(`${HELLO}: use ${tool} ${MARK_OF_LOOP}`, loop.model, work);
          const env = withKey({ ...home.env, ...outside.env, ...more }, key);
          cases.push({ name: title, ...(await runLoop({ program, line, work, env, relay, limit, asMessage: false })) });
        }
        const toldInMessage = loop?.toldInMessage(home.folder);
        for (const [limit, key] of loop === undefined ? [] : Object.entries(CAPPED_KEYS)) {
          const title = `loop, ended by ${limit} in a message`;
          if (filter !== undefined && !title.includes(filter)) continue;
          const line = argumentsOf(`${HELLO}: use ${tool} ${MARK_OF_LOOP}`, loop.model, work);
          const env = withKey({ ...home.env, ...outside.env, ...more, ...toldInMessage }, key);
          cases.push({ name: title, ...(await runLoop({ program, line, work, env, relay, limit, asMessage: true })) });
        }
      } finally {
        await relay.close();
        home.remove();
      }
      return { version: version.replace(/^.*\/(.*)@/, '$1 '), cases };
    },
  };
}

export const AGENTS = [
  agent('claude-code', {
    version: '@anthropic-ai/claude-code@2.1.197',
    script: '@anthropic-ai/claude-code/install.cjs',
    ran: 'claude -p: an answer with every chat model, a tool with a model of each format, its own default, its short names; a loop ended by the limits of its run, by an error and in a message',
    tool: 'Read',
    loop: {
      model: MODELS.chat.anthropic,
      toldInMessage: () => ({ ANTHROPIC_CUSTOM_HEADERS: 'x-gateway-on-limit: message' }),
    },
    names: [undefined, 'haiku', 'sonnet', 'opus', 'claude-sonnet-5[1m]', 'claude-haiku-4-5-20251001'],
    setUp: (home, url) => ({
      ...connect('claude-code', home, url),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    argumentsOf: (prompt, model) => ['-p', prompt, ...(model === undefined ? [] : ['--model', model])],
  }),
  agent('codex', {
    version: '@openai/codex@0.169.0',
    ran: 'codex exec on the responses form: an answer with every chat model, a tool with a model of each format; a loop ended by the limits of its run, by an error and in a message',
    tool: 'update_plan',
    loop: {
      model: MODELS.chat.openai,
      asShipped(home) {
        const file = join(home, '.codex/config.toml');
        writeFileSync(file, readFileSync(file, 'utf8').replace(NO_RETRIES, ''));
      },
      toldInMessage(home) {
        const file = join(home, '.codex/config.toml');
        const header = 'http_headers = { "x-gateway-on-limit" = "message" }';
        writeFileSync(file, readFileSync(file, 'utf8').replace(/^\[model_providers\..*\]$/m, `$&\n${header}`));
      },
    },
    names: [],
    setUp(home, url) {
      mkdirSync(join(home, '.codex'));
      const file = join(home, '.codex/config.toml');
      writeFileSync(file, 'check_for_update_on_startup = false\n');
      const env = connect('codex', home, url);
      appendFileSync(
        file,
        `${NO_RETRIES}[features]
apps = false
plugins = false
remote_plugin = false
skill_search = false
[analytics]
enabled = false
`,
      );
      return env;
    },
    argumentsOf: (prompt, model, folder) => [
      ...['exec', '--skip-git-repo-check', '--sandbox', 'read-only', '--cd', folder],
      ...(model === undefined ? [] : ['--model', model]),
      prompt,
    ],
  }),
  agent('gemini-cli', {
    version: '@google/gemini-cli@0.61.0',
    ran: 'gemini -p: an answer with every chat model, a tool with a model of each format, its own default, its names',
    tool: 'read_file',
    names: [undefined, 'pro', 'gemini-3.1-pro-preview', 'gemini-2.5-flash'],
    setUp(home, url) {
      mkdirSync(join(home, '.gemini'));
      const settings = {
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
        telemetry: { enabled: false },
      };
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return connect('gemini-cli', home, url);
    },
    argumentsOf: (prompt, model) => ['--skip-trust', '-p', prompt, ...(model === undefined ? [] : ['-m', model])],
  }),
];

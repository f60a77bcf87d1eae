/** `gateway connect <tool>`: the settings with which a tool of somebody else asks this gateway. They name the key's variable and never hold the key. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Argument, type Command } from 'commander';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { given, type Environment } from '../config/interpolate.ts';
import { CommandFault, fileFault, misuse } from './command-fault.ts';
import { WHERE, type JsonOption, type TargetOptions } from './command-options.ts';
import { sayTo } from './output.ts';
import { clientAddress } from './target.ts';
import { SERVERS, type ServerName } from './server-names.ts';
import type { Terminal } from './terminal.ts';

interface ConnectOptions extends JsonOption, TargetOptions {
  readonly model?: string;
  readonly write?: boolean;
  readonly force?: boolean;
}

/** What a tool is told. */
interface Asked {
  /** Without `/v1`. */
  readonly url: string;
  readonly model: string | undefined;
}

/** A file of the tool. `merge` gives its next text, out of what stands there; it throws CommandFault where that says something else. */
interface SettingsFile {
  readonly path: string;
  readonly text: string;
  readonly merge: (before: string, force: boolean) => string;
}

interface Settings {
  readonly file?: SettingsFile;
  /** Lines for the shell that starts the tool. */
  readonly shell?: readonly string[];
  /** What is done by hand, in the tool's own windows. */
  readonly steps?: readonly string[];
}

const KEY = 'MODEL_GATEWAY_API_KEY';
const DEFAULT_MODEL = 'gpt-5.2';

const TOOLS: Readonly<Record<string, (asked: Asked, env: Environment) => Settings>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  continue: continueExtension,
  librechat: libreChat,
  'open-webui': openWebUi,
  cursor,
  cline,
  n8n,
};

/** Adds `gateway connect`. */
export function addConnectCommand(program: Command, terminal: Terminal): void {
  program
    .command('connect')
    .description(
      'print or write the settings that a tool such as Claude Code needs to use the gateway, or that the gateway needs to use a model server such as Ollama',
    )
    .addArgument(new Argument('<tool>', 'the tool or the model server').choices([...Object.keys(TOOLS), ...SERVERS]))
    .argument('[address]', 'the address of a model server, if it is not the usual port on this machine')
    .option('-m, --model <code>', 'the model that the tool starts with, if it does not choose one itself')
    .option(
      '--write',
      'write the settings: to the file of a tool, where everything else stays, or of a model server to the database',
    )
    .option('--force', 'with --write: replace different settings in the file')
    .optionsGroup(WHERE)
    .option('--url <url>', 'use the gateway at this address')
    .option('--profile <name>', 'use the gateway of this profile')
    .optionsGroup('Options:')
    .option('--json', 'print only JSON')
    .addHelpText('after', `\nThe key is never printed or written: the settings name the variable ${KEY}.`)
    .action((tool: string, address: string | undefined, options: ConnectOptions) => {
      const server = SERVERS.find((name) => name === tool);
      if (server !== undefined) return connectServer(terminal, server, address, options);
      if (address !== undefined) throw misuse(`${tool} takes no address.`);
      return connect(terminal, tool, options);
    });
}

/** As `gateway accounts discover`, for one kind of server. */
async function connectServer(
  terminal: Terminal,
  name: ServerName,
  address: string | undefined,
  options: ConnectOptions,
): Promise<void> {
  const { discoverServers } = await import('../resources/accounts/discover-command.ts');
  const { url, profile, json, write } = options;
  await discoverServers(
    terminal,
    { addresses: address === undefined ? [] : [address], name },
    {
      ...(url !== undefined && { url }),
      ...(profile !== undefined && { profile }),
      ...(json !== undefined && { json }),
      ...(write !== undefined && { write }),
    },
  );
}

function connect(terminal: Terminal, tool: string, options: ConnectOptions): void {
  const asked = { url: clientAddress(terminal.env, options), model: options.model };
  const { file, shell = [], steps = [] } = settingsOf(tool, asked, terminal.env);
  if (options.write === true && file === undefined)
    throw misuse(`${tool} has no file that could be written; leave --write out, and do what is printed.`);
  const isWritten = options.write === true && file !== undefined && write(file, options.force === true);
  const result = {
    tool,
    url: asked.url,
    key_variable: KEY,
    ...(file !== undefined && { file: file.path, settings: file.text }),
    ...(options.write === true && { written: isWritten }),
    shell,
    steps,
  };
  sayTo(terminal, options)(result, (paint) => {
    const parts: string[] = [];
    if (file !== undefined && options.write === true)
      parts.push(isWritten ? `${file.path} is written.` : `${file.path} says so already.`);
    else if (file !== undefined) parts.push(`${paint('bold', `In ${file.path}:`)}\n\n${file.text.trimEnd()}`);
    if (shell.length > 0) parts.push(`${paint('bold', 'In the shell that starts it:')}\n\n${shell.join('\n')}`);
    if (steps.length > 0) parts.push(steps.map((step, index) => `${index + 1}. ${step}`).join('\n'));
    return parts.join('\n\n');
  });
}

function settingsOf(tool: string, asked: Asked, env: Environment): Settings {
  const make = TOOLS[tool];
  if (make === undefined) throw misuse(`<tool>: there are ${Object.keys(TOOLS).join(', ')}.`);
  return make(asked, env);
}

/** Whether there was something to write. */
function write({ path, merge }: SettingsFile, force: boolean): boolean {
  let before = '';
  try {
    before = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileFault(path, 'read', error);
  }
  const after = merge(before, force);
  if (after === before) return false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  } catch (error) {
    throw fileFault(path, 'written', error);
  }
  return true;
}

function exported(name: string): string {
  return `export ${name}="$${KEY}"`;
}

/** For a shell, whatever stands in it. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The base address that clients of OpenAI's wire are given. */
function openAiBase(url: string): string {
  // The path of SDKs, which are not ours to match.
  // oxlint-disable-next-line eslint-core/no-own-paths
  return `${url}/v1`;
}

function inYaml(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function inHome(env: Environment, ...path: readonly string[]): string {
  return join(given(env['HOME']) ?? homedir(), ...path);
}

function claudeCode({ url, model }: Asked, env: Environment): Settings {
  const path = join(given(env['CLAUDE_CONFIG_DIR']) ?? inHome(env, '.claude'), 'settings.json');
  // Its settings cannot refer to variables; what this command prints is the key.
  const settings = {
    ...(model !== undefined && { model }),
    apiKeyHelper: `printf %s "$${KEY}"`,
    env: { ANTHROPIC_BASE_URL: url },
  };
  // Both go ahead of the helper, and would carry a vendor's key to the gateway.
  return { file: jsonFile(path, settings), shell: ['unset ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN'] };
}

function codex({ url, model = DEFAULT_MODEL }: Asked, env: Environment): Settings {
  const root = `model = ${JSON.stringify(model)}\nmodel_provider = "gateway"\n`;
  const table = `[model_providers.gateway]
name = "Gateway"
base_url = ${JSON.stringify(openAiBase(url))}
env_key = "${KEY}"
wire_api = "responses"
`;
  const path = join(given(env['CODEX_HOME']) ?? inHome(env, '.codex'), 'config.toml');
  const merge = (before: string): string => {
    if (before.includes(root) && before.includes(table)) return before;
    const other = /^\s*(model|model_provider)\s*=|model_providers\.["']?gateway\b/m.exec(before)?.[0].trim();
    if (other !== undefined)
      throw new CommandFault(
        `${path} has '${other}' already, and was not changed; add what gateway connect codex prints.`,
      );
    // Keys of the root stand before the first table.
    return before === '' ? `${root}\n${table}` : `${root}\n${before.trimEnd()}\n\n${table}`;
  };
  return { file: { path, text: `${root}\n${table}`, merge } };
}

function geminiCli({ url, model }: Asked, env: Environment): Settings {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    ...(model !== undefined && { model: { name: model } }),
  };
  // Not in its .env: a project's own .env hides that, and the key would go to Google's address.
  return {
    file: jsonFile(inHome(env, '.gemini', 'settings.json'), settings),
    shell: [`export GOOGLE_GEMINI_BASE_URL=${quoted(url)}`, exported('GEMINI_API_KEY')],
  };
}

function continueExtension({ url, model = DEFAULT_MODEL }: Asked, env: Environment): Settings {
  const text = `name: Gateway
version: 1.0.0
schema: v1
models:
  - name: ${inYaml(`${model} (gateway)`)}
    provider: openai
    model: ${inYaml(model)}
    apiBase: ${inYaml(openAiBase(url))}
    apiKey: \${{ secrets.${KEY} }}
    roles: [chat, edit, apply]
`;
  return {
    file: newFile(inHome(env, '.continue', 'config.yaml'), text),
    steps: [`Put the key into ~/.continue/.env: ${KEY}=sk-…`],
  };
}

function libreChat({ url, model = DEFAULT_MODEL }: Asked): Settings {
  const text = `version: 1.2.1
endpoints:
  custom:
    - name: Gateway
      apiKey: \${${KEY}}
      baseURL: ${inYaml(openAiBase(url))}
      models:
        default: [${inYaml(model)}]
        fetch: true
      titleConvo: true
      titleModel: ${inYaml(model)}
`;
  return {
    file: newFile('librechat.yaml', text),
    steps: [`Put the key into the .env of LibreChat: ${KEY}=sk-…`, inContainer(url)],
  };
}

function openWebUi({ url }: Asked): Settings {
  return {
    shell: [
      `docker run -d -p 3000:8080 -v open-webui:/app/backend/data -e OPENAI_API_BASE_URL=${quoted(openAiBase(url))} -e OPENAI_API_KEY="$${KEY}" ghcr.io/open-webui/open-webui:main`,
    ],
    steps: [
      'Where it has run before, its own settings go ahead: Admin Panel, Settings, Connections, OpenAI API.',
      inContainer(url),
    ],
  };
}

function cursor({ url, model = DEFAULT_MODEL }: Asked): Settings {
  return {
    steps: [
      'Open Cursor Settings, Models, API Keys.',
      `Paste the key (that of ${KEY}) as the OpenAI API Key.`,
      `Turn on Override OpenAI Base URL: ${openAiBase(url)}`,
      `Add the custom model ${model}.`,
      "Cursor asks from its own servers: the address must be one that they reach, over https; this machine's own is none.",
    ],
  };
}

function cline({ url, model = DEFAULT_MODEL }: Asked): Settings {
  return {
    steps: [
      'Open the settings of Cline; API Provider: OpenAI Compatible.',
      `Base URL: ${openAiBase(url)}`,
      `API Key: that of ${KEY}.`,
      `Model ID: ${model}`,
    ],
  };
}

function n8n({ url, model = DEFAULT_MODEL }: Asked): Settings {
  return {
    steps: [
      'Make a credential of the type OpenAI.',
      `API Key: that of ${KEY}; Base URL: ${openAiBase(url)}`,
      `Choose it in an OpenAI Chat Model node; the model, by ID: ${model}`,
      inContainer(url),
    ],
  };
}

function inContainer(url: string): string {
  return `In a container ${url} is the container itself: there the gateway of this machine is at http://host.docker.internal:PORT, and must listen on 0.0.0.0.`;
}

/** A file that is written where there is none: its lists are the user's own, and nothing is put between them. */
function newFile(path: string, text: string): SettingsFile {
  return {
    path,
    text,
    merge(before) {
      if (before === '' || before === text) return text;
      throw new CommandFault(
        `${path} already exists and was not changed; add the entry that is printed without --write.`,
      );
    },
  };
}

function jsonFile(path: string, settings: JsonObject): SettingsFile {
  const printed = (value: Json): string => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    path,
    text: printed(settings),
    merge(before, force) {
      const there = before.trim() === '' ? {} : parsed(path, before);
      const merged = merge(there, settings);
      if (!force && merged.replaced.length > 0)
        throw new CommandFault(
          `${path} has other settings for ${merged.replaced.join(', ')}, and was not changed; use --force to replace them.`,
        );
      return JSON.stringify(merged.value) === JSON.stringify(there) ? before : printed(merged.value);
    },
  };
}

function parsed(path: string, text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json;
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CommandFault(`${path} is not a JSON object and was not changed; add what is printed without --write.`);
}

/** One object over another; `replaced` are the places where both say something, and not the same. */
function merge(
  below: JsonObject,
  above: JsonObject,
): { readonly value: JsonObject; readonly replaced: readonly string[] } {
  const value = { ...below };
  const replaced: string[] = [];
  for (const [name, next] of Object.entries(above)) {
    const before = value[name];
    if (isJsonObject(before) && isJsonObject(next)) {
      const inner = merge(before, next);
      value[name] = inner.value;
      replaced.push(...inner.replaced.map((each) => `${name}.${each}`));
      continue;
    }
    if (before !== undefined && before !== next) replaced.push(name);
    value[name] = next;
  }
  return { value, replaced };
}

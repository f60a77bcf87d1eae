/** What `gateway init` does. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '@model-gateway/contracts';
import { wholeAccounts } from '@model-gateway/core';
import { vendors } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { ConfigError, readConfig, type Config } from '../config/config.ts';
import type { Environment } from '../config/interpolate.ts';
import { ask } from './ask.ts';
import { CommandFault, misuse } from './command-fault.ts';
import { amountOfDollars, type JsonOption } from './command-options.ts';
import { sayTo } from './output.ts';
import { canAsk, type Terminal } from './terminal.ts';

export interface InitOptions extends JsonOption {
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** What the file is made of. */
export interface Answers {
  /** Whether others reach it, or this machine alone. */
  readonly host: '127.0.0.1' | '0.0.0.0';
  readonly port: number;
  readonly database: string;
  /** US dollars that a first declared key may spend in a month; no such key when absent. */
  readonly cap?: number;
}

const PROPOSED: Answers = { host: '127.0.0.1', port: 8080, database: 'sqlite:./data/gateway.db' };

/** Writes the file and reads it as a gateway would. Exit code 1 when it has faults, which are said. */
export async function init(terminal: Terminal, file: string, options: InitOptions): Promise<void> {
  const { env } = terminal;
  if (existsSync(file) && options.force !== true)
    throw new CommandFault(`${file} already exists; use --force to replace it, or choose another file name.`);
  if (options.yes !== true && !canAsk(terminal, options))
    throw misuse('There is nobody to ask: --yes takes what would be proposed. See gateway init --help.');
  const answers = options.yes === true ? PROPOSED : await questions(terminal);
  writeFileSync(file, configFile(answers), { mode: 0o600 });
  const config = checked(env, file);
  const { accounts, models } = buildCatalogue(config, vendors, undefined);
  const on = wholeAccounts(accounts).flatMap(([account]) => (account.on ? [account.name] : []));
  sayTo(terminal, options)({ file, models: models.size, accounts_on: on }, (paint) =>
    [
      `${paint('green', file)} is written, and good: ${models.size} models.`,
      on.length === 0
        ? 'No vendor account has credentials yet, so the vendor twin answers everything. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, … and start again.'
        : `Accounts with credentials: ${on.join(', ')}.`,
      'Next:',
      ...(hasPassword(answers.database)
        ? ['  export DATABASE_URL=…   (the address with its password, which is not in the file)']
        : []),
      ...(answers.cap === undefined ? [] : ['  export FIRST_KEY=sk-…   (the key itself, 16 characters or more)']),
      `  GATEWAY_CONFIG=${file} gateway serve`,
      `  GATEWAY_CONFIG=${file} gateway doctor`,
    ].join('\n'),
  );
}

async function questions(terminal: Terminal): Promise<Answers> {
  const port = await ask(terminal, `Which port shall it listen on? (${PROPOSED.port}): `, (answer) => {
    if (answer === '') return PROPOSED.port;
    if (/^\d{1,5}$/.test(answer) && Number(answer) < 65_536) return Number(answer);
    throw new Error('It must be a number from 1 to 65535.');
  });
  const isOpen = await yes(terminal, 'Shall other machines reach it? (y/N): ', false);
  const database = await ask(
    terminal,
    `Which database? A postgres:// address, or empty for a file (${PROPOSED.database}): `,
    (answer) => {
      if (answer === '') return PROPOSED.database;
      if (/^(postgres(ql)?:\/\/|sqlite:)/.test(answer)) return answer;
      throw new Error('It must be postgres://user:password@host/name, or sqlite:./path/to/file.db.');
    },
  );
  const cap = await ask(
    terminal,
    'The most that a first key may spend in a month, in US dollars (empty for no key): ',
    (answer) => (answer === '' ? undefined : amountOfDollars(answer)),
  );
  return { host: isOpen ? '0.0.0.0' : '127.0.0.1', port, database, ...(cap !== undefined && { cap }) };
}

function yes(terminal: Terminal, question: string, usual: boolean): Promise<boolean> {
  return ask(terminal, question, (answer) => {
    if (answer === '') return usual;
    if (/^(y|yes|n|no)$/i.test(answer)) return /^y/i.test(answer);
    throw new Error('It is y or n.');
  });
}

/** Passwords stay out of files. */
function hasPassword(database: string): boolean {
  return /:[^:@/]+@/.test(database);
}

/** The file, with what can be added said in comments. */
export function configFile({ host, port, database, cap }: Answers): string {
  const url = hasPassword(database) ? "'${DATABASE_URL}'" : JSON.stringify(database);
  return `# yaml-language-server: $schema=http://127.0.0.1:${port}${OPERATIONS.getDocs.path}/gateway.schema.json
# The built-in catalogue lies beneath: its models are there as soon as their vendor's credentials are in the environment
# (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, …). gateway check-config says every fault of this file.
server:
  host: ${host}
  port: ${port}${host === '127.0.0.1' ? '' : "\n  # metrics_key: '${METRICS_KEY}' # others reach this port: GET /metrics is closed without one"}
database:
  url: ${url}
# groups:
#   partners: { factor: 0.9 }
${
  cap === undefined
    ? '# keys: gateway keys create makes them while the gateway runs; declared ones stand here\n'
    : `keys:
  - name: first
    key: '\${FIRST_KEY}' # 16 characters or more, from the environment
    limits: { spend_per_month: ${cap} }
`
}# accounts:
#   - { name: my-openai, vendor: openai, credentials: { api_key: '\${MY_OPENAI_KEY}' } }
# models:
#   - { code: my-model, kind: chat, price: { input: 1, output: 2 }, offers: [{ account: my-openai, model: gpt-5.2 }] }
`;
}

/** What it holds. Variables that are to be set for the start stand in for themselves here. */
function checked(env: Environment, file: string): Config {
  try {
    return readConfig({
      FIRST_KEY: 'sk-0123456789abcdef',
      DATABASE_URL: PROPOSED.database,
      ...env,
      GATEWAY_CONFIG: file,
    });
  } catch (error) {
    if (error instanceof ConfigError) rmSync(file);
    throw error;
  }
}

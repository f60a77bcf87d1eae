/** `gateway config entries|get|set|remove|unset|changes|undo`: models, accounts and budgets that are kept in the database. */
import { InvalidArgumentError, type Command } from 'commander';
import type { QueryOf } from '@model-gateway/client';
import { isJsonObject, type components, type JsonObject } from '@model-gateway/contracts';
import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';
import { fileFault, misuse } from '../../commands/command-fault.ts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { moment, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];
const SHOWN = 50;

/** A model, an account or a budget. */
interface EntryName {
  readonly section: Schemas['ConfigSection'];
  readonly name: string;
}

const SECTIONS: readonly string[] = ['models', 'accounts', 'budgets'];

interface ChangeOptions extends OperatorOptions {
  readonly dryRun?: boolean;
}
interface SetOptions extends ChangeOptions {
  readonly file?: string;
  readonly merge?: boolean;
}

/** Adds `gateway config`. */
export function addConfigEntryCommands(program: Command, terminal: Terminal): void {
  const config = program
    .command('config')
    .description('models, accounts and budgets in the database, which override the file (config.source: database)');
  operatorCommand(config, 'entries', 'list models, accounts and budgets, with their source')
    .option('--section <name>', 'only models, accounts or budgets', section)
    .option('--from <layer>', 'only entries with a part from this source: builtin, file or database', layer)
    .action(
      ({ section: only, from, ...options }: OperatorOptions & Pick<QueryOf<'listConfigEntries'>, 'section' | 'from'>) =>
        withOperator(terminal, options, async ({ list, say }) => {
          const rows = await list('listConfigEntries', { section: only, from });
          say(rows, (paint) => (rows.length === 0 ? 'There is nothing of that kind.' : entriesText(rows, paint)));
        }),
    );
  operatorCommand(config, 'get', 'show one entry: as it is in effect, the part in the database, and the part below it')
    .argument('<entry>', 'such as models/gpt-5.2', entryName)
    .action((entry: EntryName, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const row = await call('getConfigEntry', { path: entry });
        say(row, () => JSON.stringify({ value: row.value, kept: row.kept, beneath: row.beneath }, undefined, 2));
      }),
    );
  changing(config, 'set', 'store members of an entry in the database; they replace those it had for the entry')
    .argument('<entry>', 'such as models/gpt-5.2 or accounts/openai', entryName)
    .argument('[json]', 'the members, such as \'{"price":{"input":1.1,"output":9}}\'')
    .option('--file <path>', 'read the members from a JSON or YAML file; - is standard input')
    .option('--merge', 'keep its other members that the database has')
    .action((entry: EntryName, json: string | undefined, { file, merge = false, ...options }: SetOptions) =>
      change(terminal, options, async (work, query) => {
        const members = await membersOf(terminal, json, file);
        const { kept, version } = merge ? await keptMembers(work, entry) : {};
        return work.call('putConfigEntry', {
          path: entry,
          query: { ...query, version },
          body: { value: { ...kept, ...members } },
        });
      }),
    );
  changing(config, 'remove', 'remove an entry that the file or the built-in catalogue has')
    .argument('<entry>', 'such as models/gpt-5.2', entryName)
    .action((entry: EntryName, options: ChangeOptions) =>
      change(terminal, options, ({ call }, query) =>
        call('putConfigEntry', { path: entry, query, body: { removed: true } }),
      ),
    );
  changing(
    config,
    'unset',
    'remove an entry from the database, so that the file or the built-in catalogue applies again',
  )
    .argument('<entry>', 'such as models/gpt-5.2', entryName)
    .action((entry: EntryName, options: ChangeOptions) =>
      change(terminal, options, ({ call }, query) => call('deleteConfigEntry', { path: entry, query })),
    );
  operatorCommand(config, 'changes', 'what was changed, newest first')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: OperatorOptions & { readonly limit?: number }) =>
      withOperator(terminal, options, async ({ list, say }) => {
        const rows = await list('listConfigChanges', {}, limit);
        say(rows, (paint) => (rows.length === 0 ? 'Nothing was changed.' : changesText(rows, paint)));
      }),
    );
  changing(config, 'undo', 'restore an entry as it was before a change')
    .argument('<change>', 'its id', wholeNumber)
    .action((id: number, options: ChangeOptions) =>
      change(terminal, options, ({ call }, query) => call('undoConfigChange', { path: { change_id: id }, query })),
    );
}

function changing(parent: Command, usage: string, description: string): Command {
  return operatorCommand(parent, usage, description).option('--dry-run', 'only show what would change');
}

async function change(
  terminal: Terminal,
  { dryRun = false, ...options }: ChangeOptions,
  make: (work: Work, query: { readonly dry_run: boolean }) => Promise<Schemas['ConfigChangeResult']>,
): Promise<void> {
  await withOperator(terminal, options, async (work) => {
    const { say, exitWith } = work;
    const result = await make(work, { dry_run: dryRun });
    say(result, () => resultText(result));
    if (result.faults.length > 0) exitWith(1);
  });
}

function resultText({
  change: made,
  dry_run: dry,
  differences,
  faults,
  warnings,
}: Schemas['ConfigChangeResult']): string {
  if (faults.length > 0) return ['It would be refused:', ...faults.map(line)].join('\n');
  const head = dry ? 'It would change:' : made === null ? 'Nothing was to change.' : `Changed (${made.id}):`;
  const what = differences.length === 0 ? (dry ? ['  nothing'] : []) : differences.map((each) => `  - ${each}`);
  return [head, ...what, ...(warnings.length > 0 ? ['Warnings:', ...warnings.map(line)] : [])].join('\n');
}

function line({ path, message }: Schemas['ConfigFault']): string {
  return `  - ${path}: ${message}`;
}

function entriesText(rows: readonly Schemas['ConfigEntry'][], paint: Paint): string {
  return table(
    ['entry', 'from', 'version', 'state'],
    rows.map((row) => [row.id, row.from.join(', '), row.version === 0 ? '' : String(row.version), stateOf(row)]),
    paint,
  );
}

function stateOf({ faults, removed }: Schemas['ConfigEntry']): string {
  const [fault] = faults;
  if (fault !== undefined) return `left out: ${fault.path}: ${fault.message}`;
  return removed ? 'taken away' : '';
}

function changesText(rows: readonly Schemas['ConfigChange'][], paint: Paint): string {
  return table(
    ['id', 'when', 'who', 'entry', 'what'],
    rows.map((row) => [String(row.id), moment(row.at), row.actor, `${row.section}/${row.name}`, wordsOf(row)]),
    paint,
  );
}

function wordsOf({ after, undoes }: Schemas['ConfigChange']): string {
  const what = after === null ? 'back to the file' : after.removed ? 'taken away' : 'set';
  return undoes === null ? what : `${what}, undoes ${undoes}`;
}

/** What the database has for an entry; the version refuses to store it over a change of somebody else. */
async function keptMembers({ list }: Pick<Work, 'list'>, { section: of, name }: EntryName) {
  const rows = await list('listConfigEntries', { section: of, search: name });
  const { kept, version } = rows.find((row) => row.name === name) ?? { kept: null, version: 0 };
  return { kept, version };
}

async function membersOf(
  { stdin }: Pick<Terminal, 'stdin'>,
  json: string | undefined,
  file: string | undefined,
): Promise<JsonObject> {
  if ((json === undefined) === (file === undefined)) throw misuse('Give the members as JSON, or --file.');
  const text = json ?? (file === '-' ? await textOf(stdin) : await fileText(file ?? ''));
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw misuse(`The members are neither JSON nor YAML: ${error.message}`);
  }
  if (!isJsonObject(value)) throw misuse('The members must be an object, such as \'{"max_concurrency":64}\'.');
  return value;
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw fileFault(file, 'read', error);
  }
}

async function textOf(stream: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString('utf8');
}

function entryName(text: string): EntryName {
  const cut = text.indexOf('/');
  const [first, name] = [text.slice(0, cut), text.slice(cut + 1)];
  if (cut < 1 || name === '' || !SECTIONS.includes(first))
    throw new InvalidArgumentError('it must be models/…, accounts/… or budgets/….');
  return { section: first as EntryName['section'], name };
}

function section(text: string): Schemas['ConfigSection'] {
  if (!SECTIONS.includes(text)) throw new InvalidArgumentError('it must be models, accounts or budgets.');
  return text as Schemas['ConfigSection'];
}

const LAYERS = ['builtin', 'file', 'database'] as const;

function layer(text: string): (typeof LAYERS)[number] {
  const found = LAYERS.find((name) => name === text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError('it must be builtin, file or database.');
}

/** `gateway accounts discover` and `gateway connect ollama`: the model servers of this machine or at an address, as accounts and models of the gateway. */
import { stringify } from 'yaml';
import { CommandFault, misuse } from '../../commands/command-fault.ts';
import type { CallOperation } from '../../commands/call-operation.ts';
import type { OperatorOptions } from '../../commands/command-options.ts';
import type { ServerName } from '../../commands/server-names.ts';
import { withOperator } from '../../commands/operator.ts';
import { sayTo, table, type Paint } from '../../commands/output.ts';
import { note, type Terminal } from '../../commands/terminal.ts';
import { discover, rowsOf, usualAddresses, type DiscoveredRows, type FoundServer } from './discovery.ts';

export interface DiscoverOptions extends OperatorOptions {
  /** Keeps what was found in the database of a gateway. */
  readonly write?: boolean;
  /** Prints YAML alone. */
  readonly print?: boolean;
  /** Tokens of context that Ollama gives each chat model. */
  readonly context?: number;
}

/** Finds servers and prints their rows, or writes them. Throws CommandFault where no server answers. */
export async function discoverServers(
  terminal: Terminal,
  { addresses, name }: { readonly addresses: readonly string[]; readonly name?: ServerName },
  { write = false, print = false, context, ...options }: DiscoverOptions,
): Promise<void> {
  for (const address of addresses)
    if (!/^https?:\/\/[^/]/.test(address))
      throw misuse(`${address} is no address; write one such as http://127.0.0.1:11434.`);
  const asked = addresses.length > 0 ? addresses : usualAddresses(name);
  const all = await discover(asked, terminal.now);
  const servers = name === undefined ? all : all.filter((server) => server.name === name);
  if (servers.length === 0) throw new CommandFault(noneFound(asked, all, name));
  const rows = rowsOf(servers, context);
  if (print) {
    terminal.out(stringify(rows).trimEnd());
    return;
  }
  if (!write) {
    sayTo(terminal, options)({ servers, ...rows }, (paint) => foundText(servers, rows, paint));
    return;
  }
  await withOperator(terminal, options, async ({ call, say, exitWith, isLocal }) => {
    if (!isLocal && rows.accounts.some(({ base_url: url }) => /\/\/(?:127\.|localhost)/.test(url)))
      note(
        terminal,
        'The gateway elsewhere is told addresses of its own machine: give those by which it reaches the servers.',
      );
    const faults: string[] = [];
    const skipped = new Set<string>();
    const keep = async (section: 'accounts' | 'models', entry: string, value: object): Promise<void> => {
      const result = await call('putConfigEntry', {
        path: { section, name: entry },
        query: { dry_run: false },
        body: { value: { ...value } },
      });
      faults.push(...result.faults.map(({ path, message }) => `${section}/${entry}: ${path}: ${message}`));
    };
    const { data: present } = await call('listAccounts');
    for (const { name: account, ...value } of rows.accounts) {
      const isOn = present.some(({ name: other, on, twin }) => other === account && on && !twin);
      const address = isOn ? await addressLeft(call, account, value) : undefined;
      if (address === undefined) await keep('accounts', account, value);
      else {
        skipped.add(account);
        faults.push(`accounts/${account}: in use at ${address}; nothing of ${value.base_url} was written`);
      }
    }
    for (const { code, ...value } of rows.models)
      if (!skipped.has(code.slice(0, code.indexOf('/')))) await keep('models', code, value);
    say({ servers, ...rows, faults }, () => writtenText(rows, faults));
    if (faults.length > 0) exitWith(1);
  });
}

/** The address that an account in use would have no more; undefined where it keeps its own. */
async function addressLeft(
  call: CallOperation,
  account: string,
  value: Omit<DiscoveredRows['accounts'][number], 'name'>,
): Promise<string | undefined> {
  const path = { section: 'accounts', name: account } as const;
  const { differences } = await call('putConfigEntry', {
    path,
    query: { dry_run: true },
    body: { value: { ...value } },
  });
  if (!differences.some((each) => /\bbase_url\b/.test(each))) return undefined;
  const { value: row } = await call('getConfigEntry', { path });
  const address = row?.['base_url'];
  return typeof address === 'string' && !address.includes('***') ? address : 'another address';
}

function noneFound(asked: readonly string[], found: readonly FoundServer[], name: ServerName | undefined): string {
  const others = found.map((server) => `${server.name} at ${server.baseUrl}`);
  const what = name === undefined ? 'No model server' : `No ${name}`;
  return others.length > 0
    ? `${what} answers at ${asked.join(', ')}, but ${others.join(', ')}: gateway accounts discover takes any.`
    : `${what} answers at ${asked.join(', ')}. Start it, or give its address, such as http://192.168.1.20:11434.`;
}

function foundText(servers: readonly FoundServer[], rows: DiscoveredRows, paint: Paint): string {
  const parts = servers.map(({ name, baseUrl, models }) => {
    const head = paint('bold', `${name} at ${baseUrl}: ${models.length} ${models.length === 1 ? 'model' : 'models'}`);
    if (models.length === 0) return head;
    const cells = models.map(({ id, kind, maxInputTokens, inputs }) => [
      id,
      kind ?? '',
      maxInputTokens === undefined ? '' : String(maxInputTokens),
      inputs?.join(', ') ?? '',
    ]);
    return `${head}\n${table(['model', 'kind', 'context', 'reads'], cells, paint)}`;
  });
  const how = 'Add this to your configuration, or run the command again with --write to keep it in the database:';
  return [...parts, `${paint('bold', how)}\n\n${stringify(rows).trimEnd()}`].join('\n\n');
}

function writtenText({ accounts, models }: DiscoveredRows, faults: readonly string[]): string {
  if (faults.length > 0) return ['Not all was kept:', ...faults.map((each) => `  - ${each}`)].join('\n');
  const [first] = models;
  const kept = `Kept: ${accounts.map(({ name }) => name).join(', ')} with ${models.length} ${models.length === 1 ? 'model' : 'models'}.`;
  return first === undefined ? kept : `${kept} Ask for one as ${first.code}.`;
}

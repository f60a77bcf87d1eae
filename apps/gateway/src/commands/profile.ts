/** `gateway profile …` */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { given } from '../config/interpolate.ts';
import { askSecret } from './ask.ts';
import { misuse } from './command-fault.ts';
import type { JsonOption } from './command-options.ts';
import { sayTo, table } from './output.ts';
import { profilesFile, readProfiles, writeProfiles, type Profiles } from './profiles.ts';
import { profileNamed, urlOf } from './target.ts';
import { canAsk, type Terminal } from './terminal.ts';

interface AddOptions extends JsonOption {
  readonly url: string;
  readonly key?: string;
  readonly adminKey?: string;
}

const NAME = /^[\w.-]{1,64}$/;
const SECRET = '- reads it from standard input; asked for on a terminal when absent';

/** Adds `gateway profile add|list|use|remove`. */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  const { env } = terminal;
  const profile = program
    .command('profile')
    .description('named gateways, with their keys')
    .addHelpText(
      'after',
      `
Profiles are kept in ${profilesFile(env)}, readable by you alone; their keys are never shown.
A command takes --profile, else GATEWAY_PROFILE, else the profile in use.`,
    );
  profile
    .command('add')
    .description('add or change a profile; the first one becomes the default')
    .argument('<name>', 'the name')
    .requiredOption('--url <url>', 'the address, such as https://gateway.example.com')
    .option('--key <key>', `the key, sk-…; ${SECRET}`)
    .option('--admin-key <key>', `the admin key, for operators' commands; ${SECRET}`)
    .option('--json', 'print only JSON')
    .action((name: string, options: AddOptions) => add(terminal, name, options));
  profile
    .command('list', { isDefault: true })
    .description('list profiles')
    .option('--json', 'print only JSON')
    .action((options: JsonOption) => list(terminal, options));
  profile
    .command('use')
    .description('make a profile the default')
    .argument('<name>', 'the profile')
    .option('--json', 'print only JSON')
    .action((name: string, options: JsonOption) => {
      const kept = readProfiles(env);
      const { url } = profileNamed(kept, name);
      writeProfiles(env, { ...kept, current: name });
      sayTo(terminal, options)({ current: name }, () => `In use: ${name}, ${url}`);
    });
  profile
    .command('remove')
    .description('remove a profile and its keys')
    .argument('<name>', 'the profile')
    .option('--json', 'print only JSON')
    .action((name: string, options: JsonOption) => {
      const { current, profiles } = readProfiles(env);
      profileNamed({ profiles }, name);
      const { [name]: _gone, ...left } = profiles;
      writeProfiles(env, { ...(current !== undefined && current !== name && { current }), profiles: left });
      sayTo(terminal, options)({ removed: name }, () =>
        current === name ? `${name} is forgotten; no profile is in use now.` : `${name} is forgotten.`,
      );
    });
}

async function add(terminal: Terminal, name: string, options: AddOptions): Promise<void> {
  if (!NAME.test(name)) throw misuse(`<name>: '${name.slice(0, 80)}' may have letters, digits, '.', '_' and '-' only.`);
  const { env } = terminal;
  const url = urlOf(options.url);
  const { key, adminKey } = await keysOf(terminal, options);
  const kept = readProfiles(env);
  const before = Object.hasOwn(kept.profiles, name) ? kept.profiles[name] : undefined;
  // A key that belongs to another address is not taken along.
  const old = before?.url === url ? before : undefined;
  const made = {
    url,
    ...(old?.key !== undefined && { key: old.key }),
    ...(old?.admin_key !== undefined && { admin_key: old.admin_key }),
    ...(key !== undefined && { key }),
    ...(adminKey !== undefined && { admin_key: adminKey }),
  };
  const current = kept.current ?? name;
  writeProfiles(env, { current, profiles: { ...kept.profiles, [name]: made } });
  sayTo(terminal, options)(shown(name, { current, profiles: { [name]: made } }), () =>
    [
      `Profile ${name}, ${url}, is kept in ${profilesFile(env)}.`,
      current === name
        ? `It is in use${made.key === undefined ? '' : ': gateway chat "Hello" -m gpt-5.2'}`
        : `In use is ${current}: gateway profile use ${name}`,
    ].join('\n'),
  );
}

async function keysOf(
  terminal: Terminal,
  options: AddOptions,
): Promise<{ readonly key?: string | undefined; readonly adminKey?: string | undefined }> {
  const { key, adminKey } = options;
  if (key === '-' && adminKey === '-')
    throw misuse('Only one of --key and --admin-key can be read from standard input.');
  if (key === undefined && adminKey === undefined && canAsk(terminal, options))
    return {
      key: given(await askSecret(terminal, 'Key, sk-… (not shown; empty for none): ')),
      adminKey: given(await askSecret(terminal, "Admin key, for operators' commands (not shown; empty for none): ")),
    };
  const read = async (value: string | undefined): Promise<string | undefined> =>
    value === '-' ? given((await fromInput(terminal)).trim()) : value;
  return { key: await read(key), adminKey: await read(adminKey) };
}

async function fromInput(terminal: Terminal): Promise<string> {
  return terminal.stdin.isTTY ? askSecret(terminal, 'Key (not shown): ') : text(terminal.stdin);
}

/** Without its keys. */
function shown(name: string, { current, profiles }: Profiles) {
  const { url, key, admin_key: adminKey } = profileNamed({ profiles }, name);
  return { name, url, has_key: key !== undefined, has_admin_key: adminKey !== undefined, in_use: current === name };
}

function list(terminal: Terminal, options: JsonOption): void {
  const kept = readProfiles(terminal.env);
  const rows = Object.keys(kept.profiles).map((name) => shown(name, kept));
  const yes = (is: boolean): string => (is ? 'yes' : 'no');
  sayTo(terminal, options)(rows, (paint) =>
    rows.length === 0
      ? 'There are no profiles. gateway profile add NAME --url https://gateway.example.com makes one.'
      : table(
          ['in use', 'name', 'address', 'key', 'admin key'],
          rows.map((row) => [row.in_use ? '*' : '', row.name, row.url, yes(row.has_key), yes(row.has_admin_key)]),
          paint,
        ),
  );
}

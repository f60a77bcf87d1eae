/** `gateway migrate FILE`: the configuration of another gateway as ours. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { parse } from 'yaml';
import { ConfigError, readConfig } from '../config/config.ts';
import { faultLines } from '../config/fault.ts';
import { given } from '../config/interpolate.ts';
import { CommandFault, fileFault, misuse } from '../commands/command-fault.ts';
import type { JsonOption, TargetOptions } from '../commands/command-options.ts';
import { sayTo, table } from '../commands/output.ts';
import { clientTarget, urlOf } from '../commands/target.ts';
import { saveFile } from '../commands/result-files.ts';
import { note, type Terminal } from '../commands/terminal.ts';
import { fromBifrost } from './bifrost.ts';
import { compare } from './compare.ts';
import type { Draft } from './draft.ts';
import { KnownModels } from './known-models.ts';
import { fromLiteLlm } from './litellm.ts';
import { fromNewApi, newApiOfJson, readNewApiDatabase } from './new-api.ts';
import { fileOf } from './written.ts';

export interface ConvertOptions extends JsonOption, TargetOptions {
  /** The configuration; standard output when absent. */
  readonly out?: string;
  /** Where the values of secrets go, as lines of a `.env` file. */
  readonly secrets?: string;
  readonly force?: boolean;
  /** The other gateway, which is asked what this one is asked. */
  readonly compare?: string;
  readonly compareKey?: string;
}

interface Read {
  readonly draft: Draft;
  readonly gateway: string;
}

/** Writes the configuration, and says what is left to do; or asks both gateways the same, and says where they differ. */
export async function convert(terminal: Terminal, file: string, options: ConvertOptions): Promise<void> {
  const known = new KnownModels();
  const { draft, gateway } = read(file, known);
  if (options.compare !== undefined) return compareBoth(terminal, draft, options);
  const text = fileOf(draft, known, `${basename(file)} of ${gateway}`);
  const faults = faultsOf(text);
  await writeAll(
    [
      [options.secrets, secretsFile(draft)],
      [options.out, text],
    ],
    options.force === true,
  );
  const { accounts, models, keys, owners, notes } = draft;
  const counts = { models: models.size, accounts: accounts.size, keys: keys.length, owners: owners.length };
  if (options.json === true) {
    const variables = [...draft.secrets.keys()];
    terminal.out(
      JSON.stringify({
        from: gateway,
        ...counts,
        notes,
        faults,
        variables,
        commands: draft.commands,
        ...(options.out === undefined && { text }),
      }),
    );
    return;
  }
  if (options.out === undefined) terminal.out(text.trimEnd());
  for (const line of summary(draft, { gateway, counts, faults, options })) note(terminal, line);
}

/** Exit code 1 when callers would notice something. */
async function compareBoth(terminal: Terminal, draft: Draft, options: ConvertOptions): Promise<void> {
  const { env, exitWith } = terminal;
  const key = options.compareKey ?? given(env['COMPARE_KEY']);
  if (key === undefined)
    throw misuse('Give a key of the other gateway: --compare-key, or COMPARE_KEY of the environment.');
  const { url, key: own, where } = clientTarget(env, options);
  const theirs = { url: urlOf(options.compare ?? ''), key };
  const models = [...draft.models.values()].map(({ code, kind = 'chat' }) => ({ code, kind }));
  const result = await compare(theirs, { url, key: own }, models, (asked) => note(terminal, `asking both: ${asked}`));
  const { differences, refused, requests, ms, cost } = result;
  sayTo(terminal, options)({ ...result, same: differences.length === 0 }, (paint) =>
    [
      `${requests} requests to ${theirs.url} and ${where}. Median of an answer: ${ms.theirs} ms there, ${ms.ours} ms here.`,
      ...(cost === undefined ? [] : [`Cost as both told it: $${cost.theirs} there, $${cost.ours} here.`]),
      ...(refused.length === 0 ? [] : [`Refused by both, and so not compared: ${refused.join('; ')}.`]),
      differences.length === 0
        ? 'Callers would notice no difference.'
        : table(
            ['Asked', 'Differs', 'There', 'Here'],
            differences.map(({ where: place, what, theirs: their, ours }) => [place, what, their, ours]),
            paint,
          ),
    ].join('\n'),
  );
  if (differences.length > 0) exitWith(1);
}

function read(file: string, known: KnownModels): Read {
  const bytes = bytesOf(file);
  if (bytes.subarray(0, 15).toString() === 'SQLite format 3')
    return { draft: fromNewApi(readNewApiDatabase(file), known), gateway: 'new-api' };
  const value = valueOf(file, bytes.toString());
  if (Array.isArray(value['model_list'])) return { draft: fromLiteLlm(value, known), gateway: 'LiteLLM' };
  if (isJsonObject(value['providers'])) return { draft: fromBifrost(value, known), gateway: 'Bifrost' };
  const newApi = newApiOfJson(value);
  if (newApi.channels.length > 0) return { draft: fromNewApi(newApi, known), gateway: 'new-api' };
  throw new CommandFault(
    `${file} is none of these: the config.yaml of LiteLLM (model_list), the SQLite file or JSON of new-api (channels), the config.json of Bifrost (providers).`,
  );
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw fileFault(file, 'read', error);
  }
}

/** JSON is YAML, too. */
function valueOf(file: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    // The parser quotes the line, which may hold a secret: its first words say what is wrong and where.
    throw new CommandFault(`${file} is neither YAML nor JSON: ${(error as Error).message.split('\n')[0]}`);
  }
  if (!isJsonObject(value)) throw new CommandFault(`${file} holds no settings.`);
  return value;
}

/** Writes all of them or, where one is there, none. */
async function writeAll(
  files: readonly (readonly [file: string | undefined, text: string])[],
  isForced: boolean,
): Promise<void> {
  for (const [file] of files)
    if (file !== undefined && existsSync(file) && !isForced)
      throw new CommandFault(`${file} already exists; use --force to replace it, or choose another file name.`);
  for (const [file, text] of files) {
    if (file === undefined) continue;
    try {
      await saveFile(file, Readable.from([text]));
    } catch (error) {
      throw fileFault(file, 'written', error);
    }
  }
}

function secretsFile(draft: Draft): string {
  return [...draft.secrets].map(([variable, value]) => `${variable}=${JSON.stringify(value)}\n`).join('');
}

/** What a gateway would say of the file. Variables stand in for themselves. */
function faultsOf(text: string): readonly string[] {
  const env: Record<string, string> = { GATEWAY_CONFIG: 'the new file' };
  for (const [, name = ''] of text.matchAll(/\$\{(\w+)\}/g)) env[name] = standIn(name);
  try {
    readConfig(env, { text });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return faultLines(error.faults);
    throw error;
  }
}

function standIn(variable: string): string {
  return /URL|BASE|ENDPOINT|HOST/.test(variable) ? 'https://example.com' : `sk-${variable}-0123456789abcdef`;
}

interface Made {
  readonly gateway: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly options: ConvertOptions;
}

function summary(draft: Draft, { gateway, counts, faults, options }: Made): string[] {
  const made = Object.entries(counts).filter(([, count]) => count > 0);
  const list = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [head, ...lines.map((line) => `  - ${line}`)];
  return [
    `Read as the configuration of ${gateway}: ${made.map(([what, count]) => `${count} ${what}`).join(', ') || 'nothing that is carried over'}.`,
    ...(options.out === undefined ? [] : [`${options.out} is written.`]),
    ...(options.out === undefined ? [] : list('What differs, and what is not carried over:', draft.notes)),
    ...(options.secrets === undefined
      ? list('Set these variables (--secrets FILE writes them):', [...draft.secrets.keys()])
      : [`${options.secrets} has ${draft.secrets.size} secrets; only you can read it.`]),
    ...(options.out === undefined ? [] : list('When the gateway runs:', draft.commands)),
    ...list('The gateway does not start before this is settled:', faults),
  ];
}

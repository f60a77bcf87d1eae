/** What commands take: readings of their options, and those that several have. */
import { InvalidArgumentError, type Command } from 'commander';

/** A number of something that there is: an id, a limit. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 1.');
  return Number(text);
}

/** Quota units, also below zero. */
export function signedWhole(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('it must be a whole number of quota units.');
  return Number(text);
}

/** US dollars. */
export function amountOfDollars(text: string): number {
  if (!/^\$?\d{1,9}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('it must be US dollars such as 12.50.');
  return Number(text.replace('$', ''));
}

/** US dollars, also below zero. */
export function signedDollars(text: string): number {
  if (!text.startsWith('-')) return amountOfDollars(text);
  return -amountOfDollars(text.slice(1));
}

/** `a, b` */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Options of what is printed. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Options that name a remote gateway. */
export interface TargetOptions {
  readonly url?: string;
  readonly profile?: string;
}

/** Options of every operators' command. */
export interface OperatorOptions extends JsonOption, TargetOptions {
  /** The database of this machine, whatever profile is in use. */
  readonly local?: boolean;
}

/** What a command itself takes, and under it where it works. */
const OWN = 'Options:';
export const WHERE = 'Where:';

/** Help has a command's own options first. */
export function helpWithOwnFirst<Item>(groups: ReadonlyMap<string, Item[]>): Map<string, Item[]> {
  const isWhere = ([name]: readonly [string, Item[]]): number => (name === WHERE ? 1 : 0);
  return new Map([...groups].sort((a, b) => isWhere(a) - isWhere(b)));
}

const OPERATORS_HELP = `
Without --url, --profile or a profile in use it works on the database of this machine, that of GATEWAY_CONFIG and DATABASE_URL, whether a gateway runs or not.
Exit codes: 0 done, 1 it could not be done, 2 the command line was wrong.`;

/** Adds a command for operators: on the database of this machine, or on a gateway elsewhere through its admin API. */
export function operatorCommand(
  parent: Command,
  usage: string,
  description: string,
  how: { readonly isDefault?: boolean } = {},
): Command {
  return parent
    .command(usage, how)
    .description(description)
    .optionsGroup(WHERE)
    .option('--url <url>', 'use the gateway at this address, with the admin key in GATEWAY_ADMIN_KEY')
    .option('--profile <name>', 'use the gateway of this profile')
    .option('--local', 'use the database of this machine, even if a profile is in use')
    .optionsGroup(OWN)
    .option('--json', 'print only JSON, as the admin API answers: money in dollars and in quota units')
    .addHelpText('after', OPERATORS_HELP);
}

/** A day is its beginning, UTC. */
export function wholeTime(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

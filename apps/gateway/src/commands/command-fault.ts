/** How a command ends that could not do what it was asked: one line in the words of its options, and an exit code. */
import type { Command, CommanderError } from 'commander';
import type { ErrorCode } from '@model-gateway/contracts';

/** The command line was wrong. */
export const MISUSE = 2;
const FAILURE = 1;
/** As a shell says that a program was ended by Ctrl-C. */
export const INTERRUPTED = 130;

/** A sentence for people, and how the process ends. */
export class CommandFault extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = FAILURE) {
    super(message);
    this.name = 'CommandFault';
    this.exitCode = exitCode;
  }
}

/** A file that could not be read or written; `name` is as the person would look for it. */
export function fileFault(name: string, done: 'read' | 'written', error: unknown): CommandFault {
  return new CommandFault(`${name} cannot be ${done} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
}

/** The command line was wrong: says so in the words of its options. */
export function misuse(message: string): CommandFault {
  return new CommandFault(message, MISUSE);
}

/** What commander found wrong with the line of one command, as one line that says where to read on. */
export function faultOfLine(error: CommanderError, command: Command): CommandFault {
  const words = error.message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace('(Did you mean', '(did you mean')
    .replace(/^option '(--[\w-]+)[^']*' argument ('.*') is invalid\. /s, '$1: $2 is wrong; ')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*?)'\. /s, '<$2>: $1 is wrong; ')
    .trim();
  return new CommandFault(`${sentence(words)} See ${pathOf(command)} --help.`, MISUSE);
}

/** `gateway keys create` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Where an option has another name than the document. */
const OPTIONS: Readonly<Record<string, string>> = {
  expires_at: '--expires',
  group_by: '--by',
  owner_id: '--owner',
  ip_ranges: '--ips',
  overlap_seconds: '--overlap',
  credit_limit: '--credit',
  monthly_budget: '--budget',
  low_balance: '--low',
  amount: '--usd',
  key_id: '<id>',
  delivery_id: '<delivery-id>',
  task_id: '<task-id>',
};

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param?: string | undefined;
}

/** What a gateway refused, in the words of the options: `--expires: '2020' is not a time in the future`. */
export function faultOfRefusal({ code, message, param }: Refusal): CommandFault {
  const rest = param !== undefined && message.startsWith(param) ? message.slice(param.length) : '';
  if (code !== 'invalid_request' || param === undefined || !/^:? /.test(rest))
    return new CommandFault(sentence(message));
  const name = param.replace(/^limits\./, '').replace(/\[\d+\].*$/, '');
  const option = OPTIONS[name] ?? `--${name.replaceAll('_', '-')}`;
  return new CommandFault(sentence(`${option}${rest}`), MISUSE);
}

function sentence(text: string): string {
  const begun = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?)]$/.test(begun) ? begun : `${begun}.`;
}

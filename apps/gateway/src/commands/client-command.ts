/** What commands share that call a model: where the gateway is, which model, and what goes wrong. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Client } from '@model-gateway/client';
import { misuse } from './command-fault.ts';
import { WHERE, type JsonOption, type TargetOptions } from './command-options.ts';
import { clientTarget } from './target.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command that calls a model. */
export interface ClientOptions extends JsonOption, TargetOptions {
  readonly key?: string;
  readonly model?: string;
}

const HELP = `
The gateway is that of --url, else of --profile, MODEL_GATEWAY_URL, GATEWAY_PROFILE or the profile in use, else http://127.0.0.1:8080.
Its key is --key, MODEL_GATEWAY_API_KEY or that of the profile.`;

/** Adds a command that calls a model with a text. */
export function clientCommand(program: Command, usage: string, description: string): Command {
  return modelCommand(program, usage, description).argument('[text...]', 'the prompt; text from a pipe is added to it');
}

/** Adds a command that calls a model with what its usage names. */
export function modelCommand(program: Command, usage: string, description: string): Command {
  const command = program.command(usage).description(description);
  command.option('-m, --model <code>', 'the model; gateway models lists them');
  return whereAndJson(command).addHelpText('after', HELP);
}

/** Adds where the gateway is, with which key it is asked, and `--json`. */
export function whereAndJson(command: Command): Command {
  return command
    .optionsGroup(WHERE)
    .option('--url <url>', 'use the gateway at this address, with the key in MODEL_GATEWAY_API_KEY')
    .option('--profile <name>', 'use the gateway of this profile')
    .option('--key <key>', 'the key; other users of this machine can see it')
    .optionsGroup('Options:')
    .option('--json', 'print only JSON: the answer of the gateway');
}

/** Connects to the gateway and does the work. Rejects with a CommandFault for what the gateway refused. */
export async function withClient(
  { env }: Terminal,
  options: ClientOptions,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const target = clientTarget(env, options);
  const { callGateway } = await import('./remote-call.ts');
  await callGateway(target, 1, work);
}

/** The model that was named. Throws CommandFault. */
export function modelOf({ model }: ClientOptions, kind: string): string {
  if (model !== undefined) return model;
  throw misuse(`Say which model with -m; gateway models --kind ${kind} lists those that there are.`);
}

/** The text of the line, and below it what came through a pipe; empty when there is neither. */
export async function textOf({ stdin }: Terminal, words: readonly string[]): Promise<string> {
  const said = words.join(' ');
  const piped = stdin.isTTY ? '' : (await text(stdin)).trim();
  return [said, piped].filter((each) => each !== '').join('\n\n');
}

/** The same where there must be one. Throws CommandFault. */
export async function neededText(terminal: Terminal, words: readonly string[], command: string): Promise<string> {
  const said = await textOf(terminal, words);
  if (said !== '') return said;
  throw misuse(`Say what you want, such as gateway ${command} "a lighthouse at dusk" -m MODEL.`);
}

/** The lines of a text that have something in them. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

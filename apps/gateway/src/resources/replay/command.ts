/** `gateway replay` */
import type { Command } from 'commander';
import { amountOfDollars, operatorCommand, wholeNumber } from '../../commands/command-options.ts';
import type { Terminal } from '../../commands/terminal.ts';
import type { ReplayOptions } from './replay-work.ts';

/** Adds `gateway replay`. */
export function addReplayCommand(program: Command, terminal: Terminal): void {
  operatorCommand(program, 'replay', 'recorded requests of a key on another model: cost, time, and answers of a sample')
    .requiredOption('--key <id>', 'the key whose requests are taken', wholeNumber)
    .requiredOption('-m, --model <code>', 'the other model')
    .option('--since <time>', 'how far back, such as 12h, 1d or 2026-11-01', '1d')
    .option('--sample <n>', 'send so many of them to the other model and compare the answers', wholeNumber)
    .option('--budget <usd>', 'what the sample can cost at most, in US dollars', amountOfDollars)
    .option('--owner <id>', 'the owner who pays for the sample; the owner of the key by default', wholeNumber)
    .option('--twin', 'send the sample to simulated vendors, with a test key, which costs nothing')
    .option('--judge <code>', 'a model that compares the answers, within the same budget')
    .action(async (options: ReplayOptions) => (await import('./replay-work.ts')).replay(terminal, options));
}

/** `gateway embed` */
import type { Command } from 'commander';
import { wholeNumber } from '../../commands/command-options.ts';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import {
  clientCommand,
  linesOf,
  modelOf,
  neededText,
  withClient,
  type ClientOptions,
} from '../../commands/client-command.ts';

interface EmbedOptions extends ClientOptions {
  readonly dimensions?: number;
  readonly lines?: true;
}

/** Adds `gateway embed`. */
export function addEmbedCommand(program: Command, terminal: Terminal): void {
  clientCommand(program, 'embed', 'turn a text into a vector; with --lines each line that comes through a pipe')
    .option('--dimensions <n>', 'how many numbers a vector has; what the model makes when absent', wholeNumber)
    .option('-l, --lines', 'each line is a text of its own')
    .action((words: readonly string[], options: EmbedOptions) => embed(terminal, words, options));
}

/** A vector is a line: `[0.1,0.2]`. */
async function embed(terminal: Terminal, words: readonly string[], options: EmbedOptions): Promise<void> {
  const model = modelOf(options, 'embedding');
  const { dimensions, lines } = options;
  const said = await neededText(terminal, words, 'embed');
  const input = lines === true ? linesOf(said) : [said];
  await withClient(terminal, options, async (client) => {
    const answer = await client.embeddings.create({
      model,
      input,
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
    });
    sayTo(terminal, options)(answer, () => answer.data.map(({ embedding }) => JSON.stringify(embedding)).join('\n'));
  });
}

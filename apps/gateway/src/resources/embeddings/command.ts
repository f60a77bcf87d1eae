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
  readonly inputType?: string;
  readonly lines?: true;
  readonly outputDtype?: string;
}

/** Adds `gateway embed`. */
export function addEmbedCommand(program: Command, terminal: Terminal): void {
  clientCommand(program, 'embed', 'turn text into a vector; with --lines, each line from a pipe')
    .option(
      '--dimensions <n>',
      'how many numbers a vector has; the default of the model if you leave it out',
      wholeNumber,
    )
    .option('--input-type <purpose>', 'the purpose of the vectors: query, document, classification or clustering')
    .option(
      '--output-dtype <type>',
      'the type of the numbers: float, int8, uint8, binary or ubinary, if the model supports it',
    )
    .option('-l, --lines', 'treat each line as a separate text')
    .action((words: readonly string[], options: EmbedOptions) => embed(terminal, words, options));
}

/** A vector is a line: `[0.1,0.2]`. */
async function embed(terminal: Terminal, words: readonly string[], options: EmbedOptions): Promise<void> {
  const model = modelOf(options, 'embedding');
  const { dimensions, inputType, lines, outputDtype } = options;
  const said = await neededText(terminal, words, 'embed');
  const input = lines === true ? linesOf(said) : [said];
  await withClient(terminal, options, async (client) => {
    const answer = await client.embeddings.create({
      model,
      input,
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
      ...(inputType !== undefined && { input_type: inputType }),
      ...(outputDtype !== undefined && { output_dtype: outputDtype }),
    });
    sayTo(terminal, options)(answer, () => answer.data.map(({ embedding }) => JSON.stringify(embedding)).join('\n'));
  });
}

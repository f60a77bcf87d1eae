/** `gateway rerank` */
import type { Command } from 'commander';
import { misuse } from '../../commands/command-fault.ts';
import { wholeNumber } from '../../commands/command-options.ts';
import { sayTo, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import {
  linesOf,
  modelCommand,
  modelOf,
  textOf,
  withClient,
  type ClientOptions,
} from '../../commands/client-command.ts';

interface RerankOptions extends ClientOptions {
  readonly top?: number;
}

/** Adds `gateway rerank`. */
export function addRerankCommand(program: Command, terminal: Terminal): void {
  modelCommand(program, 'rerank <query>', 'sort documents by relevance to a query, the best first')
    .argument('[document...]', 'the documents; each line from a pipe is one, too')
    .option('--top <n>', 'how many of the best to show', wholeNumber)
    .action((query: string, written: readonly string[], options: RerankOptions) =>
      rerank(terminal, { query, written }, options),
    );
}

async function rerank(
  terminal: Terminal,
  { query, written }: { readonly query: string; readonly written: readonly string[] },
  options: RerankOptions,
): Promise<void> {
  const model = modelOf(options, 'rerank');
  const documents = [...written, ...linesOf(await textOf(terminal, []))];
  if (documents.length === 0)
    throw misuse('Say which documents, behind the query or through a pipe, one in each line.');
  await withClient(terminal, options, async (client) => {
    const answer = await client.rerank.create({
      model,
      query,
      documents,
      ...(options.top !== undefined && { top_n: options.top }),
    });
    sayTo(terminal, options)(answer, (paint) =>
      table(
        ['score', 'document'],
        answer.results.map(({ index, relevance_score: score }) => [score.toFixed(4), documents[index] ?? '']),
        paint,
      ),
    );
  });
}

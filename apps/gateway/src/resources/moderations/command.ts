/** `gateway moderate` */
import type { Command } from 'commander';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { clientCommand, neededText, withClient, type ClientOptions } from '../../commands/client-command.ts';

/** Adds `gateway moderate`. */
export function addModerateCommand(program: Command, terminal: Terminal): void {
  clientCommand(program, 'moderate', 'check whether a text is harmful, and in which way').action(
    (words: readonly string[], options: ClientOptions) => moderate(terminal, words, options),
  );
}

/** Without `-m` the gateway takes the usual model of this kind. */
async function moderate(terminal: Terminal, words: readonly string[], options: ClientOptions): Promise<void> {
  const input = await neededText(terminal, words, 'moderate');
  const { model } = options;
  await withClient(terminal, options, async (client) => {
    const answer = await client.moderations.create({ input, ...(model !== undefined && { model }) });
    sayTo(terminal, options)(answer, () =>
      answer.results
        .map(({ flagged, categories }) => (flagged ? `harmful: ${harmsIn(categories)}` : 'harmless'))
        .join('\n'),
    );
  });
}

function harmsIn(categories: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(categories)
    .filter(([, is]) => is === true)
    .map(([name]) => name)
    .join(', ');
}

/** `gateway chat` */
import type { Command } from 'commander';
import { clientCommand, modelOf, textOf, withClient, type ClientOptions } from '../../commands/client-command.ts';
import type { Terminal } from '../../commands/terminal.ts';

export interface ChatOptions extends ClientOptions {
  readonly system?: string;
  readonly conversation?: string;
}

/** Adds `gateway chat`. */
export function addChatCommand(program: Command, terminal: Terminal): void {
  clientCommand(program, 'chat', 'ask a chat model; without text, on a terminal, start a conversation')
    .option('-s, --system <text>', 'the system prompt')
    .option('-c, --conversation <file>', 'continue the conversation in this file, and save it there')
    .action((words: readonly string[], options: ChatOptions) => chat(terminal, words, options));
}

async function chat(terminal: Terminal, words: readonly string[], options: ChatOptions): Promise<void> {
  const model = modelOf(options, 'chat');
  const isTalk = words.length === 0 && terminal.stdin.isTTY;
  const said = isTalk ? '' : await textOf(terminal, words);
  const { openConversation } = await import('./conversation.ts');
  const conversation = openConversation(options);
  await withClient(terminal, options, async (client) => {
    const { answerOnce, talk } = await import('./command-work.ts');
    if (isTalk) await talk({ terminal, client, model, conversation });
    else await answerOnce({ terminal, client, model, conversation }, said, options.json === true);
  });
}

/** What `gateway chat` does: one answer, or a conversation on a terminal. */
import { createInterface } from 'node:readline/promises';
import type { Client } from '@model-gateway/client';
import { CommandFault, misuse } from '../../commands/command-fault.ts';
import { paintFor } from '../../commands/output.ts';
import { faultOfCall } from '../../commands/remote-call.ts';
import type { Terminal } from '../../commands/terminal.ts';
import type { Conversation, Message } from './conversation.ts';

export interface Chatting {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly model: string;
  readonly conversation: Conversation;
}

/** Prints the answer to a text as it comes, or with `json` the whole answer of the gateway. */
export async function answerOnce(chatting: Chatting, said: string, json: boolean): Promise<void> {
  if (said === '') throw misuse('Say what you want, such as gateway chat "What colour is a lighthouse?" -m MODEL.');
  const { terminal, client, model, conversation } = chatting;
  const question: Message = { role: 'user', content: said };
  if (!json) {
    const answer = await streamed(chatting, question);
    conversation.add(question, { role: 'assistant', content: answer });
    return;
  }
  const whole = await client.chat.create({ model, messages: [...conversation.messages, question] });
  conversation.add(question, { role: 'assistant', content: whole.choices[0]?.message.content ?? '' });
  terminal.out(JSON.stringify(whole));
}

/** Resolves with the text when it was printed. `stop` ends it early: what came so far is the answer. */
async function streamed(
  { terminal, client, model, conversation }: Chatting,
  question: Message,
  stop?: AbortSignal,
): Promise<string> {
  const { stdout } = terminal;
  const stream = client.chat.stream(
    { model, messages: [...conversation.messages, question] },
    { ...(stop !== undefined && { signal: stop }) },
  );
  let answer = '';
  try {
    for await (const piece of stream.text()) {
      answer += piece;
      stdout.write(stdout.isTTY ? harmless(piece) : piece);
    }
  } catch (error) {
    if (stop?.aborted !== true) throw error;
  } finally {
    if (answer !== '' && !answer.endsWith('\n')) stdout.write('\n');
  }
  return answer;
}

/** A model's text must not move the cursor. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

const HELP = `/model CODE   another model from here on
/clear        forget what was said
/exit         end; Ctrl-D does, too. Ctrl-C stops an answer.`;

/** Talks until the caller ends it: Ctrl-C stops an answer, or the conversation where none is coming. */
export async function talk(chatting: Chatting): Promise<void> {
  const { terminal, conversation } = chatting;
  const { stdin, stdout, stderr } = terminal;
  const paint = paintFor(stdout);
  let { model } = chatting;
  let answering: AbortController | undefined;
  const lines = createInterface({ input: stdin, output: stdout, terminal: true, prompt: paint('bold', '> ') });
  lines.on('SIGINT', () => (answering === undefined ? lines.close() : answering.abort()));
  stdout.write(`${paint('dim', `${model}; /help says what else can be typed, Ctrl-D ends`)}\n`);
  lines.prompt();
  for await (const line of lines) {
    const said = line.trim();
    const [word, name = ''] = said.split(/\s+/);
    if (word === '/exit' || word === '/quit') break;
    if (word === '/help') stdout.write(`${HELP}\n`);
    else if (word === '/clear') {
      conversation.clear();
      stdout.write(`${paint('dim', 'forgotten')}\n`);
    } else if (word === '/model' && name !== '') {
      model = name;
      stdout.write(`${paint('dim', model)}\n`);
    } else if (said.startsWith('/')) stdout.write(`${HELP}\n`);
    else if (said !== '') {
      answering = new AbortController();
      const question: Message = { role: 'user', content: said };
      try {
        const answer = await streamed({ ...chatting, model }, question, answering.signal);
        if (answer !== '') conversation.add(question, { role: 'assistant', content: answer });
      } catch (error) {
        // The conversation goes on: the next question may be answered.
        const fault = faultOfCall(error, { where: 'The gateway' });
        if (!(fault instanceof CommandFault)) throw fault;
        stderr.write(`${paintFor(stderr)('red', fault.message)}\n`);
      }
      answering = undefined;
    }
    lines.prompt();
  }
  lines.close();
  stdout.write('\n');
}

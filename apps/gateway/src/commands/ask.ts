/** Questions on a terminal. They are asked on standard error, so that a redirected result stays a result. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFault, INTERRUPTED } from './command-fault.ts';
import type { Terminal } from './terminal.ts';

/** Asks until the answer is good: `read` gives its value, or throws an Error that says what would be. Rejects at Ctrl-C and Ctrl-D. */
export async function ask<T>(terminal: Terminal, question: string, read: (answer: string) => T): Promise<T> {
  for (;;) {
    const answer = await line(terminal, question, terminal.stderr);
    try {
      return read(answer.trim());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      terminal.stderr.write(`${error.message}\n`);
    }
  }
}

/** Asks for what is not to be seen; empty when nothing was typed. Rejects at Ctrl-C and Ctrl-D. */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await line(terminal, question, nowhere);
  terminal.stderr.write('\n');
  return answer.trim();
}

async function line({ stdin, stderr }: Terminal, question: string, output: NodeJS.WritableStream): Promise<string> {
  // From here on the terminal shows nothing by itself.
  const reader = createInterface({ input: stdin, output, terminal: true });
  const stopped = Promise.withResolvers<string>();
  const stop = (): void => stopped.reject(new CommandFault('Stopped.', INTERRUPTED));
  reader.once('SIGINT', stop);
  reader.once('close', stop);
  if (output !== stderr) stderr.write(question);
  try {
    return await Promise.race([reader.question(question), stopped.promise]);
  } catch (error) {
    stderr.write('\n');
    throw error;
  } finally {
    reader.off('close', stop);
    reader.close();
  }
}

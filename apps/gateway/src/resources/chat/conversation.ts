/** What was said so far, in a file where one was named. */
import { readFileSync, writeFileSync } from 'node:fs';
import { CommandFault, fileFault } from '../../commands/command-fault.ts';

/** A type, which has the index signature that request bodies want. */
export type Message = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
};

export interface Conversation {
  readonly messages: readonly Message[];
  /** Adds what was said, and keeps it. */
  add(...said: readonly Message[]): void;
  /** Begins anew, with what the model is told first. */
  clear(): void;
}

interface ConversationOptions {
  readonly system?: string;
  readonly conversation?: string;
}

/** Opens the conversation of a file, or a new one. Throws CommandFault when the file is none. */
export function openConversation({ system, conversation: file }: ConversationOptions): Conversation {
  const told: readonly Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const kept = file === undefined ? undefined : readMessages(file);
  let messages: readonly Message[] =
    kept === undefined
      ? told
      : system === undefined
        ? kept
        : [...told, ...kept.filter(({ role }) => role !== 'system')];
  const change = (next: readonly Message[]): void => {
    messages = next;
    if (file !== undefined) writeFileSync(file, `${JSON.stringify({ messages }, undefined, 2)}\n`, { mode: 0o600 });
  };
  return {
    get messages() {
      return messages;
    },
    add: (...said) => change([...messages, ...said]),
    clear: () => change(messages.filter(({ role }) => role === 'system')),
  };
}

function readMessages(file: string): readonly Message[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileFault(`--conversation: ${file}`, 'read', error);
  }
  const read = parsed(text) as { readonly messages?: unknown } | undefined;
  if (Array.isArray(read?.messages) && read.messages.every(isMessage)) return read.messages;
  throw new CommandFault(
    `--conversation: ${file} is no conversation: it must be JSON with messages of role and content.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  const { role, content } = (value ?? {}) as Record<string, unknown>;
  return (role === 'system' || role === 'user' || role === 'assistant') && typeof content === 'string';
}

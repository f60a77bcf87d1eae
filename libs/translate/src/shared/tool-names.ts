/** Tool names a wire would refuse, renamed for one request and undone in its answer (docs/wire/chat-translation.md#tools). */
import type { ChatReply, ChatRequest } from '../conversation.ts';
import { shortHash } from './ids.ts';
import { invalid } from './read.ts';

/** More than any vendor takes: renaming a name costs as much as it is long. */
const LONGEST_NAME = 4096;

export interface ToolNames {
  /** The name as the wire takes it; the same name always gives the same answer. Throws `invalid_request` when it has more than 4,096 characters. */
  toWire(name: string): string;
  /** Wire name → caller's name, renamed ones only: `Encoded.toolNames`. */
  readonly undo: ReadonlyMap<string, string>;
}

/** `names` are all names of the request, so that no renamed one takes another's place. */
export function createToolNames(
  names: Iterable<string>,
  { maxLength = 64, allowed = /^[A-Za-z0-9_-]+$/ }: { readonly maxLength?: number; readonly allowed?: RegExp } = {},
): ToolNames {
  const fits = (name: string): boolean => name.length <= maxLength && allowed.test(name);
  const taken = new Set([...names].filter(fits));
  const wire = new Map<string, string>();
  const undo = new Map<string, string>();
  return {
    undo,
    toWire: (name) => {
      if (fits(name)) return name;
      checkLength(name);
      const known = wire.get(name);
      if (known !== undefined) return known;
      const stem = name.slice(0, maxLength - 9).replace(/[^A-Za-z0-9_-]/g, '_');
      // Google's names do not begin with a digit.
      const head = allowed.test(stem) ? stem : `t_${stem}`.slice(0, maxLength - 9);
      let renamed = `${head}_${shortHash(name)}`;
      for (let round = 1; taken.has(renamed); round += 1) renamed = `${head}_${shortHash(`${name}#${round}`)}`;
      taken.add(renamed);
      wire.set(name, renamed);
      undo.set(renamed, name);
      return renamed;
    },
  };
}

/** Every tool name a request speaks of: its tools and its history. Throws `invalid_request` when one has more than 4,096 characters. */
export function namesOf({ tools, turns }: Pick<ChatRequest, 'tools' | 'turns'>): Set<string> {
  const names = new Set<string>();
  const add = (name: string): void => {
    checkLength(name);
    names.add(name);
  };
  for (const tool of tools) if (tool.type !== 'web-search') add(tool.name);
  for (const turn of turns) {
    if (turn.role !== 'assistant') continue;
    for (const part of turn.parts) if (part.type === 'tool-call') add(part.name);
  }
  return names;
}

function checkLength({ length }: string): void {
  if (length > LONGEST_NAME)
    throw invalid('tools', `the name of a tool has ${length} characters; send at most ${LONGEST_NAME}`);
}

/** The reply with the caller's own tool names. */
export function restoreToolNames(reply: ChatReply, names: ReadonlyMap<string, string> | undefined): ChatReply {
  if (names === undefined || names.size === 0) return reply;
  return {
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, name: names.get(part.name) ?? part.name } : part,
      ),
    })),
  };
}

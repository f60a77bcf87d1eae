/** What a decoder of chat-completions streams remembers of each answer. */
import type { Citation } from '../conversation.ts';
import { newCalls, type Calls } from './stream-calls.ts';

export interface ChoiceState {
  readonly index: number;
  reasoning: number | undefined;
  /** Whether the open reasoning block has had text. */
  reasoned: boolean;
  text: number | undefined;
  refusal: number | undefined;
  audio: number | undefined;
  readonly calls: Calls;
  /** Kinds of parts seen, for the stop reason. */
  readonly kinds: Set<string>;
  readonly signatures: Set<string>;
  readonly annotations: Set<string>;
  /** Citations that came before the text they belong to. */
  waiting: Citation[];
  finish: string | undefined;
  /** Spoken answers may end with `expires_at` and no finish reason (docs/wire/openai-chat.md#stream-grammar). */
  audioDone: boolean;
}

/** An answer nothing is known of yet. */
export function newChoice(index: number): ChoiceState {
  return {
    index,
    reasoning: undefined,
    reasoned: false,
    text: undefined,
    refusal: undefined,
    audio: undefined,
    calls: newCalls(),
    kinds: new Set(),
    signatures: new Set(),
    annotations: new Set(),
    waiting: [],
    finish: undefined,
    audioDone: false,
  };
}

export function saidNothing({ kinds, calls, reasoned }: ChoiceState): boolean {
  return kinds.size === 0 && calls.list.length === 0 && !reasoned;
}

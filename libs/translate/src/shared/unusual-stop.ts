/** Endings that have no place of their own: words nobody has seen before, and calls that cannot be read. */
import type { StopReason } from '../conversation.ts';

const CUT_OFF = /length|max_?tokens|token_?limit/i;
const BAD_CALL = /(?:call|tool|function)/i;
const REFUSED =
  /filter|safety|armor|block|guard|polic|prohibit|moderat|sensitiv|refus|violat|harm|recitation|spii|risk/i;

/** What a word that is not in a dialect's table most likely says; undefined when it says nothing known. */
export function stopOfUnknown(word: string): StopReason | undefined {
  if (REFUSED.test(word)) return 'content-filter';
  if (CUT_OFF.test(word)) return 'length';
  return BAD_CALL.test(word) ? 'malformed-call' : undefined;
}

const UNREADABLE_CALL = 'The model wrote a tool call that cannot be read.';

/** Why an answer is not what was asked for, in the vendor's words or, for a call that cannot be read, in ours. */
export function explanationOf({
  stop,
  refusal,
}: {
  readonly stop: StopReason;
  readonly refusal?: string | undefined;
}): string | undefined {
  return refusal ?? (stop === 'malformed-call' ? UNREADABLE_CALL : undefined);
}

/** What is said of each cause of a loss, and how to avoid it. */
import type { CacheCause, CacheTurn } from '@model-gateway/core';

interface Words {
  readonly says: (turn: CacheTurn) => string;
  readonly advice: string;
}

const changedPlace = ({ changed }: CacheTurn): string => changed ?? 'The prompt';
const minutes = (ms: number): string => (ms < 120_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 60_000)} minutes`); // prettier-ignore

const WORDS: Readonly<Record<CacheCause, Words>> = {
  changed: {
    says: (turn) => `${changedPlace(turn)} is not what the previous request of the conversation had. The vendor read everything from there on again.`, // prettier-ignore
    advice: 'Keep the beginning of the prompt the same in each request of a conversation.',
  },
  tools_reordered: {
    says: (turn) => `The tools are the same in another order, from ${changedPlace(turn)} on. Everything behind them was read again.`, // prettier-ignore
    advice: 'Send tools in the same order in each request, for example sorted by name.',
  },
  history_trimmed: {
    says: (turn) =>
      `The conversation lost its first messages, so ${changedPlace(turn)} is another message than before.`,
    advice: 'Shorten conversations seldom and by much, rather than a little in each request.',
  },
  other_model: {
    says: () => 'The previous request of the conversation went to another model. Each model has a cache of its own.',
    advice: 'Stay with one model in a conversation.',
  },
  other_account: {
    says: () => 'The previous request went to another account. Each account has a cache of its own.',
    advice: 'Set `affinity: prefix` for the model, so that a conversation stays with one account.',
  },
  not_requested: {
    says: () => 'The vendor caches only what a request marks with `cache_control`, and no mark was sent.',
    advice:
      'Send `"cache_control": {"type": "ephemeral"}` at the top of the body, or set it for the offer with `body_fields`.',
  },
  marked_early: {
    says: () =>
      'The last `cache_control` mark is far before the end of the prompt. The vendor does not cache what comes behind it.',
    advice: 'Mark the last message too, or send `cache_control` at the top of the body.',
  },
  too_many_blocks: {
    says: () => 'The request added more blocks than the vendor looks back from a mark.',
    advice: 'Add a second `cache_control` mark at the end of the previous request.',
  },
  expired: {
    says: ({ gapMs = 0, lifetimeMs }) =>
      `The previous request came ${minutes(gapMs)} before. The vendor keeps prompts for about ${minutes(lifetimeMs)}.`,
    advice: 'Ask for the longer lifetime: `ttl: 1h` of Anthropic, `prompt_cache_retention: 24h` of OpenAI.',
  },
  at_once: {
    says: () => 'The previous request was still running. Vendors cache a prompt when its answer begins.',
    advice: 'Send the first of several similar requests alone, and the others when its answer begins.',
  },
  not_read: {
    says: () =>
      'Nothing in the prompt changed, but the vendor did not read it from its cache. Vendors do not promise to cache.',
    advice: 'Send `prompt_cache_key` to OpenAI, so that similar requests reach the same servers.',
  },
};

const INSTRUCTIONS = 'Move text that changes, such as the time, out of the instructions and into the last message.';
const TOOLS = 'Send the same tools with the same words in each request.';
const HISTORY = 'Add to the end of a conversation, and leave earlier messages as they were.';

export function adviceFor(cause: CacheCause): string {
  return WORDS[cause].advice;
}

/** What is said of one request. */
export function explain(turn: CacheTurn): { readonly explanation: string; readonly advice: string | null } {
  const { cause, previous, inputTokens, minimumTokens } = turn;
  if (cause !== undefined)
    return { explanation: WORDS[cause].says(turn), advice: cause === 'changed' ? adviceOn(turn) : adviceFor(cause) };
  if (inputTokens < minimumTokens)
    return { explanation: `The prompt is below the vendor’s minimum of ${minimumTokens} tokens.`, advice: null };
  return {
    explanation:
      previous === undefined
        ? 'This is the first request of its kind: there was nothing to read.'
        : 'Nothing was lost.',
    advice: null,
  };
}

/** By the kind of block that changed. */
function adviceOn({ changed = '' }: CacheTurn): string {
  if (/^(?:system|instructions|systemInstruction|messages\[0\])/.test(changed)) return INSTRUCTIONS;
  if (changed.startsWith('tools')) return TOOLS;
  return /^(?:messages|input|contents)/.test(changed) ? HISTORY : adviceFor('changed');
}

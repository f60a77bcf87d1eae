/** What is kept of prompts, to explain what vendors' prompt caches did. Units and promises as in ports.ts. */
import type { Tenant } from './tenant.ts';

/** A block of a prompt. */
export interface PromptBlock {
  /** `tools[3]`, `system[0]`, `messages[4].content[1]` */
  readonly place: string;
  readonly kind: 'format' | 'tools' | 'system' | 'settings' | 'messages';
  /** Keyed: it tells nothing of the block. */
  readonly hash: string;
  readonly characters: number;
}

export interface PromptChain {
  readonly blocks: readonly PromptBlock[];
  /** The last block that the request asks to keep; -1 without one. */
  readonly markedBlock: number;
  /** A mark asks for the longer time. */
  readonly isLong: boolean;
}

/** The prompt of one chat request, and what is needed to judge it. */
export interface PromptTurn {
  readonly chain: PromptChain;
  readonly upstreamModel: string;
  readonly accountId: number;
  /** Tokens of the prompt, and how many of them the vendor read from its cache. */
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly minimumTokens: number;
  readonly lifetimeMs: number;
  readonly needsMarks: boolean;
  readonly looksBack?: number | undefined;
  /** Quota units that reading a million tokens from the cache saves. */
  readonly savedPerMillion: number;
}

/** Reads the prompt of a request in steps; undefined where there is nothing to judge. */
export type PromptReading = Generator<void, PromptTurn | undefined, undefined>;

/** A prompt as keyed hashes of its blocks. Long ones keep the blocks of their middle in groups. */
export interface KeptChain {
  readonly count: number;
  /** One after another. */
  readonly hashes: string;
  /** Those of tools, to find tools that changed places. */
  readonly tools: readonly string[];
  /** The first block of the conversation. */
  readonly messagesFrom: number;
}

/** Why a vendor read less of a prompt from its cache than the conversation has in common with an earlier request. */
export type CacheCause =
  | 'changed'
  | 'tools_reordered'
  | 'history_trimmed'
  | 'other_model'
  | 'other_account'
  | 'not_requested'
  | 'marked_early'
  | 'too_many_blocks'
  | 'expired'
  | 'at_once'
  | 'not_read';

/** What a chat request read from its vendor's prompt cache, and what it could have read. */
export interface CacheTurn extends Tenant {
  readonly at: number;
  readonly id: string;
  readonly keyId: number;
  readonly session?: string | undefined;
  readonly model: string;
  readonly upstreamModel: string;
  readonly accountId: number;
  readonly chain: KeptChain;
  readonly inputTokens: number;
  readonly readTokens: number;
  /** Tokens up to the last mark; all of them where no mark is needed. */
  readonly keptTokens: number;
  /** Tokens that an earlier request had in common with this one, if they could be cached. */
  readonly couldTokens: number;
  readonly lostTokens: number;
  /** Quota units that reading the lost tokens from the cache would have saved. */
  readonly lostUnits: number;
  readonly charged: number;
  readonly minimumTokens: number;
  readonly lifetimeMs: number;
  /** The vendor caches nothing that is not marked. */
  readonly needsMarks: boolean;
  readonly ms: number;
  /** Absent: nothing was lost. */
  readonly cause?: CacheCause | undefined;
  /** The first block that is not that of the earlier request. */
  readonly changed?: string | undefined;
  /** The earlier request, and how long before it came. */
  readonly previous?: string | undefined;
  readonly gapMs?: number | undefined;
}

/** Sums of a key's chat requests of a day, by the cause of their loss; '' where nothing was lost. */
export interface CacheDay extends Tenant {
  readonly day: number;
  readonly keyId: number;
  readonly model: string;
  readonly cause: CacheCause | '';
  readonly requests: number;
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly lostTokens: number;
  readonly lostUnits: number;
  readonly charged: number;
}

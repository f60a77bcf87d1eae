/** What a prompt consists of, in the order in which vendors read and cache it, and how vendors of a wire cache prompts. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** One member of a body that is a part of the prompt. */
export interface PromptPart {
  /** As the caller's wire calls it. */
  readonly name: string;
  /** `settings` change the prompt of vendors whose rules say so; `format` is the schema of answers. */
  readonly kind: 'format' | 'tools' | 'system' | 'settings' | 'messages';
  readonly value: Json | undefined;
}

/** A prompt as far as a body has it. */
export interface PromptParts {
  readonly parts: readonly PromptPart[];
  /** The member of a message that holds its parts. */
  readonly contentName: 'content' | 'parts';
  /** The vendor is asked to keep the whole prompt. */
  readonly mark?: Json | undefined;
  /** The rest of the prompt is elsewhere: a kept response, a cached content. */
  readonly isPartial: boolean;
}

/** How vendors cache prompts (docs/wire/chat-translation.md#caching). */
export interface PromptCacheRules {
  /** Whether nothing is cached unless the request marks it. */
  readonly needsMarks: boolean;
  /** Whether another choice of tools or another way of thinking makes the messages another prompt. */
  readonly settingsCount: boolean;
  /** Shorter prompts are never cached. Tokens. */
  minimumTokens(model: string): number;
  /** How long a prompt stays cached without use. */
  readonly lifetimeMs: number;
  /** The same if the request asks for the longer time. */
  readonly longLifetimeMs: number;
  /** From a mark, the vendor looks so many blocks back for what it has cached; absent: to the beginning. */
  readonly looksBack?: number;
}

/** Members that ask a vendor to keep the prompt up to here. */
export const MARK_NAMES = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** Whether a mark asks for the longer time. */
export function isLongMark(mark: Json | undefined): boolean {
  return isJsonObject(mark) && (mark['ttl'] === '1h' || mark['ttl'] === '24h');
}

const MINUTE_MS = 60_000;

/** OpenAI's: automatic, for 5 to 10 minutes without use, or for a day if the request says so. */
export const OPENAI_PROMPT_CACHE: PromptCacheRules = {
  needsMarks: false,
  settingsCount: false,
  minimumTokens: () => 1024,
  lifetimeMs: 10 * MINUTE_MS,
  longLifetimeMs: 24 * 60 * MINUTE_MS,
};

/** The prompt of a request in one of OpenAI's formats. `members` in the order of the prompt. */
export function openAiPromptParts(body: JsonObject, members: readonly PromptPart[]): PromptParts {
  const retention = body['prompt_cache_retention'];
  return {
    parts: members,
    contentName: 'content',
    mark: retention === '24h' ? { ttl: '24h' } : (body['cache_control'] ?? undefined),
    isPartial: isSaid(body['previous_response_id']) || isSaid(body['conversation']),
  };
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

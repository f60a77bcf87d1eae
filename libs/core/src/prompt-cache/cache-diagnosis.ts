/** Why a vendor read less of a prompt from its cache than it could have: a request compared with an earlier one of the same key. */
import type { CacheCause, CacheTurn, PromptBlock, PromptTurn, RequestRow } from '../ports.ts';
import { keptChain, messageHashes, messagesFrom, sharedBlocks } from './prompt-chain.ts';

const MILLION = 1_000_000;
/** Lengths of texts tell tokens only roughly, and vendors cache in steps: smaller differences are no loss. */
const LEAST_LOST_TOKENS = 256;
const LEAST_LOST_SHARE = 0.1;
/** One message in common is chance if it is as short as a greeting. */
const TELLING_CHARACTERS = 400;
const TELLING_MESSAGES = 2;
/** Where a turn is looked at first, as shares of what was said. */
const LOOKED_AT = [0, 0.25, 0.5, 0.75, 0.999];
/** A prompt is cached when its answer begins, which takes up to so long. */
const AT_ONCE_MS = 5_000;

/** A row with its prompt. */
export type ExaminedRow = RequestRow & { readonly prompt: PromptTurn };

/** An earlier request that the vendor may have cached for this one. */
export interface Earlier {
  readonly turn: CacheTurn;
  /** Blocks at the beginning that both have. */
  readonly shared: number;
  /** Whether this request goes on with its conversation; otherwise they only begin alike. */
  readonly isSameConversation: boolean;
}

/** A turn with what was said in it, which is looked at for many requests. */
export interface KnownTurn {
  readonly turn: CacheTurn;
  readonly said: readonly string[];
}

export function knownTurn(turn: CacheTurn): KnownTurn {
  return { turn, said: messageHashes(turn.chain) };
}

/**
 * The earlier request to compare with: the longest of the same conversation with the same model, else with another model; else the one of this
 * model that begins alike for longest.
 */
export function earlierOf(row: ExaminedRow, turns: readonly KnownTurn[]): Earlier | undefined {
  const { chain, upstreamModel, accountId } = row.prompt;
  const { blocks } = chain;
  const said = new Map(
    blocks.filter(({ kind }) => kind === 'messages').map(({ hash, characters }) => [hash, characters]),
  );
  const before = turns.filter(({ turn }) => turn.at <= row.at && turn.id !== row.id);
  const isSameAccount = (turn: CacheTurn): number => Number(turn.accountId === accountId);
  const own = highest(
    before.filter((each) => goesOn(row, each, said)),
    ({ turn }) => [Number(turn.upstreamModel === upstreamModel), turn.chain.count, isSameAccount(turn), turn.at],
  );
  if (own !== undefined)
    return { turn: own.turn, shared: sharedBlocks(own.turn.chain, blocks), isSameConversation: true };
  const alike = before
    .filter(({ turn }) => turn.upstreamModel === upstreamModel)
    .map(({ turn }) => ({ turn, shared: sharedBlocks(turn.chain, blocks), isSameConversation: false }));
  const found = highest(alike, ({ turn, shared }) => [isSameAccount(turn), shared, turn.at]);
  return found === undefined || found.shared === 0 ? undefined : found;
}

/** The one whose numbers are the highest, the first number before the others. */
function highest<T>(of: readonly T[], rankOf: (each: T) => readonly number[]): T | undefined {
  let best: { readonly each: T; readonly rank: readonly number[] } | undefined;
  for (const each of of) {
    const rank = rankOf(each);
    if (best === undefined || isHigher(rank, best.rank)) best = { each, rank };
  }
  return best?.each;
}

function isHigher(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** Whether at least half of what was said in the earlier request is in this one, and enough not to be there by chance. */
function goesOn(row: ExaminedRow, { turn, said: earlier }: KnownTurn, said: ReadonlyMap<string, number>): boolean {
  // Most are other conversations: a few places tell.
  if (!LOOKED_AT.some((share) => said.has(earlier[Math.floor(share * earlier.length)] ?? ''))) return false;
  const common = earlier.filter((hash) => said.has(hash));
  if (common.length === 0 || common.length * 2 < earlier.length || said.size < earlier.length) return false;
  if (common.length >= TELLING_MESSAGES) return true;
  const isSession = row.identity?.session !== undefined && row.identity.session === turn.session;
  return isSession || (said.get(common[0] ?? '') ?? 0) >= TELLING_CHARACTERS;
}

/** What a request read, could have read and lost, and why. */
export function diagnose(row: ExaminedRow, earlier: Earlier | undefined): CacheTurn {
  const { prompt, identity } = row;
  const { chain, inputTokens, readTokens, savedPerMillion } = prompt;
  const couldTokens = earlier === undefined ? 0 : couldRead(prompt, earlier);
  const missed = Math.max(0, couldTokens - readTokens);
  const isLost = couldTokens >= prompt.minimumTokens && missed >= Math.max(LEAST_LOST_TOKENS, LEAST_LOST_SHARE * couldTokens); // prettier-ignore
  const cause = earlier === undefined || !isLost ? undefined : causeOf(row, earlier);
  const lostTokens = cause === undefined ? 0 : missed;
  return {
    ...{ at: row.at, id: row.id, ownerId: row.ownerId, mode: row.mode, keyId: row.keyId, session: identity?.session },
    ...{ model: row.model ?? '', upstreamModel: prompt.upstreamModel, accountId: prompt.accountId },
    ...{ chain: keptChain(chain), inputTokens, readTokens, keptTokens: keptTokens(prompt), couldTokens, lostTokens },
    lostUnits: Math.round((lostTokens * savedPerMillion) / MILLION),
    ...{ charged: row.charged, minimumTokens: prompt.minimumTokens, lifetimeMs: prompt.lifetimeMs },
    ...{ needsMarks: prompt.needsMarks, ms: row.ms, cause },
    changed: earlier === undefined || cause === undefined ? undefined : changedBlock(prompt, earlier),
    previous: earlier?.turn.id,
    gapMs: earlier === undefined ? undefined : row.at - earlier.turn.at,
  };
}

/** Of a conversation, all that the earlier request sent; of others, what both begin with, if the vendor was asked to keep no more than that. */
function couldRead(prompt: PromptTurn, { turn, shared, isSameConversation }: Earlier): number {
  if (isSameConversation) return Math.min(turn.inputTokens, prompt.inputTokens);
  const common = tokensUpTo(prompt, shared);
  return turn.needsMarks && turn.keptTokens > common + LEAST_LOST_TOKENS ? 0 : common;
}

/** Tokens of so many blocks, by the share of their characters. */
function tokensUpTo({ chain: { blocks }, inputTokens }: PromptTurn, count: number): number {
  const all = charactersIn(blocks);
  return all === 0 ? 0 : Math.round((inputTokens * charactersIn(blocks.slice(0, count))) / all);
}

function charactersIn(blocks: readonly PromptBlock[]): number {
  return blocks.reduce((sum, { characters }) => sum + characters, 0);
}

function keptTokens(prompt: PromptTurn): number {
  return prompt.needsMarks ? tokensUpTo(prompt, prompt.chain.markedBlock + 1) : prompt.inputTokens;
}

/** The first cause that applies: what makes every later one meaningless comes first. */
function causeOf(row: ExaminedRow, earlier: Earlier): CacheCause | undefined {
  const { prompt } = row;
  const { turn, shared, isSameConversation } = earlier;
  const { chain, needsMarks } = prompt;
  const isUnmarked = needsMarks && turn.keptTokens === 0;
  if (turn.upstreamModel !== prompt.upstreamModel) return 'other_model';
  if (isUnmarked) return chain.markedBlock < 0 ? 'not_requested' : undefined;
  if (turn.accountId !== prompt.accountId) return 'other_account';
  const gap = row.at - turn.at;
  if (isSameConversation && shared < turn.chain.count && !isOnlyEnd(prompt, earlier)) return changeOf(prompt, earlier);
  if (gap > turn.lifetimeMs) return 'expired';
  if (gap < Math.min(turn.ms, AT_ONCE_MS)) return 'at_once';
  if (needsMarks && chain.markedBlock < 0) return 'not_requested';
  if (needsMarks && prompt.readTokens + LEAST_LOST_TOKENS >= turn.keptTokens && turn.keptTokens < turn.inputTokens)
    return 'marked_early';
  if (prompt.looksBack !== undefined && chain.markedBlock - turn.chain.count >= prompt.looksBack)
    return 'too_many_blocks';
  return 'not_read';
}

/** Whether the vendor could read nearly all of the earlier prompt although its end was changed. */
function isOnlyEnd(prompt: PromptTurn, { turn, shared }: Earlier): boolean {
  const lost = Math.min(turn.inputTokens, prompt.inputTokens) - tokensUpTo(prompt, shared);
  return lost < Math.max(LEAST_LOST_TOKENS, LEAST_LOST_SHARE * turn.inputTokens);
}

function changeOf({ chain: { blocks } }: PromptTurn, { turn, shared }: Earlier): CacheCause {
  const tools = blocks.filter(({ kind }) => kind === 'tools').map(({ hash }) => hash);
  const kind = blocks[shared]?.kind;
  if (kind === 'tools' && sameSet(tools, turn.chain.tools)) return 'tools_reordered';
  const first = messagesFrom(blocks);
  const earlier = messageHashes(turn.chain);
  // What was said later in the earlier request now comes first.
  if (kind === 'messages' && shared >= first && earlier.indexOf(blocks[shared]?.hash ?? '') > shared - first)
    return 'history_trimmed';
  return 'changed';
}

function sameSet(some: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return some.length === others.length && some.every((each) => known.has(each));
}

/** The first block that differs, or the place of one that is there no more; undefined if none does. */
function changedBlock(
  { chain: { blocks } }: PromptTurn,
  { turn, shared, isSameConversation }: Earlier,
): string | undefined {
  if (!isSameConversation || shared >= turn.chain.count) return undefined;
  const found = blocks[shared];
  const tools = blocks.filter(({ kind }) => kind === 'tools').length;
  const removedTools = turn.chain.tools.length - tools;
  if (removedTools > 0 && found?.kind !== 'tools' && shared >= tools) return `tools[${tools}]`;
  // Fewer instructions than before: the conversation stands where one of them was.
  if (turn.chain.messagesFrom - removedTools > messagesFrom(blocks) && found?.kind !== 'tools')
    return blocks.findLast(({ kind }) => kind === 'system')?.place ?? 'system';
  return found?.place;
}

/** `cache_control`, towards the wire (docs/wire/chat-translation.md#caching). */
import type { JsonObject } from '@model-gateway/contracts';
import type { CacheMark, ChatRequest, Turn, UserPart } from '../conversation.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { at } from '../shared/read.ts';

/** Anthropic keeps four marks of a request. */
const MOST_MARKS = 4;

/** `{cache_control: …}` for a block, or nothing. Other vendors' times become the nearer of five minutes and one hour. */
export function writeCacheMark(mark: CacheMark | undefined, place: string, dropped: DroppedList): JsonObject {
  if (mark === undefined) return {};
  if (mark.ttl === undefined) return { cache_control: { type: 'ephemeral' } };
  if (mark.ttl === '5m' || mark.ttl === '1h') return { cache_control: { type: 'ephemeral', ttl: mark.ttl } };
  const ttl = /^(?:[1-5]?\d)m$|^\d+s$/.test(mark.ttl) ? '5m' : '1h';
  dropped.add(at(place, 'ttl'), `caches last 5m or 1h here, not ${mark.ttl.slice(0, 12)}: sent as ${ttl}`);
  return { cache_control: { type: 'ephemeral', ttl } };
}

/** Takes the earliest marks out where there are more than the vendor takes: the later ones cover what they covered. */
export function limitCacheMarks(blocks: readonly JsonObject[], room: number, dropped: DroppedList): void {
  const marked = blocks.filter((block) => block['cache_control'] !== undefined);
  const most = Math.min(room, MOST_MARKS);
  if (marked.length <= most) return;
  dropped.add('cache_control', `at most ${MOST_MARKS} cache marks; the last ${most} are kept`);
  for (const block of marked.slice(0, marked.length - most)) delete block['cache_control'];
}

/**
 * The request with the stable beginning of its conversation marked: the orders or tools that all its requests share, and everything
 * up to now, which the next one repeats. Undefined where the caller has marks of its own, and for a first turn: one that is never
 * repeated would pay for what nobody reads.
 */
export function withCacheMarks(request: ChatRequest): ChatRequest | undefined {
  const { system, tools, turns } = request;
  if (!turns.some(({ role }) => role === 'assistant') || hasMarks(request)) return undefined;
  const last = turns.findLastIndex(({ role }) => role === 'user');
  const turn = turns[last];
  if (turn?.role !== 'user') return undefined;
  const at = turn.parts.findLastIndex(isMarkable);
  if (at < 0) return undefined;
  const order = system.findLastIndex(isMarkable);
  const tool = order < 0 ? tools.findLastIndex(({ type }) => type === 'function') : -1;
  return {
    ...request,
    system: marked(system, order),
    tools: marked(tools, tool),
    turns: turns.with(last, { ...turn, parts: marked(turn.parts, at) }),
  };
}

function marked<T extends object>(items: readonly T[], index: number): readonly T[] {
  return items.map((item, each) => (each === index ? { ...item, cache: {} } : item));
}

function hasMarks({ system, tools, turns, autoCache }: ChatRequest): boolean {
  const isMarked = (item: object): boolean => 'cache' in item && item.cache !== undefined;
  const isTurnMarked = ({ parts }: Turn): boolean => parts.some(isMarked);
  return autoCache !== undefined || system.some(isMarked) || tools.some(isMarked) || turns.some(isTurnMarked);
}

/** An empty text takes no mark. */
function isMarkable(part: UserPart): boolean {
  switch (part.type) {
    case 'text':
      return part.text !== '';
    case 'image':
    case 'document':
    case 'tool-result':
      return true;
    default:
      return false;
  }
}

/** The least tokens that Anthropic caches, by the models that have more than 1,024. */
const LEAST_CACHED: readonly (readonly [RegExp, number])[] = [
  [/haiku-(?:4-5|[5-9])|opus-(?:4-[5-9]|[5-9])/, 4096],
  [/sonnet-(?:4-6|[5-9])|haiku/, 2048],
];

/** Prompts with fewer tokens are not cached. */
export function leastCachedTokens(model: string): number {
  return LEAST_CACHED.find(([models]) => models.test(model))?.[1] ?? 1024;
}

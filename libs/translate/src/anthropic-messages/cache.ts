/** `cache_control`, towards the wire (docs/wire/chat-translation.md#caching). */
import type { JsonObject } from '@model-gateway/contracts';
import type { CacheMark } from '../conversation.ts';
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

/** One reply of two requests: the vendor paused, was sent its own words back, and went on. */
import type { Usage } from '@model-gateway/contracts';
import type { ChatReply } from '../conversation.ts';

/** Parts one behind the other under the first id; usage summed, because each request is billed. */
export function joinReplies(before: ChatReply, next: ChatReply): ChatReply {
  const [head, tail] = [before.choices[0], next.choices[0]];
  const usage = addUsage(before.usage, next.usage);
  return {
    ...next,
    ...(before.id !== undefined && { id: before.id }),
    choices:
      head === undefined || tail === undefined ? next.choices : [{ ...tail, parts: [...head.parts, ...tail.parts] }],
    ...(usage !== undefined && { usage }),
  };
}

/** The sum of the counts of two requests; a count that only one has stays. */
export function addUsage(before: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  const sum: Record<string, number | boolean | undefined> = { ...before };
  for (const [name, count] of Object.entries(next) as [string, number | boolean][]) {
    const was = sum[name];
    if (typeof was === 'number' && typeof count === 'number') sum[name] = was + count;
    else if (was !== true) sum[name] = count;
  }
  return sum;
}

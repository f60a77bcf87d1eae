import type { Markers } from '../core/markers.ts';
import { seedOf } from '../core/seed.ts';
import type { Stage } from '../core/stage.ts';
import type { Talk } from './talk.ts';

const SHORTEST = 1024;
const REMEMBERED = 50_000;

/** Notes a prefix of a prompt; true when it was met before. */
export function metBefore(stage: Stage, prefix: string): boolean {
  const key = `${prefix.length} ${seedOf(prefix)}`;
  if (stage.seenPrefixes.has(key)) return true;
  if (stage.seenPrefixes.size >= REMEMBERED) stage.seenPrefixes.clear();
  stage.seenPrefixes.add(key);
  return false;
}

/** Tokens an automatic prompt cache saves: none for short prompts, all full blocks of 128 when the same beginning was met before. */
export function cachedTokens(stage: Stage, talk: Talk, input: number, markers: Markers): number {
  const asked = Number(markers.words.get('cached'));
  if (Number.isInteger(asked)) return Math.min(asked, input);
  if (input < SHORTEST) return 0;
  const beginning = `${talk.model}\n${talk.system}\n${talk.turns[0]?.text ?? ''}`.slice(0, SHORTEST * 4);
  return metBefore(stage, beginning) ? Math.floor((input - 1) / 128) * 128 : 0;
}

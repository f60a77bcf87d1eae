/** What is asked in simulations of chats. Not part of the product (npm run verify -- simulate). */
import { seededRandom } from '../../../paid/testing/simulated-time.ts';
import type { Question } from './simulation.ts';

const BYTES_PER_TOKEN = 4;

/** Questions that come by chance, so many a second on average, each of its own. */
export function steadily(options: {
  readonly seconds: number;
  readonly perSecond: number;
  readonly tokens: number;
  readonly stream?: boolean;
  readonly seed?: number;
}): readonly Question[] {
  const { seconds, perSecond, tokens, stream = true, seed = 1 } = options;
  const random = seededRandom(seed + 100);
  const questions: Question[] = [];
  for (let at = gap(random, perSecond); at < seconds; at += gap(random, perSecond))
    questions.push({ at, stream, turns: [textOf(`question ${questions.length}`, tokens)] });
  return questions;
}

/** Conversations that begin with a long text of their own and go on at intervals until the end. */
export function conversations(options: {
  readonly count: number;
  readonly seconds: number;
  readonly everySeconds: number;
  readonly tokens: number;
  readonly seed?: number;
}): readonly Question[] {
  const { count, seconds, everySeconds, tokens, seed = 1 } = options;
  const random = seededRandom(seed + 200);
  return Array.from({ length: count }, (_, index) => {
    const name = `conversation ${index}`;
    const turns = [textOf(name, tokens)];
    const questions: Question[] = [];
    for (let at = random() * everySeconds; at < seconds; at += everySeconds * (0.7 + 0.6 * random())) {
      questions.push({ at, name, turns: [...turns] });
      turns.push(textOf(`answer ${turns.length}`, 60), textOf(`and then ${turns.length}?`, 20));
    }
    return questions;
  }).flat();
}

/** The same few questions again and again, the popular ones oftener (by Zipf). */
export function popular(options: {
  readonly count: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly tokens: number;
  readonly seed?: number;
}): readonly Question[] {
  const { count, seconds, perSecond, tokens, seed = 1 } = options;
  const random = seededRandom(seed + 300);
  const weights = Array.from({ length: count }, (_, rank) => 1 / (rank + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const questions: Question[] = [];
  for (let at = gap(random, perSecond); at < seconds; at += gap(random, perSecond)) {
    let left = random() * all;
    const rank = weights.findIndex((weight) => (left -= weight) < 0);
    questions.push({ at, turns: [textOf(`popular ${rank}`, tokens)], name: `popular ${rank}` });
  }
  return questions;
}

/** One question, so many times within a second. */
export function stampede(count: number, tokens: number, at = 1): readonly Question[] {
  return Array.from({ length: count }, (_, index) => ({
    at: at + index / count,
    turns: [textOf('what everybody asks', tokens)],
  }));
}

function gap(random: () => number, perSecond: number): number {
  return -Math.log(1 - random()) / perSecond;
}

/** A text of about so many tokens that begins with a name and is like no other. */
function textOf(name: string, tokens: number): string {
  return `${name}: `.padEnd(tokens * BYTES_PER_TOKEN, `${name} and more of it; `);
}

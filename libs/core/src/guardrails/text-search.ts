/** Looks texts through without making others wait: short ones here and in turns, long ones in a thread. */
import { setImmediate } from 'node:timers/promises';
import type { FoundInTexts, ScanThread } from './scan-thread.ts';
import type { LookedText, Match, Scanner } from './scanner.ts';

/** With more characters the thread does it. */
const MOST_HERE = 32 * 1024;
/** Characters of all texts of a request or an answer: several times what any model takes. */
export const MOST_LOOKED_AT = 32 * 1024 * 1024;
/** Milliseconds before others have a turn. */
const TURN_MS = 10;
/** Milliseconds of work without a thread. */
const LONGEST_MS = 20_000;

/** What is found in each text, at once where that is soon; undefined where they could not be looked through. */
export function findInTexts(
  scanner: Scanner,
  texts: readonly LookedText[],
  { thread, ownerId }: { readonly thread: ScanThread | undefined; readonly ownerId: number },
): FoundInTexts | Promise<FoundInTexts | undefined> {
  const size = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (size > MOST_LOOKED_AT) return Promise.resolve(undefined);
  if (thread !== undefined && (size > MOST_HERE || (scanner.isSlow && size > 0)))
    return thread.find(scanner.guardrails, texts, ownerId);
  const search = new SearchInTurns(scanner, texts);
  return search.goOn() ?? search.inTurns();
}

class SearchInTurns {
  private readonly scanner: Scanner;
  private readonly texts: readonly LookedText[];
  private readonly found: (readonly Match[])[] = [];
  private steps: Generator<undefined, readonly Match[]> | undefined;

  constructor(scanner: Scanner, texts: readonly LookedText[]) {
    this.scanner = scanner;
    this.texts = texts;
  }

  /** Goes on for a turn; what was found once that is all. */
  goOn(): FoundInTexts | undefined {
    const until = performance.now() + TURN_MS;
    while (this.found.length < this.texts.length) {
      const { text, ...looking } = this.texts[this.found.length] as LookedText;
      this.steps ??= this.scanner.steps(text, looking);
      const { done, value } = this.steps.next();
      if (done === true) {
        this.found.push(value);
        this.steps = undefined;
      }
      if (performance.now() > until) break;
    }
    return this.found.length < this.texts.length ? undefined : this.found;
  }

  async inTurns(): Promise<FoundInTexts | undefined> {
    const until = performance.now() + LONGEST_MS;
    for (;;) {
      await setImmediate();
      const found = this.goOn();
      if (found !== undefined) return found;
      if (performance.now() > until) return undefined;
    }
  }
}

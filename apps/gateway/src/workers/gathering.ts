/** One question to all workers, and their answers. */
import type { Question } from './messages.ts';
import type { Slot } from './slots.ts';

/** A worker that hangs holds nobody up for longer. */
const LONGEST_MS = 2_000;

export interface Answer {
  readonly worker: number;
  readonly answer: unknown;
}

export interface Gathering {
  /** Resolves with the answers of those who gave one. */
  ask(slots: readonly Slot[], question: Question): Promise<readonly Answer[]>;
  answered(slot: Slot, id: number, answer: unknown): void;
  /** Nothing comes from there any more. */
  gone(slot: Slot): void;
}

interface Asked {
  readonly open: Set<Slot>;
  readonly answers: Answer[];
  readonly end: () => void;
}

/** Makes the questions of the primary. */
export function createGathering(): Gathering {
  const asked = new Map<number, Asked>();
  let last = 0;
  const close = ({ open, end }: Asked, slot: Slot): void => {
    open.delete(slot);
    if (open.size === 0) end();
  };
  return {
    ask(slots, question) {
      const id = ++last;
      const open = new Set(slots.filter(({ isReady }) => isReady));
      const answers: Answer[] = [];
      if (open.size === 0) return Promise.resolve(answers);
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(limit);
          asked.delete(id);
          resolve(answers);
        };
        const limit = setTimeout(end, LONGEST_MS);
        asked.set(id, { open, answers, end });
        for (const slot of open) slot.send({ kind: 'ask', id, question });
      });
    },
    answered(slot, id, answer) {
      const found = asked.get(id);
      if (found?.open.has(slot) !== true) return;
      found.answers.push({ worker: slot.number, answer });
      close(found, slot);
    },
    gone(slot) {
      for (const found of [...asked.values()]) if (found.open.has(slot)) close(found, slot);
    },
  };
}

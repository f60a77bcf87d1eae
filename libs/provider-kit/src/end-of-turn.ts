let waiting: (() => void)[] = [];

function run(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}

/**
 * Does it at the end of this turn of the event loop, together with all that waits for the same. Under load one turn brings many requests
 * and replies; step by step for all of them costs a fraction less than one after the other from end to end: their code stays at hand, and
 * what they write leaves together. A turn takes microseconds when there is little to do. `work` must not throw.
 */
export function atEndOfTurn(work: () => void): void {
  if (waiting.length === 0) setImmediate(run);
  waiting.push(work);
}

/** Long work on the event loop, one slice a turn whoever it is for: what else is to be done comes in between. */
interface Work {
  readonly steps: Generator<void, unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const sliced: Work[] = [];

/** Runs the steps to their end, each in a turn of its own and in turns with other such work; resolves with what they return. */
export function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  return new Promise((resolve, reject) => {
    sliced.push({ steps, resolve: (value) => resolve(value as T), reject });
    if (sliced.length === 1) setImmediate(turn);
  });
}

function turn(): void {
  const work = sliced.shift();
  if (work === undefined) return;
  try {
    const { done, value } = work.steps.next();
    if (done === true) work.resolve(value);
    else sliced.push(work);
  } catch (error) {
    work.reject(error);
  }
  if (sliced.length > 0) setImmediate(turn);
}

/** Long work on the event loop, one slice a turn whoever it is for: what else is to be done comes in between. */

interface Work {
  readonly steps: Generator<void, unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const waiting: Work[] = [];

/** Runs the steps to their end, each in a turn of its own and in turns with other such work; resolves with what they return. */
export function inSlices(steps: Generator<void, unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    waiting.push({ steps, resolve, reject });
    if (waiting.length === 1) setImmediate(turn);
  });
}

function turn(): void {
  const work = waiting.shift();
  if (work === undefined) return;
  try {
    const { done, value } = work.steps.next();
    if (done === true) work.resolve(value);
    else waiting.push(work);
  } catch (error) {
    work.reject(error);
  }
  if (waiting.length > 0) setImmediate(turn);
}

/** Waiting for the end of a task: by its events when somebody watches the progress, by long polls otherwise. */
import { ApiError, ClientError, ConnectionError, StreamError, TaskFailedError } from './errors.ts';
import { startDeadline, type RequestOptions } from './transport.ts';

export interface WaitOptions<Task> {
  readonly signal?: AbortSignal;
  /** Called with the record now and at every change of its status or progress. */
  readonly onProgress?: (task: Task) => void;
  /** Milliseconds until the wait is given up with a TimeoutError; without it, as long as the task takes. The task itself goes on. */
  readonly timeoutMs?: number;
  /** Milliseconds of an unreachable gateway that the wait outlives; two minutes without it. */
  readonly patienceMs?: number;
}

/** How one kind of task is watched. */
export interface Watched<Task> {
  readonly id: string;
  /** Reads the task; with `seconds`, as soon as it has ended and at the latest after so long. */
  look(seconds: number, options: RequestOptions): PromiseLike<Task>;
  /** The task now, then at every change, until its end. */
  follow?(options: RequestOptions): AsyncIterable<Task>;
  /** Undefined while it runs; '' when it succeeded; otherwise why it failed. */
  outcome(task: Task): string | undefined;
  /** What must change for `onProgress` to be called. */
  mark(task: Task): string;
  /** The least time between two looks; a second without it. */
  readonly leastPauseMs?: number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const LONG_POLL_SECONDS = 30;
const SHORT_POLL_SECONDS = 2;
const LEAST_PAUSE_MS = 1000;
const PATIENCE_MS = 120_000;

/** Resolves with the task that succeeded. Throws TaskFailedError, TimeoutError (each with the task's id), or the signal's reason. */
export async function waitFor<Task>(watched: Watched<Task>, options: WaitOptions<Task> = {}): Promise<Task> {
  const { onProgress, patienceMs = PATIENCE_MS } = options;
  const deadline = startDeadline(options.timeoutMs, options.signal);
  const { signal } = deadline;
  let follows = onProgress !== undefined && watched.follow !== undefined;
  let mark: string | undefined;
  let failingSince: number | undefined;

  /** True when it succeeded. */
  const seen = (task: Task): boolean => {
    failingSince = undefined;
    const fresh = watched.mark(task);
    if (fresh !== mark) onProgress?.(task);
    mark = fresh;
    const outcome = watched.outcome(task);
    if (outcome !== undefined && outcome !== '') throw new TaskFailedError(outcome, task);
    return outcome === '';
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      const started = performance.now();
      try {
        if (follows && watched.follow !== undefined) {
          // A stream that breaks or is kept back would be so again: from then on the task is looked at.
          follows = false;
          for await (const task of watched.follow({ signal })) if (seen(task)) return task;
        } else {
          const task = await watched.look(onProgress === undefined ? LONG_POLL_SECONDS : SHORT_POLL_SECONDS, {
            signal,
          });
          if (seen(task)) return task;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw error;
        failingSince ??= performance.now();
        if (performance.now() - failingSince > patienceMs) throw error;
      }
      // A gateway that answers at once must not be asked in a tight loop.
      const spent = performance.now() - started;
      const least = watched.leastPauseMs ?? LEAST_PAUSE_MS;
      if (spent < least) await watched.sleep(least - spent, signal);
    }
  } catch (error) {
    if (error instanceof ClientError) error.taskId = watched.id;
    throw error;
  } finally {
    deadline.stop();
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof StreamError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429) && error.status !== 501;
}

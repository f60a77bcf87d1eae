import { describe, expect, it, vi } from 'vitest';
import { apiErrorOf, ConnectionError, TaskFailedError, TimeoutError } from './errors.ts';
import { waitFor, type Watched } from './wait-for-video.ts';

interface Task {
  readonly state: string;
  readonly progress: number;
}
type Step = Task | Error;

/** A task whose looks are written down; pauses take no time. */
function watch(steps: readonly Step[], events?: readonly Step[]) {
  const looks: number[] = [];
  const pauses: number[] = [];
  let at = 0;
  const watched: Watched<Task> = {
    id: 'task_1',
    look: async (seconds) => {
      looks.push(seconds);
      const step = steps[Math.min(at++, steps.length - 1)];
      if (step === undefined || step instanceof Error) throw step ?? new Error('no step');
      return step;
    },
    ...(events !== undefined && {
      follow: async function* () {
        for (const event of events) {
          if (event instanceof Error) throw event;
          yield event;
        }
      },
    }),
    outcome: ({ state }) => (state === 'done' ? '' : state === 'failed' ? 'the output was refused' : undefined),
    mark: ({ state, progress }) => `${state} ${progress}`,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      pauses.push(ms);
    },
  };
  return { watched, looks, pauses };
}
const at = (progress: number, state = 'running'): Task => ({ state, progress });
const DONE = at(100, 'done');
const down = apiErrorOf(503, new Headers(), {});
const gone = new ConnectionError('refused');

describe('waiting', () => {
  it('looks with long waits until the end', async () => {
    const { watched, looks } = watch([at(0), at(50), DONE]);
    expect(await waitFor(watched)).toBe(DONE);
    expect(looks).toEqual([30, 30, 30]);
  });

  it('never asks in a tight loop, even a gateway that does not wait', async () => {
    const { watched, pauses } = watch([at(0), at(50), DONE]);
    await waitFor(watched);
    expect(pauses).toHaveLength(2);
    for (const pause of pauses) expect(pause).toBeGreaterThan(900);
  });

  it('throws a failed task with its reason and record', async () => {
    const failed = at(40, 'failed');
    const error = await waitFor(watch([at(0), failed]).watched).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect(error).toMatchObject({ message: 'the output was refused', task: failed, taskId: 'task_1' });
  });

  it('follows the events when the progress is wanted, and tells each change once', async () => {
    const { watched, looks } = watch([], [at(0), at(0), at(50), DONE]);
    const onProgress = vi.fn();
    expect(await waitFor(watched, { onProgress })).toBe(DONE);
    expect(onProgress.mock.calls).toEqual([[at(0)], [at(50)], [DONE]]);
    expect(looks).toEqual([]);
  });

  it.each([
    { name: 'break', events: [at(0), gone] },
    { name: 'end too early', events: [at(0)] },
    { name: 'never come', events: [] },
  ])('looks at the task when its events $name', async ({ events }) => {
    const { watched, looks } = watch([at(0), at(70), DONE], events);
    const onProgress = vi.fn();
    expect(await waitFor(watched, { onProgress })).toBe(DONE);
    expect(onProgress.mock.calls).toEqual([[at(0)], [at(70)], [DONE]]);
    expect(looks).toEqual([2, 2, 2]);
  });

  it('tells progress by looking where there are no events', async () => {
    const onProgress = vi.fn();
    await waitFor(watch([at(0), at(50), DONE]).watched, { onProgress });
    expect(onProgress.mock.calls).toEqual([[at(0)], [at(50)], [DONE]]);
  });

  it('outlives a gateway that is away for a while', async () => {
    const { watched, looks } = watch([at(0), gone, down, at(90), DONE]);
    expect(await waitFor(watched)).toBe(DONE);
    expect(looks).toHaveLength(5);
  });

  it('but not for longer than its patience', async () => {
    await expect(waitFor(watch([at(0), gone]).watched, { patienceMs: -1 })).rejects.toBe(gone);
    expect(gone.taskId).toBe('task_1');
  });

  it.each([400, 401, 404, 501])('does not outlive a %d', async (status) => {
    const error = apiErrorOf(status, new Headers(), {});
    await expect(waitFor(watch([error, DONE]).watched)).rejects.toBe(error);
    expect(error.taskId).toBe('task_1');
  });

  it('stops with the reason of the signal', async () => {
    const reason = new Error('enough');
    await expect(waitFor(watch([at(0)]).watched, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const { watched } = watch([at(0)]);
    const call = waitFor({ ...watched, sleep: async () => controller.abort(reason) }, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
  });

  it('gives up after its time with a TimeoutError', async () => {
    const { watched } = watch([at(0)]);
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5)));
    const error = await waitFor({ ...watched, sleep }, { timeoutMs: 30 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ taskId: 'task_1' });
  });

  it('lets an error of onProgress through', async () => {
    const broken = new Error('my own bug');
    const onProgress = (): never => {
      throw broken;
    };
    await expect(waitFor(watch([at(0)]).watched, { onProgress })).rejects.toBe(broken);
  });
});

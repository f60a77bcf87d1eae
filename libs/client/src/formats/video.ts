/** The events of a video task: its record, at every change. */
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type Task = Schemas['VideoTask'];

export const taskFormat: StreamFormat<Task, Task> = {
  parse: ({ data }) => (JSON.parse(data) as Schemas['VideoTaskEvent']).data,
  textOf: () => '',
  sum() {
    let last: Task | undefined;
    return {
      add(task) {
        last = task;
      },
      whole: () => (last?.status === 'SUCCESS' || last?.status === 'FAILURE' ? last : undefined),
    };
  },
};

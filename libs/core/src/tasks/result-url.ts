/** Where the result of a task can be fetched. */
import type { TaskRecord } from '../ports.ts';
import type { TaskParts } from './types.ts';

const KEEP_HOURS = 168;

/** Makes what gives the address of a result: the vendor's link, or our own when the file is kept here or its link needs the vendor's key; empty before SUCCESS. */
export function createResultUrls({ links, settings }: Pick<TaskParts, 'links' | 'settings'>) {
  /** Our own address of a finished file; the same for the whole life of the task. */
  const own = (task: TaskRecord): string => {
    const ended = Math.floor((task.finishTime ?? task.createdAt) / 1000);
    const expiresAt = ended + (settings.keepFilesHours ?? KEEP_HOURS) * 3600;
    const copy = settings.copyResults === true ? task.files[0]?.fileId : undefined;
    return copy === undefined ? links.link('video', task.id, expiresAt) : links.link('file', copy, expiresAt);
  };
  return (task: TaskRecord): string => {
    const file = task.files[0];
    if (task.state !== 'SUCCESS' || file === undefined) return '';
    if (file.fileId !== undefined || file.credentialed === true || file.url === undefined) return own(task);
    return file.url;
  };
}

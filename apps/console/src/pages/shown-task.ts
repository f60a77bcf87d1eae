/** A task as the console shows it, from either of the two forms that the gateway has. */
import type { Schemas } from '../api/api.ts';

export interface ShownTask {
  readonly id: string;
  readonly kind: string;
  readonly model: string;
  readonly status: string;
  /** Percent. */
  readonly progress: number;
  readonly prompt: string;
  readonly failure: string;
  readonly account: string | undefined;
  readonly ownerId: number;
  /** Quota units. */
  readonly quota: number;
  readonly at: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly isOpen: boolean;
}

const isOpen = (status: string): boolean => status !== 'SUCCESS' && status !== 'FAILURE';
const fromSeconds = (seconds: number): string | null => (seconds === 0 ? null : new Date(seconds * 1000).toISOString());

export function ownTask(task: Schemas['VideoTask']): ShownTask {
  return {
    id: task.task_id,
    kind: 'video',
    model: task.properties.origin_model_name,
    status: task.status,
    progress: Number.parseInt(task.progress, 10),
    prompt: task.properties.input,
    failure: task.fail_reason,
    account: undefined,
    ownerId: task.user_id,
    quota: task.quota,
    at: fromSeconds(task.submit_time) ?? '',
    startedAt: fromSeconds(task.start_time),
    endedAt: fromSeconds(task.finish_time),
    isOpen: isOpen(task.status),
  };
}

export function adminTask(task: Schemas['AdminTask']): ShownTask {
  return {
    id: task.id,
    kind: task.kind,
    model: task.model,
    status: task.status,
    progress: task.progress,
    prompt: '',
    failure: task.fail_reason,
    account: task.account,
    ownerId: task.owner_id,
    quota: task.quota,
    at: task.created_at,
    startedAt: task.start_time,
    endedAt: task.finish_time,
    isOpen: isOpen(task.status),
  };
}

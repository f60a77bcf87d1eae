/** Tasks that are open, as the gateway tells of them: each event changes what is shown, and nothing is asked for again. */
import { useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followTask } from '../playground/read-events.ts';
import type { Page } from '../ui/list.tsx';
import type { Schemas } from '../api/api.ts';

/** A browser has six connections to a gateway without HTTP/2; some are left for what people do. */
const MOST_FOLLOWED = 3;

/** Whose tasks a session may follow: those of its key's owner. */
export type Follower = { readonly owner_id: number } | null;

/** The newest open tasks of a list, which can be followed at once. */
export function followed(tasks: readonly ShownTask[], follower: Follower): readonly ShownTask[] {
  return tasks.filter((task) => mayFollow(task, follower)).slice(0, MOST_FOLLOWED);
}

export function mayFollow({ isOpen, kind, ownerId }: ShownTask, follower: Follower): boolean {
  return isOpen && kind === 'video' && follower !== null && ownerId === follower.owner_id;
}

/** Follows some tasks for as long as it is drawn. */
export function FollowTasks({ ids, onBroken }: { ids: readonly string[]; onBroken: (id: string) => void }) {
  return ids.map((id) => <FollowTask key={id} id={id} onBroken={onBroken} />);
}

function FollowTask({ id, onBroken }: { id: string; onBroken: (id: string) => void }) {
  const isBroken = useTaskEvents(id, true);
  useEffect(() => {
    if (isBroken) onBroken(id);
  }, [id, isBroken]);
  return null;
}

/** Follows a task while `isOn`; true when its events broke off, and it has to be looked at instead. */
export function useTaskEvents(id: string, isOn: boolean): boolean {
  const queries = useQueryClient();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const stop = new AbortController();
    setBroken(false);
    followTask(id, stop.signal, (task) => show(queries, ownTask(task))).catch(() => {
      if (!stop.signal.aborted) setBroken(true);
    });
    return () => stop.abort();
  }, [id, isOn, queries]);
  return isBroken;
}

type Listed = InfiniteData<Page<ShownTask, string>>;

function show(queries: QueryClient, told: ShownTask): void {
  const now = (task: ShownTask): ShownTask => (task.id === told.id ? withNews(task, told) : task);
  queries.setQueriesData<ShownTask>({ queryKey: ['task'] }, (task) => task && now(task));
  queries.setQueriesData<Listed>({ queryKey: ['tasks', 'list'] }, (list) =>
    list === undefined
      ? undefined
      : { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(now) })) },
  );
  // The wall has what is finished.
  if (!told.isOpen) void queries.invalidateQueries({ queryKey: ['tasks', 'wall'] });
}

/** What an event tells; the account and the prompt are known from elsewhere. */
function withNews(
  task: ShownTask,
  { status, progress, failure, quota, startedAt, endedAt, isOpen }: ShownTask,
): ShownTask {
  return { ...task, status, progress, failure, quota, startedAt, endedAt, isOpen };
}

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

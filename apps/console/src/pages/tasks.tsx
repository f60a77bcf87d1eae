/** Films and subjects being made, and what was made. */
import { SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { useEffect, useState, type ReactNode } from 'react';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { Film } from '../ui/film.tsx';
import { formatQuota, formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, FilterBar, Facts, FaultBox, PageHead, Tag, type Tone, When } from '../ui/parts.tsx';
import { keptUnder } from '../playground/drafts.ts';
import type { Picture } from '../playground/picture-wall.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { followed, FollowTasks, mayFollow, useTaskEvents, adminTask, ownTask, type ShownTask } from './live-tasks.tsx';

const STATES = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const;
const LIVE_MS = 3000;
/** For tasks that somebody else began, where all that are open tell of themselves. */
const NEW_MS = 10_000;
const WALL = 60;

const toneOf = (status: string): Tone =>
  status === 'SUCCESS' ? 'ok' : status === 'FAILURE' ? 'bad' : status === 'IN_PROGRESS' ? 'accent' : 'warn';

const columns = (): readonly Column<ShownTask>[] => [
  { name: t('Created'), width: '160px', narrow: '84px', cell: ({ at }) => <When at={at} /> },
  { name: t('Model'), width: '1.5fr', cell: ({ model }) => model },
  {
    name: t('State'),
    width: '170px',
    cell: ({ status, progress }) => (
      <Tag tone={toneOf(status)}>
        {status} {status === 'IN_PROGRESS' && `${progress} %`}
      </Tag>
    ),
  },
  { name: t('Prompt'), width: '2fr', cell: ({ prompt, failure }) => (failure === '' ? prompt : failure), extra: true },
  { name: t('Vendor'), width: '1fr', cell: ({ account }) => account ?? '–', extra: true },
  { name: t('Cost'), width: '110px', cell: ({ quota }) => formatQuota(quota), right: true, extra: true },
];

export default function Tasks() {
  const { admin, key } = useRights();
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<ShownTask>();
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const toFollow = (tasks: readonly ShownTask[]): readonly string[] =>
    followed(
      tasks.filter(({ id }) => !broken.has(id)),
      key,
    ).map(({ id }) => id);
  const isWall = filters['view'] === 'wall' && key !== null;
  const empty = (
    <Empty
      title={t('No tasks found')}
      action={
        <PageLink to="/playground" search={{ kind: 'video' }}>
          {t('Generate a video in the playground')}
        </PageLink>
      }
    >
      {t('Every video is a task, followed here from the queue to the finished file.')}
    </Empty>
  );
  return (
    <>
      <PageHead title={t('Tasks')} about={t('Video and subject jobs, live.')}>
        {key !== null && (
          <SegmentedControl
            aria-label={t('View')}
            value={isWall ? 'wall' : 'table'}
            onChange={(view) => change({ view: view === 'wall' ? 'wall' : undefined })}
            data={[
              { value: 'table', label: t('Table') },
              { value: 'wall', label: t('Gallery') },
            ]}
          />
        )}
      </PageHead>
      <FilterBar set={Object.keys(filters).length}>
        <SearchField label={t('Model')} value={filters['model']} onValue={(model) => change({ model })} />
        {!isWall && (
          <Select
            label={t('State')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            data={[...STATES]}
            value={filters['status'] ?? null}
            onChange={(status) => change({ status: status ?? undefined })}
          />
        )}
      </FilterBar>
      {isWall ? (
        <Wall model={filters['model']} empty={empty} />
      ) : (
        <List<ShownTask, string>
          label={t('Tasks')}
          queryKey={['tasks', 'list', admin, filters['model'], filters['status']]}
          refresh={(tasks) =>
            tasks.some((task) => task.isOpen && !toFollow(tasks).includes(task.id)) ? LIVE_MS : NEW_MS
          }
          beside={(tasks) => (
            <FollowTasks ids={toFollow(tasks)} onBroken={(id) => setBroken((before) => new Set([...before, id]))} />
          )}
          read={(after) => (admin ? readAll(filters, after) : readOwn(filters, after))}
          columns={columns()}
          rowKey={({ id }) => id}
          onOpen={setOpen}
          empty={empty}
        />
      )}
      <Side title={t('Task')} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <TaskDetail key={open.id} id={open.id} />}
      </Side>
    </>
  );
}

interface TaskFilters {
  readonly [name: string]: string | undefined;
}

async function readOwn({ model, status }: TaskFilters, after: string | undefined) {
  const query = {
    ...(model !== undefined && { model }),
    ...(status !== undefined && { status: status as 'SUCCESS' }),
    ...(after !== undefined && { after }),
  };
  const { data } = await ask(api.GET('/v1/video/generations', { params: { query } }));
  return { data: data.items.map(ownTask), next_after: data.next_after };
}

async function readAll({ model, status }: TaskFilters, after: string | undefined) {
  const query = {
    ...(model !== undefined && { model }),
    ...(status !== undefined && { status: status as 'SUCCESS' }),
    ...(after !== undefined && { after }),
  };
  const page = await ask(api.GET('/admin/tasks', { params: { query } }));
  return { data: page.data.map(adminTask), next_after: page.next_after };
}

function TaskDetail({ id }: { id: string }) {
  const { admin, key } = useRights();
  const [isFollowed, setFollowed] = useState(false);
  const isBroken = useTaskEvents(id, isFollowed);
  const query = useQuery({
    queryKey: ['task', admin, id],
    refetchInterval: ({ state: { data } }) =>
      data?.isOpen === true && (!mayFollow(data, key) || isBroken) ? LIVE_MS : false,
    queryFn: async () =>
      admin
        ? adminTask(await ask(api.GET('/admin/tasks/{task_id}', { params: { path: { task_id: id } } })))
        : ownTask((await ask(api.GET('/v1/video/generations/{task_id}', { params: { path: { task_id: id } } }))).data),
  });
  const task = query.data;
  const isToFollow = task !== undefined && mayFollow(task, key);
  useEffect(() => setFollowed(isToFollow), [isToFollow]);
  if (query.isError) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  if (task === undefined) return <p className="quiet">{t('Loading')}</p>;
  const isMine = key !== null && (!admin || key.owner_id === task.ownerId);
  return (
    <>
      {task.status === 'SUCCESS' && task.kind === 'video' && isMine && <Film id={id} />}
      <div className="row">
        <Tag tone={toneOf(task.status)}>{task.status}</Tag>
        <span className="quiet">{task.progress} %</span>
        <span className="grow" />
        {task.isOpen && (
          <Act
            name={t('Cancel the task')}
            question={t('A vendor that has begun may finish and charge it all the same. Cancel it?')}
            done={t('The task is cancelled')}
            changes={[['tasks'], ['task']]}
            run={() => {
              const params = { path: { task_id: id } };
              return admin
                ? ask(api.POST('/admin/tasks/{task_id}/cancel', { params }))
                : ask(api.DELETE('/v1/video/generations/{task_id}', { params }));
            }}
          />
        )}
      </div>
      {task.failure !== '' && <div className="fault">{task.failure}</div>}
      <Facts
        of={{
          [t('Task id')]: <code>{task.id}</code>,
          [t('Model')]: task.model,
          [t('Prompt')]: task.prompt,
          [t('Vendor')]: task.account,
          [t('Cost')]: formatQuota(task.quota),
          [t('Created')]: formatTime(task.at),
          [t('Started')]: formatTime(task.startedAt),
          [t('Ended')]: formatTime(task.endedAt),
          [t('Owner')]: task.ownerId,
        }}
      />
      <p>
        <PageLink to="/webhooks" search={{ task_id: id }}>
          {t('Webhooks of this task')}
        </PageLink>
        {' · '}
        <PageLink to="/ledger" search={{ task_id: id }}>
          {t('Ledger entries of this task')}
        </PageLink>
      </p>
    </>
  );
}

interface Made {
  readonly url: string;
  readonly text: string;
  readonly isSound: boolean;
}

/** Images and sounds of the playground: the gateway keeps none, so they last as long as the page. */
function madeHere(): readonly Made[] {
  const images = ['image.made', 'edit.made'].flatMap(
    (name) => keptUnder<readonly (readonly Picture[])[]>(name)?.flat() ?? [],
  );
  const sounds = keptUnder<readonly { readonly url: string; readonly text: string }[]>('speech.sounds') ?? [];
  return [
    ...images.map(({ url, prompt }) => ({ url, text: prompt, isSound: false })),
    ...sounds.map(({ url, text }) => ({ url, text, isSound: true })),
  ];
}

function Wall({ model, empty }: { model: string | undefined; empty: ReactNode }) {
  const query = useQuery({
    queryKey: ['tasks', 'wall', model],
    refetchInterval: LIVE_MS * 3,
    queryFn: async () => {
      const search = { limit: WALL, status: 'SUCCESS' as const, ...(model !== undefined && { model }) };
      const { data } = await ask(api.GET('/v1/video/generations', { params: { query: search } }));
      return data.items.map(ownTask);
    },
  });
  if (query.isError) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const made = madeHere();
  if (query.data.length === 0 && made.length === 0) return empty;
  return (
    <div className="wall">
      {made.map(({ url, text, isSound }) => (
        <figure key={url.slice(-80)}>
          {isSound ? <audio controls src={url} aria-label={text} /> : <img src={url} alt={text} loading="lazy" />}
          <figcaption>
            {text} <span className="quiet">{t('In this session')}</span>
          </figcaption>
        </figure>
      ))}
      {query.data.map(({ id, prompt, model: code }) => (
        <figure key={id}>
          <Film id={id} />
          <figcaption>
            {prompt} <span className="quiet">{code}</span>
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

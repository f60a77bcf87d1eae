/** Films: a form of the model's own fields, the price before it is sent, and the task followed to its end. */
import { Progress, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { postJson } from '../api/connection.ts';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace, GivenFiles, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { Empty, FaultBox } from '../ui/parts.tsx';
import { Film } from '../ui/film.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { filmBody, SCHEMAS, shapeOf } from './film-body.ts';
import { remember } from './history-list.tsx';
import { followTask } from './read-events.ts';
import { ofKind, type Model } from './models.ts';
import { fieldsOf, takenBy, useApiDocument, withFields, type FieldValues } from './schema-fields.ts';
import { SchemaForm } from './schema-form.tsx';
import { ActionBar, useWork, Workbench, type Work } from './workbench.tsx';

const PATH = '/v1/video/generations';
const SHOWN_ELSEWHERE = [
  'model',
  'prompt',
  'content',
  'media',
  'imageUrls',
  'file_infos',
  'first_frame_image',
  'input_reference',
];

export default function Films({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'video');
  const draft = useDraft(able);
  const { work, isPosting, isOpen, tasks, setNewest } = useFilms(draft);
  const { prompt, files, body } = draft;
  const [first, ...earlier] = tasks;
  return (
    <Workbench
      work={work}
      label={t('Video')}
      isSimulated={draft.model?.simulated === true}
      hasProgress={isOpen}
      form={<FilmFields able={able} draft={draft} />}
      actions={
        <ActionBar
          work={work}
          name={t('Generate')}
          stopName={t('Cancel')}
          isReady={prompt.trim() !== '' || files.length > 0}
          request={{ path: PATH, body }}
          hasEstimate
        />
      }
      empty={<Empty title={t('No videos yet')}>{t('Describe a video, check its price, and generate it.')}</Empty>}
      result={first !== undefined && !isPosting ? <FilmTask key={first} id={first} onNews={setNewest} /> : undefined}
      earlier={
        earlier.length > 0 && (
          <div className="stack">
            {earlier.map((id) => (
              <FilmTask key={id} id={id} />
            ))}
          </div>
        )
      }
    />
  );
}

type Draft = ReturnType<typeof useDraft>;

/** What stands in the fields, and the body that comes of it. */
function useDraft(able: readonly Model[]) {
  const [code, setCode] = useKept('video.model', able[0]?.id ?? '');
  const [prompt, setPrompt] = useKept('video.prompt', '');
  const [files, setFiles] = useKept<readonly GivenFile[]>('video.files', []);
  const [values, setValues] = useKept<FieldValues>('video.values', {});
  const apiDocument = useApiDocument();
  const model = able.find(({ id }) => id === code);
  const shape = shapeOf(model?.formats ?? []);
  const fields = takenBy(model, fieldsOf(apiDocument.data, SCHEMAS[shape], SHOWN_ELSEWHERE));
  const body = withFields(filmBody(shape, code, prompt, files), fields, values);
  return { code, setCode, prompt, setPrompt, files, setFiles, values, setValues, model, fields, body };
}

/** The tasks, the newest first, and the work on it: it is sent, followed until its film is there, and can be cancelled. */
function useFilms({ code, prompt, body }: Draft) {
  const [tasks, setTasks] = useKept<readonly string[]>('video.tasks', []);
  const [newest, setNewest] = useState<Followed>();
  const [cancelFault, setCancelFault] = useState<unknown>(null);
  const posting = useWork(
    async (signal) => ((await (await postJson(PATH, body, signal)).json()) as Schemas['VideoAcknowledgement']).id,
    (id) => {
      setTasks((before) => [id, ...before]);
      remember('video', { model: code, title: prompt });
    },
  );
  const [first] = tasks;
  const isOpen = first !== undefined && (newest?.id !== first || newest.isOpen);
  const cancel = (): void => {
    if (first === undefined) return;
    ask(api.DELETE('/v1/video/generations/{task_id}', { params: { path: { task_id: first } } })).catch(setCancelFault);
  };
  const work: Work = {
    start: () => {
      setCancelFault(null);
      posting.start();
    },
    stop: posting.isRunning ? posting.stop : cancel,
    isRunning: posting.isRunning || isOpen,
    error: posting.error ?? cancelFault,
  };
  return { work, isPosting: posting.isRunning, isOpen, tasks, setNewest };
}

function FilmFields({ able, draft }: { able: readonly Model[]; draft: Draft }) {
  const { code, setCode, prompt, setPrompt, files, setFiles, values, setValues, fields } = draft;
  const add = (given: File[]): void =>
    void Promise.all(given.map(readAsUrl)).then((read) => setFiles((before) => [...before, ...read]));
  return (
    <>
      <ModelSelect
        models={able}
        code={code}
        onCode={(chosen) => {
          setCode(chosen);
          setValues({});
        }}
      />
      <DropPlace onFiles={add}>
        <Textarea
          label={t('Prompt')}
          autosize
          minRows={3}
          value={prompt}
          onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
        <div className="row play-actions">
          <ChooseFiles label={t('Add a first frame')} accept="image/*" onFiles={add} />
        </div>
        <GivenFiles files={files} onRemove={(at) => setFiles(files.filter((_, index) => index !== at))} />
      </DropPlace>
      <details>
        <summary>{t('Parameters')}</summary>
        <SchemaForm fields={fields} values={values} onChange={setValues} />
      </details>
    </>
  );
}

/** What is known of the task that is followed: whether its film is still to come. */
interface Followed {
  readonly id: string;
  readonly isOpen: boolean;
}

type Task = Schemas['VideoTask'];

/** A task as its events tell it. */
function FilmTask({ id, onNews }: { id: string; onNews?: (news: Followed) => void }) {
  const [task, setTask] = useState<Task>();
  const [error, setError] = useState<unknown>();
  const queries = useQueryClient();
  const latest = useRef(onNews);
  latest.current = onNews;
  useEffect(() => {
    const stop = new AbortController();
    followTask(id, stop.signal, setTask)
      .then(() => queries.invalidateQueries({ queryKey: ['tasks'] }))
      .catch((reason: unknown) => stop.signal.aborted || setError(reason))
      .finally(() => stop.signal.aborted || latest.current?.({ id, isOpen: false }));
    return () => stop.abort();
  }, [id, queries]);
  const percent = Number.parseInt(task?.progress ?? '0', 10);
  const place = queuePlace(task);
  return (
    <article className="card stack" aria-label={t('Video {id}', { id })}>
      {task?.status === 'SUCCESS' ? (
        <Film id={id} />
      ) : (
        <Progress value={percent} aria-label={t('Progress')} animated={task?.status === 'IN_PROGRESS'} />
      )}
      <div>{task?.properties.input}</div>
      <div className="quiet small" role="status">
        {task === undefined ? t('Loading') : `${task.properties.origin_model_name} · ${task.status} · ${task.progress}`}
        {place !== undefined && ` · ${t('place {place} in the queue', { place })}`}
      </div>
      {task?.status === 'FAILURE' && <div className="fault">{task.fail_reason}</div>}
      {error !== undefined && <FaultBox error={error} />}
    </article>
  );
}

/** Its place while it waits for room at the vendor's account. */
function queuePlace(task: Task | undefined): number | undefined {
  const data = task?.data;
  if (typeof data !== 'object' || data === null || !('queue' in data)) return undefined;
  const { queue } = data;
  const place = typeof queue === 'object' && queue !== null && 'position' in queue ? queue.position : undefined;
  return typeof place === 'number' ? place : undefined;
}

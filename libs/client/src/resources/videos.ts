/** Video tasks, OpenAI's view of them, and subjects. */
import type { BinaryReply } from '../binary.ts';
import { Call } from '../call.ts';
import type { Core } from '../core.ts';
import { taskFormat } from '../formats/video.ts';
import type { BodyOf, QueryOf, Schemas } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { EventStream } from '../stream.ts';
import { TaskCall } from '../task-call.ts';
import { sleep, type RequestOptions } from '../transport.ts';
import { formOf, type Upload } from '../uploads.ts';
import { waitFor, type WaitOptions } from '../wait-for-video.ts';

type Task = Schemas['VideoTask'];
type Video = Schemas['Video'];
type Receipt = Schemas['VideoAcknowledgement'];
type Subject = Schemas['SubjectTask'];
type SubjectReceipt = Schemas['SubjectAcknowledgement'];

/** The gateway sends a comment every 15 seconds: three silent ones mean that somebody between keeps the events back. */
const FOLLOW_SILENCE_MS = 45_000;
const SUBJECT_PAUSE_MS = 2000;

export interface DownloadOptions extends RequestOptions {
  /** `thumbnail` or `spritesheet` where the vendor has them; without it the video. */
  readonly variant?: string;
  /** `bytes=0-1048575` */
  readonly range?: string;
}

export function videosOf(core: Core) {
  const get = (taskId: string, query: QueryOf<'getVideoTask'> = {}, options: RequestOptions = {}): Call<Task> =>
    new Call(
      core.open('getVideoTask', { path: { task_id: taskId }, query }, options, 'whole'),
      async (response) => ((await response.json()) as Schemas['VideoTaskReply']).data,
    );
  const follow = (taskId: string, options?: RequestOptions): EventStream<Task, Task> =>
    core.stream('getVideoTask', { path: { task_id: taskId } }, taskFormat, {
      timeoutMs: FOLLOW_SILENCE_MS,
      ...options,
    });
  const wait = (taskId: string, options?: WaitOptions<Task>): Promise<Task> =>
    waitFor(
      {
        look: (seconds, request) => get(taskId, { wait: seconds }, request),
        follow: (request) => follow(taskId, request),
        outcome: ({ status, fail_reason: reason }) =>
          status === 'SUCCESS' ? '' : status === 'FAILURE' ? reason || 'the task failed' : undefined,
        mark: ({ status, progress }) => `${status} ${progress}`,
        sleep,
      },
      options,
    );
  return {
    /** Starts a video in any of the six shapes; `.wait()` on it waits for the end. */
    create: (body: BodyOf<'createVideoTask'>, options: RequestOptions = {}): TaskCall<Receipt, Task> =>
      new TaskCall(core.open('createVideoTask', { body }, options, 'whole'), ({ id }, how) => wait(id, how)),
    /** The record now; with `wait`, as soon as the task has ended and at the latest after so many seconds (60 at most). */
    get,
    /** The record now, then at every change, until its end. */
    follow,
    /** Resolves with the record of the task that succeeded. Throws TaskFailedError, TimeoutError, or the signal's reason. */
    wait,
    /** The tasks of the key's owner, newest first. */
    list: (query: QueryOf<'listVideoTasks'> = {}, options?: RequestOptions): Pages<Task> =>
      core.pages(
        'listVideoTasks',
        (after) => ({ ...query, ...(after !== undefined && { after: String(after) }) }),
        ({ data }) => ({ items: data.items, next: data.next_after }),
        options,
      ),
    /** Stops a task where its vendor can; a 409 says that it is too late. */
    cancel: (taskId: string, options: RequestOptions = {}): Call<Task> =>
      new Call(
        core.open('cancelVideoTask', { path: { task_id: taskId } }, options, 'whole'),
        async (response) => ((await response.json()) as Schemas['VideoTaskReply']).data,
      ),
    /** The file of a finished task, whichever family made it. */
    download: (taskId: string, { variant, range, ...options }: DownloadOptions = {}): Call<BinaryReply> =>
      core.download(
        'getVideoContent',
        {
          path: { video_id: taskId },
          query: { ...(variant !== undefined && { variant }) } as QueryOf<'getVideoContent'>,
          ...(range !== undefined && { header: { Range: range } }),
        },
        options,
      ),
  };
}

/** A video from a picture: sent as a form. */
export interface VideoUpload {
  readonly model: string;
  readonly prompt: string;
  readonly seconds?: string;
  readonly size?: string;
  readonly input_reference: Upload;
  readonly callback_url?: string;
  /** What a vendor adds tomorrow. */
  readonly [field: string]: unknown;
}
/** A body of `POST /v1/videos`. */
export type VideoObjectCreate = Schemas['VideoCreate'] | VideoUpload;

/** The same tasks as OpenAI's video objects. */
export function videoObjectsOf(core: Core) {
  const get = (videoId: string, query: QueryOf<'getVideo'> = {}, options?: RequestOptions): Call<Video> =>
    core.call('getVideo', { path: { video_id: videoId }, query }, options);
  const wait = (videoId: string, options?: WaitOptions<Video>): Promise<Video> =>
    waitFor(
      {
        look: (seconds, request) => get(videoId, { wait: seconds }, request),
        outcome: ({ status, error }) =>
          status === 'completed' ? '' : status === 'failed' ? (error?.message ?? 'the video failed') : undefined,
        mark: ({ status, progress }) => `${status} ${progress}`,
        sleep,
      },
      options,
    );
  return {
    /** Starts a video; `.wait()` on it waits for the end. */
    create: (body: VideoObjectCreate, options: RequestOptions = {}): TaskCall<Receipt, Video> =>
      new TaskCall(core.open('createVideo', { body: videoBody(body) }, options, 'whole'), ({ id }, how) =>
        wait(id, how),
      ),
    get,
    wait,
    /** The videos of the key's owner, newest first. */
    list: (query: QueryOf<'listVideos'> = {}, options?: RequestOptions): Pages<Video> =>
      core.pages(
        'listVideos',
        (after) => ({ ...query, ...(after !== undefined && { after: String(after) }) }),
        ({ data, has_more: more, last_id: last }) => ({ items: data, next: more ? last : undefined }),
        options,
      ),
    /** Takes a video out of the lists; one at work is cancelled first. */
    delete: (videoId: string, options?: RequestOptions): Call<Schemas['VideoDeleted']> =>
      core.call('deleteVideo', { path: { video_id: videoId } }, options),
  };
}

function videoBody(body: VideoObjectCreate): Schemas['VideoCreate'] | Promise<FormData> {
  const { input_reference: file, ...fields } = body as { input_reference?: unknown };
  const isPlain =
    file === undefined ||
    typeof file === 'string' ||
    (typeof file === 'object' && file !== null && ('image_url' in file || 'file_id' in file));
  return isPlain ? (body as Schemas['VideoCreate']) : formOf(fields, { input_reference: file as Upload });
}

export function subjectsOf(core: Core) {
  const get = (taskId: string, options: RequestOptions = {}): Call<Subject> =>
    new Call(
      core.open('getSubject', { path: { task_id: taskId } }, options, 'whole'),
      async (response) =>
        ((await response.json()) as Schemas['SubjectReply']).Response.CreateAigcAdvancedCustomElementTask,
    );
  const wait = (taskId: string, options?: WaitOptions<Subject>): Promise<Subject> =>
    waitFor(
      {
        look: (_seconds, request) => get(taskId, request),
        outcome: ({ Status, ErrCode, ErrCodeExt, Message }) =>
          Status === 'PROCESSING' ? undefined : ErrCode === 0 ? '' : `${ErrCodeExt || ErrCode}: ${Message}`,
        mark: ({ Status, Progress }) => `${Status} ${Progress}`,
        leastPauseMs: SUBJECT_PAUSE_MS,
        sleep,
      },
      options,
    );
  return {
    /** Starts making a reusable character for family D; `.wait()` on it waits for the end. */
    create: (body: BodyOf<'createSubject'>, options: RequestOptions = {}): TaskCall<SubjectReceipt, Subject> =>
      new TaskCall(core.open('createSubject', { body }, options, 'whole'), ({ Response: { TaskId } }, how) =>
        wait(TaskId, how),
      ),
    get,
    wait,
  };
}

/** The subject's identifier, for `subject_infos[].Id`; undefined before it is made. */
export function subjectIdOf(task: Subject): string | undefined {
  return task.Output?.InfoList[0]?.ElementId;
}

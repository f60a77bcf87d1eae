/** Video tasks, OpenAI's view of them, and subjects. */
import type { BinaryReply } from '../binary.ts';
import { sentOf, type Extra, type VideoBody, type VideoModel, type VideoObjectBody } from '../bodies.ts';
import { Call } from '../call.ts';
import type { Input } from '../core.ts';
import { taskFormat } from '../formats/video.ts';
import type { BodyOf, OperationId, QueryOf, Schemas } from '../operations.ts';
import { pagesOf, type Pages } from '../pages.ts';
import type { EventStream } from '../stream.ts';
import { TaskCall } from '../task-call.ts';
import { sleep, type RequestOptions } from '../transport.ts';
import type { Upload } from '../uploads.ts';
import { waitFor, type WaitOptions } from '../wait-for-video.ts';
import { Resource } from './resource.ts';

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
  readonly variant?: 'video' | 'thumbnail' | 'spritesheet';
  /** `bytes=0-1048575` */
  readonly range?: string;
}

/** Video tasks. */
export class Videos extends Resource {
  /** Starts a video in any of the six shapes; `.wait()` on it waits for the end. */
  create<const Model extends VideoModel>(
    body: VideoBody<Model>,
    options: RequestOptions = {},
  ): TaskCall<Receipt, Task> {
    const sent = this.core.open('createVideoTask', { body: sentOf(body) }, options, 'whole');
    return new TaskCall(sent, ({ id }, how) => this.wait(id, how));
  }
  /** The record now; with `wait`, as soon as the task has ended and at the latest after so many seconds (60 at most). */
  get(taskId: string, query: QueryOf<'getVideoTask'> = {}, options: RequestOptions = {}): Call<Task> {
    return new Call(this.core.open('getVideoTask', { path: { task_id: taskId }, query }, options, 'whole'), recordOf);
  }
  /** The record now, then at every change, until its end. */
  follow(taskId: string, options?: RequestOptions): EventStream<Task, Task> {
    const how = { timeoutMs: FOLLOW_SILENCE_MS, ...options };
    return this.core.stream('getVideoTask', { path: { task_id: taskId } }, taskFormat, how);
  }
  /** Resolves with the record of the task that succeeded. Throws TaskFailedError, TimeoutError, or the signal's reason. */
  wait(taskId: string, options?: WaitOptions<Task>): Promise<Task> {
    return waitFor(
      {
        id: taskId,
        look: (seconds, request) => this.get(taskId, { wait: seconds }, request),
        follow: (request) => this.follow(taskId, request),
        outcome: ({ status, fail_reason: reason }) =>
          status === 'SUCCESS' ? '' : status === 'FAILURE' ? reason || 'the task failed' : undefined,
        mark: ({ status, progress }) => `${status} ${progress}`,
        sleep,
      },
      options,
    );
  }
  /** Goes on waiting after an error or in another process: the same as `wait`, by the id that errors of waiting carry as `taskId`. */
  resume(taskId: string, options?: WaitOptions<Task>): Promise<Task> {
    return this.wait(taskId, options);
  }
  /** The tasks of the key's owner, newest first. */
  list(query: QueryOf<'listVideoTasks'> = {}, options?: RequestOptions): Pages<Task> {
    return this.core.pages(
      'listVideoTasks',
      (after) => ({ ...query, ...(after !== undefined && { after: String(after) }) }),
      ({ data }) => ({ items: data.items, next: data.next_after }),
      options,
    );
  }
  /** Stops a task where its vendor can; a 409 says that it is too late. */
  cancel(taskId: string, options: RequestOptions = {}): Call<Task> {
    return new Call(this.core.open('cancelVideoTask', { path: { task_id: taskId } }, options, 'whole'), recordOf);
  }
  /** The file of a finished task, whichever family made it. */
  download(taskId: string, { variant, range, ...options }: DownloadOptions = {}): Call<BinaryReply> {
    return this.core.download(
      'getVideoContent',
      {
        path: { video_id: taskId },
        ...(variant !== undefined && { query: { variant } }),
        ...(range !== undefined && { header: { Range: range } }),
      },
      options,
    );
  }
}

async function recordOf(response: Response): Promise<Task> {
  return ((await response.json()) as Schemas['VideoTaskReply']).data;
}

/** The same tasks as OpenAI's video objects. */
export class VideoObjects extends Resource {
  /** Starts a video; `.wait()` on it waits for the end. */
  create<const Model extends VideoModel>(
    body: VideoObjectBody<Model>,
    options: RequestOptions = {},
  ): TaskCall<Receipt, Video> {
    return this.#start('createVideo', { body: videoBody(body) }, options);
  }
  /** The video now; with `wait`, as soon as it has ended and at the latest after so many seconds (60 at most). */
  get(videoId: string, query: QueryOf<'getVideo'> = {}, options?: RequestOptions): Call<Video> {
    return this.core.call('getVideo', { path: { video_id: videoId }, query }, options);
  }
  /** Resolves with the completed video. Throws TaskFailedError, TimeoutError, or the signal's reason. */
  wait(videoId: string, options?: WaitOptions<Video>): Promise<Video> {
    return waitFor(
      {
        id: videoId,
        look: (seconds, request) => this.get(videoId, { wait: seconds }, request),
        outcome: ({ status, error }) =>
          status === 'completed' ? '' : status === 'failed' ? (error?.message ?? 'the video failed') : undefined,
        mark: ({ status, progress }) => `${status} ${progress}`,
        sleep,
      },
      options,
    );
  }
  /** Goes on waiting after an error or in another process: the same as `wait`, by the id that errors of waiting carry as `taskId`. */
  resume(videoId: string, options?: WaitOptions<Video>): Promise<Video> {
    return this.wait(videoId, options);
  }
  /** The videos of the key's owner, newest first. */
  list(query: QueryOf<'listVideos'> = {}, options?: RequestOptions): Pages<Video> {
    return pagesOf((after) => this.core.call('listVideos', { query: { ...query, ...after } }, options));
  }
  /** Makes a finished video anew, after another prompt. */
  remix(videoId: string, body: BodyOf<'remixVideo'>, options: RequestOptions = {}): TaskCall<Receipt, Video> {
    return this.#start('remixVideo', { path: { video_id: videoId }, body }, options);
  }
  /** Changes a finished video. */
  edit(videoId: string, body: { readonly prompt: string }, options: RequestOptions = {}): TaskCall<Receipt, Video> {
    return this.#start('editVideo', { body: { ...body, video: { id: videoId } } }, options);
  }
  /** Goes on where a finished video ends, for so many seconds. */
  extend(
    videoId: string,
    body: { readonly prompt: string; readonly seconds: string },
    options: RequestOptions = {},
  ): TaskCall<Receipt, Video> {
    return this.#start('extendVideo', { body: { ...body, video: { id: videoId } } }, options);
  }
  /** Takes a video out of the lists; one at work is cancelled first. */
  delete(videoId: string, options?: RequestOptions): Call<Schemas['VideoDeleted']> {
    return this.core.call('deleteVideo', { path: { video_id: videoId } }, options);
  }

  #start<Id extends OperationId>(id: Id, input: Input<Id>, options: RequestOptions): TaskCall<Receipt, Video> {
    const sent = this.core.open(id, input, options, 'whole');
    return new TaskCall(sent, (receipt, how) => this.wait(receipt.id, how));
  }
}

async function videoBody(body: Extra): Promise<Schemas['VideoCreate'] | FormData> {
  const { input_reference: file, ...fields } = body as { input_reference?: unknown };
  const isPlain =
    file === undefined ||
    typeof file === 'string' ||
    (typeof file === 'object' && file !== null && ('image_url' in file || 'file_id' in file));
  if (isPlain) return sentOf(body);
  const { formOf } = await import('../uploads.ts');
  return formOf(sentOf(fields), { input_reference: file as Upload });
}

/** Reusable characters for video family D. */
export class Subjects extends Resource {
  /** Starts making one; `.wait()` on it waits for the end. */
  create(body: BodyOf<'createSubject'>, options: RequestOptions = {}): TaskCall<SubjectReceipt, Subject> {
    const sent = this.core.open('createSubject', { body }, options, 'whole');
    return new TaskCall(sent, ({ Response: { TaskId } }, how) => this.wait(TaskId, how));
  }
  /** The task now. */
  get(taskId: string, options: RequestOptions = {}): Call<Subject> {
    return new Call(
      this.core.open('getSubject', { path: { task_id: taskId } }, options, 'whole'),
      async (response) =>
        ((await response.json()) as Schemas['SubjectReply']).Response.CreateAigcAdvancedCustomElementTask,
    );
  }
  /** Resolves with the task of the subject that was made. Throws TaskFailedError, TimeoutError, or the signal's reason. */
  wait(taskId: string, options?: WaitOptions<Subject>): Promise<Subject> {
    return waitFor(
      {
        id: taskId,
        look: (_seconds, request) => this.get(taskId, request),
        outcome: ({ Status, ErrCode, ErrCodeExt, Message }) =>
          Status === 'PROCESSING' ? undefined : ErrCode === 0 ? '' : `${ErrCodeExt || ErrCode}: ${Message}`,
        mark: ({ Status, Progress }) => `${Status} ${Progress}`,
        leastPauseMs: SUBJECT_PAUSE_MS,
        sleep,
      },
      options,
    );
  }
  /** Goes on waiting after an error or in another process: the same as `wait`, by the id that errors of waiting carry as `taskId`. */
  resume(taskId: string, options?: WaitOptions<Subject>): Promise<Subject> {
    return this.wait(taskId, options);
  }
}

/** The subject's identifier, for `subject_infos[].Id`; undefined before it is made. */
export function subjectIdOf(task: Subject): string | undefined {
  return task.Output.InfoList[0]?.ElementId;
}

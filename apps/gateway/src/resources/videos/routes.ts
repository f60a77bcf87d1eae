/** Video tasks and subjects: both views of the same tasks (docs/service.md; OpenAI's videos). */
import type { Request, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import type { TaskEngine, TaskListFilter, TaskRecord, TaskState } from '@model-gateway/core';
import { jsonBody, responseSignal } from '../../http/exchange.ts';
import { isForm } from '../../http/form.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { identify } from '../../http/request-identity.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { partAskedBy, sendFile } from '../../http/range.ts';
import { pipeBody, startEventStream } from '../../http/reply.ts';
import {
  acknowledged,
  acknowledgedAsVideo,
  answerCreated,
  answerVideo,
  idempotencyOf,
  type TaskRouteParts,
} from './create-task.ts';
import { videoChangeRoutes } from './change-routes.ts';
import { geminiVideoRoutes } from './gemini-routes.ts';
import { subjectReplyOf } from './subject.ts';
import { taskListOf, taskReplyOf, type TaskShown } from './task-record.ts';
import { videoListOf, videoOf } from './video.ts';

const LONGEST_WAIT_SECONDS = 60;
const KEEP_ALIVE_MS = 15_000;
const STATES: readonly TaskState[] = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'];
/** OpenAI's words for the same states. */
const OPENAI_STATES: Readonly<Record<string, TaskState>> = {
  queued: 'NOT_START',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

/** What a new video is answered with, by the path. */
const PRINTED = { generations: acknowledged, videos: acknowledgedAsVideo };

/** Handlers of the video and subject operations. */
export function taskRoutes(parts: TaskRouteParts): Handlers {
  const { tasks, platformOf } = parts;
  const resultUrl = (task: TaskRecord): string => tasks.resultUrl(task);
  const shown: TaskShown = { resultUrl, platformOf };
  return {
    ...geminiVideoRoutes(parts),
    createVideoTask: create(parts, 'generations'),
    createVideo: create(parts, 'videos'),
    ...videoChangeRoutes(parts),
    async createSubject(request, response) {
      const caller = response.locals.exchange.caller;
      const idempotency = idempotencyOf(request, response, acknowledged);
      answerCreated(
        response,
        await tasks.createSubject(caller, jsonBody(request), idempotency === undefined ? {} : { idempotency }),
        acknowledged,
      );
    },
    async getVideoTask(request, response) {
      const id = idOf(request, 'task_id');
      if (request.accepts(['json', 'text/event-stream']) === 'text/event-stream') {
        await followTask(tasks, shown, { request, response, id });
        return;
      }
      response.json(taskReplyOf(await taskOf(tasks, request, response, id), shown));
    },
    async listVideoTasks(request, response) {
      response.json(taskListOf(await tasks.list(response.locals.exchange.caller, filterOf(request)), shown));
    },
    async cancelVideoTask(request, response) {
      response.json(taskReplyOf(await tasks.cancel(response.locals.exchange.caller, idOf(request, 'task_id')), shown));
    },
    async getVideo(request, response) {
      const id = idOf(request, 'video_id');
      response.json(videoOf(await found(() => taskOf(tasks, request, response, id), id), resultUrl));
    },
    async listVideos(request, response) {
      response.json(videoListOf(await tasks.list(response.locals.exchange.caller, filterOf(request)), resultUrl));
    },
    async deleteVideo(request, response) {
      const id = idOf(request, 'video_id');
      await found(() => tasks.remove(response.locals.exchange.caller, id), id);
      response.json({ id, object: 'video.deleted', deleted: true });
    },
    async getVideoContent(request, response) {
      const id = idOf(request, 'video_id');
      const part = partAskedBy(request);
      const variant = request.query['variant'];
      // A signed link stands for its owner: there is no caller then.
      const { knownCaller: caller } = response.locals.exchange;
      const options = {
        signal: responseSignal(response),
        ...(part !== undefined && { part }),
        ...(typeof variant === 'string' && { variant }),
      };
      await sendFile(response, await found(() => tasks.openContent(caller, id, options), id));
    },
    async getFile(request, response) {
      const part = partAskedBy(request);
      const signal = responseSignal(response);
      await sendFile(
        response,
        await tasks.openFile(idOf(request, 'file_id'), { signal, ...(part !== undefined && { part }) }),
      );
    },
    async getSubject(request, response) {
      response.json(subjectReplyOf(await tasks.get(response.locals.exchange.caller, idOf(request, 'task_id'))));
    },
  };
}

function create(parts: TaskRouteParts, endpoint: 'generations' | 'videos'): Handler {
  const { authenticator, readVideoForm } = parts;
  return async (request, response) => {
    const form = isForm(request);
    const body = form ? await readVideoForm(request, response.locals.exchange.bodyHold) : jsonBody(request);
    if (form) {
      admitModel(authenticator, response, body['model'], 'video');
      identify(request, response.locals.exchange, body);
    }
    await answerVideo(parts, { request, response, body, endpoint, print: PRINTED[endpoint] });
  };
}

function idOf(request: Request, name: string): string {
  return String(request.params[name]);
}

/** On the OpenAI view an unknown id is a 404. */
async function found<T>(work: () => Promise<T>, id: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'task_not_exist')
      throw new GatewayError('not_found', `there is no video '${id.slice(0, 80)}'`, { param: 'video_id' });
    throw error;
  }
}

function filterOf(request: Request): TaskListFilter {
  const { limit, after, order, status, model } = request.query;
  const state =
    typeof status === 'string' ? (OPENAI_STATES[status] ?? STATES.find((each) => each === status)) : undefined;
  if (status !== undefined && state === undefined)
    throw new GatewayError('invalid_request', `status must be one of ${STATES.join(', ')}`, { param: 'status' });
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(typeof after === 'string' && { after }),
    ...((order === 'asc' || order === 'desc') && {
      order: order === 'asc' ? ('oldest' as const) : ('newest' as const),
    }),
    ...(state !== undefined && { status: state }),
    ...(typeof model === 'string' && { model }),
  };
}

/** The task now; with `?wait=30` when it has ended, or after that many seconds. */
function taskOf(tasks: TaskEngine, request: Request, response: Response, id: string): Promise<TaskRecord> {
  const seconds = Math.min(Number(request.query['wait'] ?? 0), LONGEST_WAIT_SECONDS);
  const caller = response.locals.exchange.caller;
  return seconds > 0 ? tasks.waitForEnd(caller, id, seconds * 1000) : tasks.get(caller, id);
}

async function followTask(
  tasks: TaskEngine,
  shown: TaskShown,
  { request, response, id }: { readonly request: Request; readonly response: Response; readonly id: string },
): Promise<void> {
  const caller = response.locals.exchange.caller;
  const last = Number(request.headers['last-event-id'] ?? 0);
  // Says 400 before the stream begins.
  await tasks.get(caller, id);
  startEventStream(response);
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
  }, KEEP_ALIVE_MS);
  try {
    await pipeBody(changes(), response);
  } finally {
    clearInterval(keepAlive);
  }

  async function* changes(): AsyncGenerator<string> {
    for await (const { eventId, task } of tasks.follow(caller, id, Number.isFinite(last) ? last : 0)) {
      yield `id: ${eventId}\nevent: ${task.state}\ndata: ${JSON.stringify(taskReplyOf(task, shown))}\n\n`;
      if (caller.signal.aborted) break;
    }
  }
}

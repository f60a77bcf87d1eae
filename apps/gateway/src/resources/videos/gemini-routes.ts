/** Videos in Google's form: operations that end, and the files behind their addresses (docs/wire/veo.md). */
import type { Response } from 'express';
import {
  GatewayError,
  isJsonObject,
  OPERATIONS,
  type ErrorCode,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import type { Caller, Content, ContentOptions, TaskEngine, TaskRecord } from '@model-gateway/core';
import { base64Pieces } from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import { jsonBody, responseSignal } from '../../http/exchange.ts';
import type { BodyOf, Handler, Handlers } from '../../http/operation.ts';
import { pipeBody } from '../../http/reply.ts';
import { answerVideo, type PrintCreated, type TaskRouteParts } from './create-task.ts';

const TYPES = 'type.googleapis.com/';
const METADATA = `${TYPES}google.ai.generativelanguage.v1beta.PredictLongRunningMetadata`;
const RESPONSE = `${TYPES}google.ai.generativelanguage.v1beta.PredictLongRunningResponse`;
const CLOUD_RESPONSE = `${TYPES}cloud.ai.large_models.vision.GenerateVideoResponse`;
/** In names of operations, before the model. */
const CLOUD = 'publishers/google/';

/** Handlers of videos in Google's form: that of its API, and that of its cloud. */
export function geminiVideoRoutes(parts: TaskRouteParts): Handlers {
  const { tasks, publicUrl } = parts;
  const create =
    (print: PrintCreated): Handler =>
    async (request, response) => {
      const { caller } = response.locals.exchange;
      const { model } = request.params;
      const body = await withOpenLinks(tasks, caller, { ...jsonBody(request), model: String(model) });
      await answerVideo(parts, { request, response, body, endpoint: 'operations', print });
    };
  // As Google's: an operation that was just made is a name.
  const ofApi = create((task) => ({ name: nameOf(task) }));
  const get: Handler = async (request, response) => {
    const task = await taskNamed(tasks, response, String(request.params['operation_id']));
    response.json(operationOf(task, sampled(task, publicUrl())));
  };
  return {
    generateVideos: ofApi,
    generateVideosV1: ofApi,
    generateVideosVertex: create((task) => ({ name: CLOUD + nameOf(task) })),
    getVideoOperation: get,
    getVideoOperationV1: get,
    async fetchVideoOperation(request, response) {
      const { operationName } = jsonBody(request) as BodyOf<'fetchVideoOperation'>;
      const task = await taskNamed(tasks, response, operationName);
      if (task.state === 'SUCCESS') await sendWithVideos(tasks, task, response);
      else response.json(cloudOperationOf(task));
    },
  };
}

// ---- operations --------------------------------------------------------------------------------------------------

/** `models/veo-3/operations/task_…` is a name as well as the id behind it. Throws `not_found`. */
async function taskNamed(tasks: TaskEngine, response: Response, name: string): Promise<TaskRecord> {
  const id = name.slice(name.lastIndexOf('/') + 1);
  try {
    return await tasks.get(response.locals.exchange.caller, id);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'task_not_exist') throw error;
    throw new GatewayError('not_found', `there is no operation '${name.slice(0, 120)}'`, { param: 'name' });
  }
}

function nameOf({ id, model }: TaskRecord): string {
  return `models/${encodeURIComponent(model)}/operations/${id}`;
}

function operationOf(task: TaskRecord, response?: JsonObject): JsonObject {
  const { state, progress, createdAt, updatedAt } = task;
  return {
    name: nameOf(task),
    metadata: {
      '@type': METADATA,
      state,
      progressPercent: progress,
      createTime: new Date(createdAt).toISOString(),
      updateTime: new Date(updatedAt).toISOString(),
    },
    ...(state === 'FAILURE' && { done: true, error: statusOf(task) }),
    ...(state === 'SUCCESS' && { done: true, response: response ?? {} }),
  };
}

function cloudOperationOf(task: TaskRecord): JsonObject {
  return { ...operationOf(task), name: CLOUD + nameOf(task) };
}

/** Numbers of google.rpc's codes. */
const RPC_CODES: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};
const UNKNOWN = 2;

/** Why a task failed, as google.rpc.Status. */
function statusOf({ failCode, failReason }: TaskRecord): JsonObject {
  const failure = new GatewayError(failCode as ErrorCode, failReason);
  const { error } = dialects['gemini-generate'].encodeError(failure, '', failure.status());
  const { status, details } = isJsonObject(error) ? error : {};
  return {
    code: RPC_CODES[typeof status === 'string' ? status : ''] ?? UNKNOWN,
    message: failReason,
    details: details ?? [],
  };
}

// ---- what was made -----------------------------------------------------------------------------------------------

/** The places of the videos among the files of a task: beside them there may be pictures of them. */
function videosOf({ files }: TaskRecord): readonly number[] {
  return files.flatMap(({ mime }, index) => (index === 0 || mime.startsWith('video/') ? [index] : []));
}

/** The addresses of the videos. The key of the caller opens them. */
function sampled(task: TaskRecord, publicUrl: string): JsonObject {
  const samples = videosOf(task).map((index) => {
    const path = OPERATIONS.downloadGeminiFile.path.replace('{uploaded_file_id}', fileIdOf(task.id, index));
    return { video: { uri: `${publicUrl}${path}?alt=media` } };
  });
  return { '@type': RESPONSE, generateVideoResponse: { generatedSamples: samples } };
}

/** The operation with its videos in it, in base64. */
async function sendWithVideos(tasks: TaskEngine, task: TaskRecord, response: Response): Promise<void> {
  const { caller } = response.locals.exchange;
  const signal = responseSignal(response);
  const opened = await Promise.all(
    videosOf(task).map((video) => tasks.openContent(caller, task.id, { video, signal })),
  );
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  await pipeBody(withVideos(cloudOperationOf(task), opened), response);
}

async function* withVideos(
  { response: _none, ...operation }: JsonObject,
  opened: readonly Content[],
): AsyncGenerator<string | Uint8Array> {
  yield `${JSON.stringify(operation).slice(0, -1)},"response":{"@type":${JSON.stringify(CLOUD_RESPONSE)},"videos":[`;
  for (const [index, { mime, body }] of opened.entries()) {
    yield `${index === 0 ? '' : ','}{"mimeType":${JSON.stringify(mime)},"bytesBase64Encoded":"`;
    yield* base64Pieces(body);
    yield '"}';
  }
  yield ']}}';
}

// ---- files -------------------------------------------------------------------------------------------------------

const LONGEST_FILE_ID = 250;
/** Google's SDKs read an id of small letters and digits out of an address. */
const FILE_ID = /^video((?:[0-9a-f]{2}){1,100})n(\d{1,2})$/;

function fileIdOf(taskId: string, video: number): string {
  return `video${Buffer.from(taskId).toString('hex')}n${video}`;
}

/** The task and the place of the video whose file has this id; undefined for another file. */
function videoBehind(fileId: string): { readonly task: string; readonly video: number } | undefined {
  const [, hex, video] = FILE_ID.exec(fileId) ?? [];
  return hex === undefined ? undefined : { task: Buffer.from(hex, 'hex').toString(), video: Number(video) };
}

/** Opens the video whose file has this id; undefined for another file. Throws `not_found`. */
export async function openVideoFile(
  tasks: Pick<TaskEngine, 'openContent'>,
  caller: Caller,
  fileId: string,
  options: Pick<ContentOptions, 'part'> & { readonly signal: AbortSignal },
): Promise<Content | undefined> {
  const behind = videoBehind(fileId);
  if (behind === undefined) return undefined;
  try {
    return await tasks.openContent(caller, behind.task, { ...options, video: behind.video });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'task_not_exist') throw error;
    throw new GatewayError('not_found', `there is no file '${fileId.slice(0, LONGEST_FILE_ID)}'`, {
      param: 'uploaded_file_id',
    });
  }
}

/** The address of a video that was made here is one that only the caller's key opens: a vendor that goes on from it gets an open link. */
async function withOpenLinks(tasks: TaskEngine, caller: Caller, body: JsonObject): Promise<JsonObject> {
  const instances = Array.isArray(body['instances']) ? body['instances'] : [];
  const [instance] = instances;
  const medium = isJsonObject(instance) ? instance['video'] : undefined;
  const uri = isJsonObject(medium) ? addressIn(medium) : undefined;
  const fileId = typeof uri === 'string' ? /\b(video[0-9a-f]+n\d+)(?::download|$)/.exec(uri)?.[1] : undefined;
  const behind = fileId === undefined ? undefined : videoBehind(fileId);
  if (behind === undefined || !isJsonObject(instance)) return body;
  const link = tasks.resultUrl(await tasks.get(caller, behind.task), behind.video);
  if (link === '')
    throw new GatewayError(
      'invalid_request',
      'instances[0].video: must be a finished video; if its operation has several videos, only the first can be named. Send the others as bytes',
      { param: 'instances[0].video' },
    );
  return { ...body, instances: [{ ...instance, video: { uri: link } }, ...instances.slice(1)] };
}

/** As bodies are read: by any of these names, in any case. */
function addressIn(medium: JsonObject): Json | undefined {
  const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
  for (const wanted of ['uri', 'fileuri', 'gcsuri']) {
    const found = Object.entries(medium).find(([name, value]) => plain(name) === wanted && value !== null);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

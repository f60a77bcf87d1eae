import { isJsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import type { Job } from '../core/jobs.ts';
import { textOf } from '../core/values.ts';
import { findJob, wordOf, type StateWords } from '../core/work.ts';
import { complainAsTencent, tencentRefusal } from './errors.ts';

const WORDS: StateWords = {
  queued: 'WAITING',
  running: 'PROCESSING',
  succeeded: 'FINISH',
  failed: 'FINISH',
  cancelled: 'ABORTED',
  expired: 'FINISH',
};
const LIFE_MS = 3 * 86_400_000;
/** A detail has a slot for every kind of task there is; all but one are null. */
const OTHER_SLOTS = [
  'ProcedureTask',
  'EditMediaTask',
  'TranscodeTask',
  'SnapshotByTimeOffsetTask',
  'AigcImageTask',
  'ConcatTask',
];

/** `DescribeTaskDetail` */
export function describeTask(exchange: Exchange): void {
  const job = find(exchange);
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const type = job.kind === 'video' ? 'AigcVideoTask' : 'CreateAigcAdvancedCustomElement';
  exchange.reply(200, {
    Response: {
      TaskType: type,
      Status: wordOf(exchange, job, WORDS),
      CreateTime: iso(job.createdAt),
      BeginProcessTime: state === 'queued' ? '' : iso(jobs.startedAt(job)),
      FinishTime: state === 'queued' || state === 'running' ? '' : iso(jobs.endedAt(job)),
      ...Object.fromEntries(OTHER_SLOTS.map((slot) => [slot, null])),
      [job.kind === 'video' ? type : `${type}Task`]: slotOf(exchange, job),
      RequestId: exchange.stage.newId(''),
    },
  });
}

function find(exchange: Exchange): Job {
  const id = exchange.json(complainAsTencent).string('TaskId');
  const job = findJob(exchange, id);
  if (job !== undefined && exchange.stage.now() - job.createdAt <= LIFE_MS) return job;
  throw tencentRefusal('ResourceNotFound', `The task ${id} does not exist.`);
}

function slotOf(exchange: Exchange, job: Job): Record<string, unknown> {
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const open = state === 'queued' || state === 'running';
  const failed = state === 'failed' || state === 'expired';
  const refused = job.fate === 'moderation';
  return {
    TaskId: job.id,
    Status: open ? 'PROCESSING' : 'FINISH',
    ErrCode: failed ? 70000 : 0,
    ErrCodeExt: failed ? (refused ? 'InvalidParameter.VoilationContent' : 'InternalError') : '',
    Message: failed ? (refused ? 'The output violates the content policy.' : 'An internal error has occurred.') : '',
    Progress: jobs.percentOf(job),
    Input: job.details['input'],
    Output: state === 'succeeded' ? outputOf(exchange, job) : null,
    SessionId: job.details['session'],
    SessionContext: job.details['context'],
  };
}

function outputOf(exchange: Exchange, job: Job): Record<string, unknown> {
  const { details } = job;
  if (job.kind === 'subject') {
    const input = isJsonObject(details['input']) ? details['input'] : {};
    const id = textOf(details['element']);
    // The inner text holds the id as a number that no double can hold.
    const info = JSON.stringify({
      element_id: '#',
      element_name: input['ElementName'],
      element_type: input['ReferenceType'],
      status: 'succeed',
    }).replace('"#"', id);
    return { InfoList: [{ ElementId: id, ElementInfo: info }] };
  }
  const seconds = Number(details['seconds']);
  const permanent = details['permanent'] === true;
  return {
    FileInfos: [
      {
        StorageMode: permanent ? 'Permanent' : 'Temporary',
        MediaName: '',
        ClassId: 0,
        ExpireTime: permanent ? '9999-12-31T23:59:59Z' : iso(exchange.stage.jobs.endedAt(job) + 7 * 86_400_000),
        FileType: 'mp4',
        FileUrl: details['url'],
        FileId: permanent ? '5285890800000000001' : '',
        MetaData: {
          Duration: seconds,
          Width: details['width'],
          Height: details['height'],
          Size: 9_000_000,
          Bitrate: 14_000_000,
          Container: 'mov,mp4',
        },
      },
    ],
    Usage: {
      InputTokens: 0,
      ThoughtTokens: 0,
      InputImageCount: 0,
      InputSeconds: 0,
      OutputSeconds: seconds,
      TotalSeconds: seconds,
    },
  };
}

/** `ManageTask`: only a waiting task can be aborted. */
export function manageTask(exchange: Exchange): void {
  exchange.json(complainAsTencent).oneOf('OperationType', ['Abort'] as const);
  const job = find(exchange);
  if (exchange.stage.jobs.stateOf(job) !== 'queued') {
    throw tencentRefusal('FailedOperation', 'The task is not waiting any more.');
  }
  exchange.stage.jobs.cancel(job);
  exchange.reply(200, { Response: { RequestId: exchange.stage.newId('') } });
}

/** `DescribeTasks`: one state at a time, newest first, by pages. */
export function describeTasks(exchange: Exchange): void {
  const body = exchange.json(complainAsTencent);
  const status = body.oneOf('Status', ['WAITING', 'PROCESSING', 'FINISH', 'ABORTED'] as const);
  const limit = body.optionalInteger('Limit', 1, 100) ?? 10;
  const range = body.optionalObject('CreateTime');
  const after = Date.parse(range?.string('After') ?? '1970-01-01T00:00:00Z');
  const before = Date.parse(range?.string('Before') ?? '9999-12-31T23:59:59Z');
  const start = Number(body.optionalString('ScrollToken') ?? 0);
  const { jobs } = exchange.stage;
  const found = jobs
    .all('tencent-vod')
    .filter((job) => WORDS[jobs.stateOf(job)] === status)
    .filter((job) => job.createdAt >= after && job.createdAt <= before)
    .reverse();
  const page = found.slice(start, start + limit);
  exchange.reply(200, {
    Response: {
      TaskSet: page.map((job) => ({
        TaskId: job.id,
        Status: status,
        TaskType: job.kind === 'video' ? 'AigcVideoTask' : 'CreateAigcAdvancedCustomElement',
        CreateTime: iso(job.createdAt),
        BeginProcessTime: status === 'WAITING' ? '' : iso(jobs.startedAt(job)),
        FinishTime: status === 'FINISH' || status === 'ABORTED' ? iso(jobs.endedAt(job)) : '',
        SessionId: job.details['session'],
        SessionContext: job.details['context'],
      })),
      ScrollToken: start + limit < found.length ? String(start + limit) : '',
      RequestId: exchange.stage.newId(''),
    },
  });
}

/** `DescribeAigcAdvancedCustomElements` */
export function describeElements(exchange: Exchange): void {
  const body = exchange.json(complainAsTencent);
  const offset = body.optionalInteger('Offset', 0) ?? 0;
  const limit = body.optionalInteger('Limit', 1, 300) ?? 20;
  const made = finishedElements(exchange);
  const set = made.slice(offset, offset + limit).map((job) => {
    const input = isJsonObject(job.details['input']) ? job.details['input'] : {};
    return {
      Id: job.details['element'],
      Name: input['ElementName'],
      VoiceId: '',
      Description: input['ElementDescription'],
      CreateTime: iso(job.createdAt),
    };
  });
  exchange.reply(200, { Response: { ElementSet: set, TotalCount: made.length, RequestId: exchange.stage.newId('') } });
}

/** `DeleteAigcAdvancedCustomElement` */
export function deleteElement(exchange: Exchange): void {
  const id = exchange.json(complainAsTencent).string('ElementId');
  const job = finishedElements(exchange).find((candidate) => candidate.details['element'] === id);
  if (job === undefined) throw tencentRefusal('ResourceNotFound', `The element ${id} does not exist.`);
  exchange.stage.jobs.remove(job);
  exchange.reply(200, { Response: { RequestId: exchange.stage.newId('') } });
}

function finishedElements(exchange: Exchange): Job[] {
  const { jobs } = exchange.stage;
  return jobs
    .all('tencent-vod')
    .filter((job) => job.kind === 'subject' && job.deleted !== true && jobs.stateOf(job) === 'succeeded');
}

function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

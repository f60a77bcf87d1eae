/** Asking Tencent Cloud VOD: one address, the action in a header, the refusal in the body (docs/wire/tencent-vod.md#requests). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cleanFault,
  isMissing,
  listAt,
  malformedReply,
  pollJob,
  textAt,
  tooLate,
  type Fault,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { codeOf, DUPLICATE_SESSION } from './fault.ts';

const VERSION = '2018-07-17';

/** One call of the API; `SubAppId` is the account's. */
function action(name: string, body: JsonObject, upstream: Pick<Upstream, 'account'>): UpstreamRequest {
  return {
    method: 'POST',
    path: '/',
    headers: { 'x-tc-action': name, 'x-tc-version': VERSION },
    json: { SubAppId: subAppId(upstream), ...body },
  };
}

function subAppId({ account }: Pick<Upstream, 'account'>): number {
  const id = Number(account.settings['sub_app_id']);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new GatewayError('upstream_rejected_key', 'the account has no sub_app_id', { taken: 'no' });
}

/** Starts a task under its SessionId. A duplicate means that the task exists: it is looked up, never started again. */
export async function startTask(
  name: string,
  body: JsonObject & { readonly SessionId: string },
  upstream: Upstream,
): Promise<JsonObject> {
  try {
    const { json } = await upstream.send(action(name, body, upstream));
    const taskId = textAt(json, 'Response', 'TaskId');
    if (taskId === undefined) throw malformedReply('it names no task');
    return { taskId };
  } catch (error) {
    if (isMissing(error)) {
      throw new GatewayError('invalid_request', error.message, { ...error.details, taken: 'no' });
    }
    if (!(error instanceof GatewayError) || error.details.vendorCode !== DUPLICATE_SESSION) throw error;
    const found = await findTask(body.SessionId, { from: upstream.now() - SESSION_LIFE, to: upstream.now() }, upstream);
    if (found === undefined) throw error;
    return found;
  }
}

/** How long a SessionId is remembered, and a task can be queried (docs/wire/tencent-vod.md#create, #query). */
const SESSION_LIFE = 3 * 86_400_000;
const PAGE = 100;
const MAX_PAGES = 50;
/** In the order a task moves through them, so that one that moves meanwhile is met later. */
const STATES = ['WAITING', 'PROCESSING', 'FINISH', 'ABORTED'];

/** The ticket of the task with that SessionId, or undefined when the list of that time certainly has none (action DescribeTasks). */
export async function findTask(
  sessionId: string,
  created: { readonly from: number; readonly to: number },
  upstream: Upstream,
): Promise<JsonObject | undefined> {
  for (const status of STATES) {
    let scroll: string | undefined;
    let pages = 0;
    do {
      if (++pages > MAX_PAGES) {
        throw new GatewayError('upstream_unavailable', 'the vendor’s list of tasks is too long to search', {
          taken: 'unknown',
        });
      }
      const range = { After: isoSeconds(created.from), Before: isoSeconds(created.to) };
      const body: JsonObject = { Status: status, Limit: PAGE, CreateTime: range };
      if (scroll !== undefined) body['ScrollToken'] = scroll;
      const { json } = await upstream.send(action('DescribeTasks', body, upstream));
      if (textAt(json, 'Response', 'RequestId') === undefined)
        throw malformedReply('a list of tasks without a Response');
      const tasks = listAt(json, 'Response', 'TaskSet');
      const mine = tasks.find((task) => textAt(task, 'SessionId') === sessionId);
      const taskId = textAt(mine, 'TaskId');
      if (taskId !== undefined) return { taskId };
      scroll = tasks.length > 0 ? textAt(json, 'Response', 'ScrollToken') : undefined;
    } while (scroll !== undefined);
  }
  return undefined;
}

/** Around the time a request was sent: clocks differ, and a timeout may be long. */
export function aroundSubmission(submittedAt: number): { readonly from: number; readonly to: number } {
  return { from: submittedAt - 600_000, to: submittedAt + 1_800_000 };
}

function isoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The detail of a task, foreign slots (null) removed; `missing` after three days. */
export async function describeTask(
  ticket: JsonObject,
  upstream: Upstream,
): Promise<{ readonly response: JsonObject } | { readonly missing: Json }> {
  const taskId = textAt(ticket, 'taskId') ?? '';
  const polled = await pollJob(upstream, action('DescribeTaskDetail', { TaskId: taskId }, upstream));
  if ('missing' in polled) return polled;
  const response = isJsonObject(polled.json) ? polled.json['Response'] : undefined;
  if (!isJsonObject(response)) throw malformedReply('a task detail without a Response');
  return { response: Object.fromEntries(Object.entries(response).filter(([, slot]) => slot !== null)) };
}

/** Aborts a waiting task; `conflict` once it runs (docs/wire/tencent-vod.md#query). */
export async function abortTask(ticket: JsonObject, upstream: Upstream): Promise<void> {
  try {
    const body = { TaskId: textAt(ticket, 'taskId') ?? '', OperationType: 'Abort' };
    await upstream.send(action('ManageTask', body, upstream));
  } catch (error) {
    const refused = error instanceof GatewayError && TOO_LATE.test(error.details.vendorCode ?? '');
    throw refused ? tooLate('it is no longer waiting') : error;
  }
}

/** No code of ManageTask's own is documented; every refusal of the operation or the task itself says the same. */
const TOO_LATE = /^(?:FailedOperation|InvalidParameter|UnsupportedOperation|ResourceNotFound|ResourceUnavailable)/;

/** The failure in a task's slot. */
export function slotFault(slot: JsonObject, upstream: Pick<Upstream, 'scrub'>): Fault {
  const vendorCode = textAt(slot, 'ErrCodeExt');
  const fault = {
    // A finished task that says "no such resource" speaks of its input.
    code: vendorCode === undefined ? 'upstream_unavailable' : inputCode(codeOf(vendorCode)),
    message: textAt(slot, 'Message') ?? 'the vendor gave no reason',
    ...(vendorCode !== undefined && { vendorCode }),
  };
  return cleanFault(fault, (text) => upstream.scrub(text));
}

function inputCode(code: Fault['code']): Fault['code'] {
  return code === 'task_not_exist' ? 'invalid_request' : code;
}

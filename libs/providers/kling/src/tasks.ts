/** What Kling's video and element tasks have in common (docs/wire/kling.md#endpoints, #elements). */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  idAt,
  isMissing,
  malformedReply,
  MAX_POLL_BYTES,
  writeVendorJson,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';

/** Kept as text on our side: they have 18 digits (docs/wire/video-tasks.md#large-integers). */
const INTEGERS = new Set(['element_id']);

/** A create; numbers too long for our JSON go out with every digit. */
function post(path: string, body: JsonObject): UpstreamRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(writeVendorJson(body, INTEGERS)),
  };
}

function one(path: string, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/**
 * Starts a task under its `external_task_id`. Where the vendor says it knows that id already, the task exists: it is looked up, never
 * started again.
 */
export async function startTask(
  path: string,
  body: JsonObject & { readonly external_task_id: string },
  upstream: Upstream,
): Promise<string> {
  try {
    const { json } = await upstream.send(post(path, body));
    const taskId = idAt(json, 'data', 'task_id');
    if (taskId === undefined) throw malformedReply('it names no task');
    return taskId;
  } catch (error) {
    if (isMissing(error)) {
      // 1203 at a create is the model, not a task.
      const { details } = error;
      throw new GatewayError('upstream_unavailable', 'the vendor does not offer this model to the gateway', details);
    }
    if (!saysDuplicate(error)) throw error;
    const taskId = await findTask(path, body.external_task_id, upstream);
    if (taskId !== undefined) return taskId;
    throw new GatewayError('upstream_malformed', 'the vendor knows this task already, but does not show it', {
      taken: 'unknown',
    });
  }
}

/** No code of its own is documented for an external id used twice: a parameter error whose sentence names it. */
function saysDuplicate(error: unknown): boolean {
  return (
    error instanceof GatewayError &&
    error.code === 'invalid_request' &&
    /external_?task_?id|external id|duplicat|already exist/i.test(error.message)
  );
}

/** The task started under an external id, or undefined when the vendor has none. */
export async function findTask(path: string, externalId: string, upstream: Upstream): Promise<string | undefined> {
  const found = await queryTask(path, externalId, upstream);
  if ('missing' in found) return undefined;
  const taskId = idAt(found.json, 'data', 'task_id');
  if (taskId === undefined) throw malformedReply('a task without a task_id');
  return taskId;
}

const MISSING: ReadonlySet<string> = new Set(['task_not_exist', 'invalid_request']);

/** A task by its own or its external id. */
export async function queryTask(
  path: string,
  id: string,
  upstream: Upstream,
): Promise<{ readonly json: Json } | { readonly missing: Json }> {
  try {
    const { json } = await upstream.send({ method: 'GET', path: one(path, id), maxReplyBytes: MAX_POLL_BYTES });
    if (json === undefined) throw malformedReply('its answer to a status query is no JSON');
    return { json };
  } catch (error) {
    // The id is the only parameter there is.
    if (error instanceof GatewayError && MISSING.has(error.code)) {
      return { missing: { code: error.details.vendorCode ?? '', message: error.message } };
    }
    throw error;
  }
}

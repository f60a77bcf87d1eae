/** /admin/jobs: work that reads more than a page, started, followed and cancelled. */
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import type { BlobStore, Content, MaintenanceJob, Store } from '@model-gateway/core';
import { responseSignal } from '../../http/exchange.ts';
import type { Handlers } from '../../http/operation.ts';
import { partAskedBy, sendFile } from '../../http/range.ts';
import { present } from '../../present.ts';
import type { Actor } from '../audit/audited.ts';
import {
  actorOf,
  auditedBy,
  idIn,
  idOfText,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
} from '../admin-operation.ts';
import { invalidAt, timeOf, timeOrNull } from '../values.ts';
import { JOB_PARAMETERS } from './works.ts';

type Schemas = components['schemas'];

/** Operations on maintenance jobs. */
export function jobOperations(parts: AdminParts): AdminOperations {
  const { store, jobs } = parts;
  return {
    createJob: async (call) => {
      const { kind, ...given } = call.body;
      const parameters = parametersOf(kind, given);
      const { actor } = call.actor;
      const { job, isNew } = await auditedBy(parts, call).change(async (tables, record) => {
        const added = await jobs.add(tables.maintenanceJobs, { kind, parameters, actor });
        const { id } = added.job;
        if (added.isNew) await record({ action: 'job.start', subject: `job ${id}`, after: { kind, ...parameters } });
        return added;
      });
      // It is answered at once; who reads it next finds it running.
      if (isNew) void jobs.begin();
      return jobView(job);
    },
    listJobs: async (call) => {
      await jobs.interruptSilent();
      const { filter, view } = pageOf(call, idOfText);
      const kind = textIn(call, 'kind');
      // The document says which there are.
      const state = textIn(call, 'state') as MaintenanceJob['state'] | undefined;
      return view(await store.maintenanceJobs.list({ ...filter, ...present({ kind, state }) }), jobView);
    },
    getJob: async (call) => {
      await jobs.interruptSilent();
      return jobView(await found(store, idIn(call, 'job_id')));
    },
    cancelJob: async (call) => {
      const id = idIn(call, 'job_id');
      await jobs.interruptSilent();
      const before = await found(store, id);
      if (before.state === 'cancelled') return jobView(before);
      if (!(await jobs.cancel(id)))
        throw new GatewayError('conflict', `job ${id} has ended: it is ${before.state}`, { param: 'job_id' });
      if (before.cancelRequestedAt === undefined)
        await auditedBy(parts, call).record({
          action: 'job.cancel',
          subject: `job ${id}`,
          after: { kind: before.kind },
        });
      return jobView(await found(store, id));
    },
  };
}

export interface JobFileParts {
  readonly store: Store;
  readonly now: () => number;
  readonly blobs: BlobStore;
}

/** The file of a job, which is no JSON. */
export function jobFileRoutes(parts: JobFileParts): Handlers {
  return {
    async getJobFile(request, response) {
      const id = idIn({ params: request.params, query: {} }, 'job_id');
      const part = partAskedBy(request);
      const actor = actorOf(request, response);
      const { name, content } = await openJobFile(parts, id, { part, actor, signal: responseSignal(response) });
      response.setHeader('content-disposition', `attachment; filename="${name}"`);
      await sendFile(response, content);
    },
  };
}

interface JobFileCall {
  readonly actor: Actor;
  readonly part?: ReturnType<typeof partAskedBy>;
  readonly signal?: AbortSignal;
}

/** Opens the file of a job, or a part of it, and leaves a line in the audit log. Throws `not_found` where there is none. */
export async function openJobFile(
  parts: JobFileParts,
  id: number,
  { part: asked, actor, signal }: JobFileCall,
): Promise<{ readonly name: string; readonly content: Content }> {
  const { kind, file } = await found(parts.store, id);
  if (file === undefined || file.expiresAt <= parts.now())
    throw new GatewayError('not_found', `job ${id} has no file, or its file has expired`, { param: 'job_id' });
  const { name, mime, size } = file;
  const about = { mime, size, seekable: true, etag: `"job-${id}"` };
  const part = asked?.of(size);
  if (asked !== undefined && part === undefined)
    return { name, content: { ...about, part: 'outside', body: nothing() } };
  const range = part ?? { first: 0, last: size - 1 };
  const body = size === 0 ? nothing() : await parts.blobs.open(file.location, range, signal);
  // The rest of a download that broke off is no other one; whoever begins has all of it to come.
  if (range.first === 0)
    await auditedBy(parts, { actor }).record({
      action: 'job.download',
      subject: `job ${id}`,
      after: { kind, bytes: size },
    });
  return { name, content: { ...about, ...(part !== undefined && { part }), body } };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A part that lies outside of the file.
}

/** Those that the kind takes; throws `invalid_request` for another one. */
function parametersOf(kind: Schemas['JobKind'], given: Omit<Schemas['JobCreate'], 'kind'>): JsonObject {
  const taken: readonly string[] = JOB_PARAMETERS[kind];
  for (const name of Object.keys(given))
    if (!taken.includes(name))
      throw invalidAt(name, `${kind} takes ${taken.length === 0 ? 'no parameters' : taken.join(', ')}`);
  const { from, to } = given;
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    throw invalidAt('from', 'it must be before the end');
  return given;
}

async function found({ maintenanceJobs }: Pick<Store, 'maintenanceJobs'>, id: number): Promise<MaintenanceJob> {
  const job = await maintenanceJobs.get(id);
  if (job === undefined) throw new GatewayError('not_found', `there is no job ${id}`, { param: 'job_id' });
  return job;
}

function jobView(job: MaintenanceJob): Schemas['Job'] {
  const { file } = job;
  return {
    object: 'job',
    id: job.id,
    kind: job.kind as Schemas['JobKind'],
    state: job.state,
    parameters: { ...job.parameters },
    progress: { done: job.done, total: job.total ?? null },
    started_by: job.actor,
    cancel_requested: job.cancelRequestedAt !== undefined,
    created_at: timeOf(job.createdAt),
    started_at: timeOrNull(job.startedAt),
    ended_at: timeOrNull(job.endedAt),
    expires_at: timeOrNull(job.expiresAt),
    error: job.error === undefined ? null : { ...job.error },
    result: (job.result ?? null) as Schemas['Job']['result'],
    file:
      file === undefined
        ? null
        : { name: file.name, content_type: file.mime, bytes: file.size, expires_at: timeOf(file.expiresAt) },
  };
}

/** Asking a vendor how one task is. A question that goes wrong is not a task that failed. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { cleanVendorText, type Fault, type ProviderAdapter, type Upstream } from '@model-gateway/provider-kit';
import type { GatewayAccount } from '../catalogue.ts';
import { answeringRow } from '../paid/routed.ts';
import type { TaskRecord } from '../ports.ts';
import { keepable } from './payload.ts';
import type { ResultFiles } from './results.ts';
import type { Settler } from './settle.ts';
import { messageOf, submissionUnknownReason } from './submit.ts';
import type { TaskParts, UpstreamHandle } from './types.ts';
import { payloadWithoutWebhookUrl, withoutWebhookUrl } from './vendor-webhooks.ts';
import type { TaskNews } from './video-task.ts';

/** How long an unanswered submission is looked for by its dedupe key. */
const RECONCILE_FOR_MS = 3_600_000;

/** The longest that a picture is drawn, other vendors asked in between; what is not there then was left by a process that died. */
export const LONGEST_DRAWING_MS = 30 * 60_000;

/** What was learnt of a task; `usage` where its vendor says what it used. */
export type CheckedNews = TaskNews & { readonly usage?: Parameters<Settler['apply']>[2] };

/** Asks about tasks, whatever state their process left them in. */
export class VendorCheck {
  private readonly parts: TaskParts;
  private readonly results: ResultFiles;
  private readonly timeoutMs: number;
  private readonly startedAt: number;

  constructor(parts: TaskParts, results: ResultFiles, timeoutMs: number) {
    this.parts = parts;
    this.results = results;
    this.timeoutMs = timeoutMs;
    this.startedAt = parts.now();
  }

  /** Never rejects: what goes wrong is a `fault`. Undefined where the task waits in its queue again. */
  async newsOf(task: TaskRecord): Promise<CheckedNews | undefined> {
    try {
      if (task.kind === 'image') return this.checkDrawing(task);
      if (task.ticket === undefined && !task.submitted) return await this.neverAsked(task);
      const account = this.parts.catalogue().accounts.find(({ id }) => id === task.accountId);
      if (account?.on !== true || !this.checksFor(account.vendor, task.vendor)) {
        // The operator may bring it back; until the deadline nothing is lost.
        return { state: 'fault', code: 'unavailable', reason: 'the account of the task is not configured' };
      }
      const handle = { account, ...this.open(task, account) };
      if (task.ticket === undefined) return await this.findSubmission(task, handle);
      return await this.check(task, { ...handle, ticket: task.ticket });
    } catch (error) {
      return this.faultOf(task, error);
    }
  }

  /** A picture that nobody draws any more; one that was drawn is no longer open. */
  private checkDrawing({ createdAt }: TaskRecord): CheckedNews {
    const isOfEarlier = this.parts.settings.soleProcess === true && createdAt < this.startedAt;
    if (!isOfEarlier && this.parts.now() < createdAt + LONGEST_DRAWING_MS) {
      return { state: 'fault', code: 'unavailable', reason: 'the picture is being drawn' };
    }
    const reason = submissionUnknownReason('the gateway stopped before the picture was drawn');
    return { state: 'ended', code: 'submission_unknown', reason };
  }

  /** Its process died, or the clock was wrong, before the vendor was asked. */
  private async neverAsked({ id, queueTurn }: TaskRecord): Promise<CheckedNews | undefined> {
    if (queueTurn === undefined)
      return { state: 'ended', code: 'unavailable', reason: 'the gateway stopped before the vendor was asked' };
    if (await this.parts.store.jobQueue.putBack(id, queueTurn, this.parts.now())) return undefined;
    return { state: 'ended', code: 'unavailable', reason: 'the vendor account had no room for the task in time' };
  }

  /** An account's vendor, or one that its adapter's tasks were stored under before. */
  private checksFor(vendor: string, stored: string): boolean {
    return vendor === stored || this.parts.adapters.get(vendor)?.formerIds?.includes(stored) === true;
  }

  /** By the offer it was started with, where the catalogue still has it: its fine points apply to polls too. */
  private open(
    { model, upstreamModel }: TaskRecord,
    account: GatewayAccount,
  ): { readonly adapter: ProviderAdapter; readonly upstream: Upstream } {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const asked = { accountId: account.id, model: upstreamModel };
    const offer = answeringRow(this.parts.catalogue(), model, asked)?.offers.find(
      (one) => one.account.id === account.id && one.model === upstreamModel,
    );
    return offer === undefined
      ? this.parts.openAccount(account, upstreamModel, signal)
      : this.parts.openOffer(offer, signal);
  }

  private check(task: TaskRecord, handle: UpstreamHandle): Promise<CheckedNews> {
    return task.kind === 'subject' ? this.checkSubject(task, handle) : this.checkVideo(task, handle);
  }

  private async checkVideo(task: TaskRecord, handle: UpstreamHandle): Promise<CheckedNews> {
    const { videos } = handle.adapter;
    if (videos === undefined) throw new GatewayError('internal', 'the vendor of the task makes no videos');
    const progress = await videos.check(handle.ticket, handle.upstream);
    const payload = payloadWithoutWebhookUrl(keepable(progress.payload, handle.account), task.id);
    if (progress.state === 'failed') {
      const fault = cleanFault(progress.fault, handle.account);
      return { ...progress, payload, fault: { ...fault, message: withoutWebhookUrl(fault.message, task.id) } };
    }
    if (progress.state !== 'succeeded') return { ...progress, payload };
    const files = await this.results.keep(task, progress.files, handle);
    return { state: 'succeeded', files, payload, usage: progress.usage };
  }

  private async checkSubject(task: TaskRecord, handle: UpstreamHandle): Promise<CheckedNews> {
    const { ticket, account, adapter, upstream } = handle;
    if (adapter.subjects === undefined) throw new GatewayError('internal', 'the vendor of the task makes no subjects');
    const progress = await adapter.subjects.check(ticket, upstream);
    const payload = keepable(progress.payload, account);
    if (progress.state === 'failed') return { ...progress, payload, fault: cleanFault(progress.fault, account) };
    if (progress.state !== 'succeeded') return { ...progress, payload };
    const { id: taskId, ownerId, mode, accountId } = task;
    const createdAt = this.parts.now();
    // Before the end is written: a subject without a known owner would be anybody's.
    await this.parts.store.subjects.remember(
      progress.subjectIds.map((id) => ({ id, ownerId, mode, accountId, taskId, createdAt })),
    );
    return { state: 'succeeded', files: [], payload };
  }

  /** A submission whose process died before the ticket was stored. It is looked up where the vendor can, and never sent again. */
  private async findSubmission(task: TaskRecord, handle: Omit<UpstreamHandle, 'ticket'>): Promise<CheckedNews> {
    const { store, now, log } = this.parts;
    const { adapter, upstream } = handle;
    const capability = task.kind === 'video' ? adapter.videos : adapter.subjects;
    const unknown: CheckedNews = {
      state: 'ended',
      code: 'submission_unknown',
      reason: submissionUnknownReason('the gateway stopped before the vendor answered'),
    };
    if (capability?.reconcile === undefined) return unknown;
    const submittedAt = task.submitTime ?? task.createdAt;
    let ticket: JsonObject | undefined;
    try {
      ticket = await capability.reconcile({ dedupeKey: dedupeKeyOf(task.id), submittedAt }, upstream);
    } catch (error) {
      if (now() - submittedAt > RECONCILE_FOR_MS) return unknown;
      throw error;
    }
    if (ticket === undefined) return unknown;
    await store.tasks.saveTicket(task.id, ticket, now(), undefined, now());
    log.warn({ task: task.id }, 'a submission of a stopped process was found by its dedupe key');
    const current = await store.tasks.get(task.id);
    return current?.ticket === undefined ? unknown : this.check(current, { ...handle, ticket });
  }

  private faultOf(task: TaskRecord, error: unknown): TaskNews {
    if (error instanceof GatewayError && error.code === 'task_not_exist') return { state: 'missing', payload: null };
    const code = error instanceof GatewayError ? error.code : 'internal';
    const reason = withoutWebhookUrl(messageOf(error), task.id);
    const fields = { task: task.id, vendor: task.vendor, account: task.accountId, code, faults: task.faults + 1 };
    if (code === 'internal') this.parts.log.error({ ...fields, error }, 'a poll went wrong');
    else this.parts.log.warn({ ...fields, reason }, 'a poll went wrong');
    const retryAfterSeconds = error instanceof GatewayError ? error.details.retryAfterSeconds : undefined;
    return { state: 'fault', code, reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
}

/** A vendor's words end in the record: no key, host or organisation in them, whatever the adapter let through. */
function cleanFault(fault: Fault, account: GatewayAccount): Fault {
  return { ...fault, message: cleanVendorText(fault.message, account) };
}

/** The vendor's dedupe key of a task: found again from its id alone, after a crash too. */
export function dedupeKeyOf(taskId: string): string {
  return taskId.slice(0, 40);
}

/** Writing what was learnt about a task: state, money, event and webhook in one transaction, whoever is first (docs/architecture.md#tasks). */
import { UNITS_PER_DOLLAR, type Usage } from '@model-gateway/contracts';
import { accountIdOf, type ModelRow } from '../catalogue.ts';
import { tellDoubt } from '../paid/payment.ts';
import { answeringRow } from '../paid/routed.ts';
import type { CallerLabels } from '../parts.ts';
import type { Settlement, TaskRecord } from '../ports.ts';
import { windowFor, type Cadence, type Durations } from './cadence.ts';
import type { TaskParts } from './types.ts';
import { REST_MS } from './vendor-webhooks.ts';
import { advance, afterStep, OPEN_STATES, type TaskNews, type TaskStep } from './video-task.ts';
import type { TaskWatch } from './watch.ts';

export interface SettlerOptions {
  readonly parts: TaskParts;
  readonly durations: Durations;
  readonly watch: TaskWatch;
  readonly resultUrl: (task: TaskRecord) => string;
  /** A task has ended: there is room at its account, and its webhook is due where it has one. */
  readonly ended: (task: TaskRecord) => void;
}

type Work = Pick<TaskRecord, 'id' | 'model' | 'accountId' | 'upstreamModel'>;

/** Settles tasks for one process. */
export class Settler {
  private readonly options: SettlerOptions;
  private readonly parts: TaskParts;

  constructor(options: SettlerOptions) {
    this.options = options;
    this.parts = options.parts;
  }

  /** Applies news to a task. False when somebody else was first, or the task had ended: nothing changed then. */
  async apply(task: TaskRecord, news: TaskNews, usage: Usage = {}): Promise<boolean> {
    const { parts } = this;
    const at = parts.now();
    const step = advance(task, news, at, this.cadenceOf(task));
    if (step === undefined) return false;
    const { settlement, billed = {} } = this.settlementOf(task, step, usage);
    const charged = settlement.type === 'capture' ? settlement.charged : 0;
    const ends = step.money !== 'keep';
    const webhook =
      ends && task.callbackUrl !== undefined ? this.webhookOf(afterStep(task, step, charged, at), at) : {};
    const ifTold = { since: task.vendorWebhookAt, nextCheckAt: at + REST_MS };
    if (ends) parts.step?.('settle.ending');
    const isFirst = await parts.store.tasks.advance(
      task.id,
      OPEN_STATES,
      {
        ...step.patch,
        ...webhook,
        ...(parts.settings.vendorWebhooks === true && { ifTold }),
        ...(task.queueTurn !== undefined && { ifTurn: task.queueTurn }),
      },
      settlement,
      at,
    );
    if (!isFirst) return false;
    if (ends) parts.step?.('settle.ended');
    if (step.patch.state !== undefined || step.patch.progress !== task.progress) this.options.watch.wake(task.id);
    if (ends) this.report(task, step, at, charged);
    if (charged > 0) {
      this.countUse(task, charged, billed);
      const { requestId, ownerId, mode } = task;
      parts.chargedLate?.({ requestId, ownerId, mode, units: charged });
    }
    if (ends) this.options.ended(task);
    if (settlement.type === 'capture') await this.tellSpend(task);
    return true;
  }

  /** The ledger's entry knows the tags of the request, and what was really charged. Never rejects. */
  private async tellSpend({ id, ownerId, mode }: TaskRecord): Promise<void> {
    const { store, spent, log } = this.parts;
    if (spent === undefined) return;
    try {
      const [entry] = await store.ledger.entries({ taskId: id, kind: 'capture', limit: 1 });
      if (entry === undefined) return;
      const { usage = {}, tags, identity } = entry.detail as CallerLabels & { readonly usage?: Usage };
      const labels = { ...(tags !== undefined && { tags }), ...(identity !== undefined && { identity }) };
      spent({ ownerId, mode, labels, usage, charged: entry.charged });
    } catch (error) {
      log.warn({ err: error, task: id }, 'what a task was charged could not be counted by who spent it');
    }
  }

  /** When to ask about a task. */
  cadenceOf(task: Work): Cadence {
    const account = this.parts.catalogue().accounts.find(({ id }) => id === task.accountId);
    const usual = this.rowOf(task)?.usualSeconds;
    // The twin's videos take seconds, whatever the vendor's would take.
    const usualMs = usual === undefined || account?.twin === true ? undefined : usual * 1000;
    const window = this.options.durations.window(task, usualMs);
    return {
      pollMs: this.parts.settings.pollSeconds * 1000,
      ...(window !== undefined && { window: windowFor(task.id, window) }),
    };
  }

  private rowOf({ model, accountId, upstreamModel }: Work): ModelRow | undefined {
    return answeringRow(this.parts.catalogue(), model, { accountId, model: upstreamModel });
  }

  private settlementOf(
    task: TaskRecord,
    step: TaskStep,
    reported: Usage,
  ): { readonly settlement: Settlement; readonly billed?: Usage } {
    if (step.money === 'keep') return { settlement: { type: 'none' } };
    if (step.money === 'release') {
      return {
        settlement: { type: 'release', detail: { reason: step.patch.failCode ?? '', accountId: task.accountId } },
      };
    }
    if (task.kind !== 'video') return { settlement: { type: 'none' } };
    const row = this.rowOf(task);
    if (row === undefined) {
      // The model has left the catalogue while its task ran: what was set aside is the last price known.
      const { priceVersion } = this.parts.catalogue();
      const detail = { reported: { ...reported }, reason: 'the model left the catalogue' };
      return { settlement: { type: 'capture', charged: task.quota, ...this.payeeOf(task), priceVersion, detail } };
    }
    const { charged, priceVersion, detail, usage, isBelieved } = this.parts.money.settle(
      row,
      task.group,
      reported,
      task.input,
    );
    if (!isBelieved) this.doubt(task, row, { reported, billed: usage });
    // What a route led to is billed at its own price.
    const answered = row.code === task.model ? detail : { answered_by: row.code, ...detail };
    return {
      settlement: { type: 'capture', charged, ...this.payeeOf(task), priceVersion, detail: answered },
      billed: usage,
    };
  }

  /** The account that is billed, whichever of its keys the task went to: that key may be gone, its account still has its name. */
  private payeeOf({ accountId, accountName }: TaskRecord): { readonly accountId?: number } {
    const { accounts } = this.parts.catalogue();
    const found = accounts.find(({ id }) => id === accountId) ?? accounts.find(({ name }) => name === accountName);
    return found === undefined ? {} : { accountId: accountIdOf(found) };
  }

  private doubt(
    { id, accountId, vendor }: TaskRecord,
    row: ModelRow,
    report: { readonly reported: Usage; readonly billed: Usage },
  ): void {
    const name = this.parts.catalogue().accounts.find((account) => account.id === accountId)?.name ?? '';
    tellDoubt(this.parts, { ...report, row, account: { id: accountId, name, vendor }, of: { task: id } });
  }

  private webhookOf(
    task: TaskRecord,
    at: number,
  ): { readonly webhook: { readonly id: string; readonly body: string } } {
    const id = `msg_${this.parts.randomId()}`;
    return { webhook: { id, body: this.parts.webhookBody({ task, resultUrl: this.options.resultUrl(task), at }) } };
  }

  /** Where the account has a budget: as the vendor bills it, without the factor of the group. */
  private countUse({ accountId, upstreamModel: model, group }: TaskRecord, charged: number, usage: Usage): void {
    const { accounts, groupFactors } = this.parts.catalogue();
    const account = accounts.find(({ id }) => id === accountId);
    const factor = groupFactors[group] ?? 1;
    if (account?.budget === undefined || factor <= 0) return;
    const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
    this.parts.router.used({ account, model }, { tokens, units: Math.round(charged / factor) });
  }

  private report(task: TaskRecord, step: TaskStep, at: number, charged: number): void {
    const { meter, log } = this.parts;
    const { id, model, vendor, mode } = task;
    const state = step.patch.state ?? task.state;
    const seconds = (at - task.createdAt) / 1000;
    meter.count('gateway_tasks_ended_total', { vendor, state });
    meter.observe('gateway_task_seconds', seconds, { vendor, state });
    if (charged > 0) meter.count('gateway_charged_dollars_total', { model, vendor, mode }, charged / UNITS_PER_DOLLAR);
    if (state === 'SUCCESS') this.options.durations.record(task, at - (task.submitTime ?? task.createdAt));
    const reason = step.patch.failCode;
    log.info({ task: id, model, account: task.accountId, state, seconds, reason }, 'task ended');
  }
}

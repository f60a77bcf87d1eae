/** Writing what was learnt about a task: state, money, event and webhook in one transaction, whoever is first (docs/architecture.md#tasks). */
import { UNITS_PER_DOLLAR, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../catalogue.ts';
import { answeringRow } from '../paid/routed.ts';
import type { Settlement, TaskRecord } from '../ports.ts';
import { windowFor, type Cadence, type Durations } from './cadence.ts';
import type { EndedTask, TaskParts } from './types.ts';
import { advance, afterStep, OPEN_STATES, type TaskNews, type TaskStep } from './video-task.ts';
import type { TaskWatch } from './watch.ts';

export interface Settler {
  /** Applies news to a task. False when somebody else was first, or the task had ended: nothing changed then. */
  apply(task: TaskRecord, news: TaskNews, usage?: Usage): Promise<boolean>;
  cadenceOf(task: Pick<TaskRecord, 'id' | 'model' | 'accountId' | 'upstreamModel'>): Cadence;
}

export interface SettlerOptions {
  readonly parts: TaskParts;
  readonly durations: Durations;
  readonly watch: TaskWatch;
  readonly resultUrl: (task: TaskRecord) => string;
  /** A task has ended: there is room at its account, and its webhook is due where it has one. */
  readonly ended: (task: TaskRecord) => void;
}

/** Makes the settler of one process. */
export function createSettler({ parts, durations, watch, resultUrl, ended }: SettlerOptions): Settler {
  const { store, now, log, meter, money } = parts;

  const rowOf = ({
    model,
    accountId,
    upstreamModel,
  }: Pick<TaskRecord, 'model' | 'accountId' | 'upstreamModel'>): ModelRow | undefined =>
    answeringRow(parts.catalogue(), model, { accountId, model: upstreamModel });

  const settlementOf = (task: TaskRecord, step: TaskStep, usage: Usage): Settlement => {
    if (step.money === 'keep') return { type: 'none' };
    if (step.money === 'release') {
      return { type: 'release', detail: { reason: step.patch.failCode ?? '', accountId: task.accountId } };
    }
    if (task.kind !== 'video') return { type: 'none' };
    const row = rowOf(task);
    const detail: JsonObject = {
      usage: { ...usage },
      // What a route led to is billed at its own price.
      ...(row !== undefined && row.code !== task.model && { answered_by: row.code }),
    };
    if (row !== undefined) {
      const bill = money.settle(row, task.group, usage, task.input);
      return { type: 'capture', ...bill, detail: { ...detail, ...bill.detail } };
    }
    // The model has left the catalogue while its task ran: what was set aside is the last price known.
    const { priceVersion } = parts.catalogue();
    return {
      type: 'capture',
      charged: task.quota,
      priceVersion,
      detail: { ...detail, reason: 'the model left the catalogue' },
    };
  };

  const endedTask = (task: TaskRecord, at: number): EndedTask => ({ task, resultUrl: resultUrl(task), at });

  const cadenceOf: Settler['cadenceOf'] = (task) => {
    const catalogue = parts.catalogue();
    const account = catalogue.accounts.find(({ id }) => id === task.accountId);
    const usual = rowOf(task)?.usualSeconds;
    // The twin's videos take seconds, whatever the vendor's would take.
    const usualMs = usual === undefined || account?.twin === true ? undefined : usual * 1000;
    const window = durations.window(task, usualMs);
    return {
      pollMs: parts.settings.pollSeconds * 1000,
      ...(window !== undefined && { window: windowFor(task.id, window) }),
    };
  };

  return {
    cadenceOf,
    async apply(task, news, usage = {}) {
      const at = now();
      const step = advance(task, news, at, cadenceOf(task));
      if (step === undefined) return false;
      const settlement = settlementOf(task, step, usage);
      const charged = settlement.type === 'capture' ? settlement.charged : 0;
      const ends = step.money !== 'keep';
      const webhook =
        ends && task.callbackUrl !== undefined
          ? {
              webhook: {
                id: `msg_${parts.randomId()}`,
                body: parts.webhookBody(endedTask(afterStep(task, step, charged, at), at)),
              },
            }
          : {};
      if (ends) parts.step?.('settle.ending');
      const first = await store.tasks.advance(
        task.id,
        OPEN_STATES,
        { ...step.patch, ...webhook, ...(task.queueTurn !== undefined && { ifTurn: task.queueTurn }) },
        settlement,
        at,
      );
      if (!first) return false;
      if (ends) parts.step?.('settle.ended');
      if (step.patch.state !== undefined || step.patch.progress !== task.progress) watch.wake(task.id);
      if (ends) report(task, step, { at, charged });
      if (charged > 0) countUse(task, charged, usage);
      if (ends) ended(task);
      return true;
    },
  };

  /** Where the account has a budget: as the vendor bills it, without the factor of the group. */
  function countUse({ accountId, upstreamModel: model, group }: TaskRecord, charged: number, usage: Usage): void {
    const { accounts, groupFactors } = parts.catalogue();
    const account = accounts.find(({ id }) => id === accountId);
    const factor = groupFactors[group] ?? 1;
    if (account?.budget === undefined || factor <= 0) return;
    const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
    parts.router.used({ account, model }, { tokens, units: Math.round(charged / factor) });
  }

  function report(
    task: TaskRecord,
    step: TaskStep,
    { at, charged }: { readonly at: number; readonly charged: number },
  ): void {
    const state = step.patch.state ?? task.state;
    const seconds = (at - task.createdAt) / 1000;
    meter.count('gateway_tasks_ended_total', { vendor: task.vendor, state });
    meter.observe('gateway_task_seconds', seconds, { vendor: task.vendor, state });
    const { model, vendor, mode } = task;
    if (charged > 0) meter.count('gateway_charged_dollars_total', { model, vendor, mode }, charged / UNITS_PER_DOLLAR);
    if (state === 'SUCCESS') durations.record(task, at - (task.submitTime ?? task.createdAt));
    log.info(
      { task: task.id, model: task.model, account: task.accountId, state, seconds, reason: step.patch.failCode },
      'task ended',
    );
  }
}

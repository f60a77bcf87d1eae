/** Writing what was learnt about a task: state, money, event and webhook in one transaction, whoever is first (docs/architecture.md#tasks). */
import type { JsonObject, Usage } from '@model-gateway/contracts';
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
  /** A task has ended, and its webhook is due. */
  readonly ended: () => void;
}

/** Makes the settler of one process. */
export function createSettler({ parts, durations, watch, resultUrl, ended }: SettlerOptions): Settler {
  const { store, now, log, meter, money } = parts;

  const settlementOf = (task: TaskRecord, step: TaskStep, usage: Usage): Settlement => {
    if (step.money === 'keep') return { type: 'none' };
    if (step.money === 'release') {
      return { type: 'release', detail: { reason: step.patch.failCode ?? '', accountId: task.accountId } };
    }
    if (task.kind !== 'video') return { type: 'none' };
    const row = parts.catalogue().models.get(task.model);
    const detail: JsonObject = { usage: { ...usage } };
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
    const usual = catalogue.models.get(task.model)?.usualSeconds;
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
      const first = await store.tasks.advance(task.id, OPEN_STATES, { ...step.patch, ...webhook }, settlement, at);
      if (!first) return false;
      if (ends) parts.step?.('settle.ended');
      if (step.patch.state !== undefined || step.patch.progress !== task.progress) watch.wake(task.id);
      if (ends) report(task, step, at);
      if (ends && task.callbackUrl !== undefined) ended();
      return true;
    },
  };

  function report(task: TaskRecord, step: TaskStep, at: number): void {
    const state = step.patch.state ?? task.state;
    const seconds = (at - task.createdAt) / 1000;
    meter.count('gateway_tasks_ended_total', { vendor: task.vendor, state });
    meter.observe('gateway_task_seconds', seconds, { vendor: task.vendor, state });
    if (state === 'SUCCESS') durations.record(task, at - (task.submitTime ?? task.createdAt));
    log.info(
      { task: task.id, model: task.model, account: task.accountId, state, seconds, reason: step.patch.failCode },
      'task ended',
    );
  }
}

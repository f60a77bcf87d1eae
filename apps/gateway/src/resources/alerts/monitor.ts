/**
 * Looks for what is worth an alert, and sends it. Every process does, and none is special: who finds that nobody has looked for a minute looks
 * for all, and who finds messages that are due takes the turn of their channel. A name in the database keeps each alert from being raised twice.
 */
import type { components } from '@model-gateway/contracts';
import type { AlertMessage, Log, Store } from '@model-gateway/core';
import type { AlertSettings } from '../../config/alerts.ts';
import type { AlertChannels, Outgoing } from './channels.ts';
import { budgetOccasions, isOver, OPEN, type Occasion } from './occasions.ts';

type Budget = components['schemas']['Budget'];

const LOOK_EVERY_MS = 60_000;
const TICK_MS = 15_000;
/** Longer than one message may take. */
const TURN_MS = 120_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Pauses after failures, minutes: about two days in all. */
const RETRY_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1440] as const;
const KEEP_MESSAGES_MS = 30 * DAY_MS;
/** Longer than any window. */
const KEEP_NAMES_MS = 400 * DAY_MS;
const MOST_DUE = 500;
const MOST_SUMMED = 30;
const MOST_REMEMBERED = 10_000;

export interface AlertMonitorOptions {
  readonly alerts: Store['alerts'];
  readonly settings: AlertSettings;
  readonly channels: Pick<AlertChannels, 'names' | 'send'>;
  /** Every budget; `own`: those that only this process knows. */
  readonly budgets: (which: 'all' | 'own') => Promise<readonly Budget[]>;
  /** What this process knows of itself, whoever looks for all. */
  readonly own: () => Promise<readonly Occasion[]>;
  /** Other occasions, and of the names that are raised and begin with `OPEN` those that are over. */
  readonly others: (raised: readonly string[]) => Promise<{
    readonly occasions: readonly Occasion[];
    /** Undefined: whoever looks at budgets decides. */
    readonly isOver: (name: string) => boolean | undefined;
  }>;
  /** Unguessable name of this process. */
  readonly process: string;
  readonly now: () => number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** The alerts of one process. */
export class AlertMonitor {
  private readonly options: AlertMonitorOptions;
  /** Raised already: they are not asked about again. */
  private readonly known = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isStopped = false;

  constructor(options: AlertMonitorOptions) {
    this.options = options;
  }

  /** Looks when it is time, and sends what is due. Runs by itself after `start`. */
  run(): Promise<void> {
    this.running ??= this.runOnce().finally(() => (this.running = undefined));
    return this.running;
  }

  start(): void {
    const tick = (): void => void this.run();
    this.timer ??= setInterval(tick, TICK_MS).unref();
    tick();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async runOnce(): Promise<void> {
    const { channels, log } = this.options;
    await this.look().catch((error: unknown) =>
      log.warn({ err: error }, 'the budgets could not be checked for alerts'),
    );
    // A channel that is slow to answer holds up no other one.
    await Promise.all(
      channels
        .names()
        .map((channel) =>
          this.sendDue(channel).catch((error: unknown) =>
            log.warn({ err: error, channel }, 'alerts could not be sent'),
          ),
        ),
    );
  }

  private async look(): Promise<void> {
    const { alerts, budgets, settings, own, others, process, now } = this.options;
    const isTurn = await alerts.takeTurn('turn look', {
      process: `${process} ${now()}`,
      now: now(),
      until: now() + LOOK_EVERY_MS,
    });
    const found = await budgets(isTurn ? 'all' : 'own');
    const raised = isTurn ? await alerts.raised(OPEN) : [];
    const open = new Set(raised);
    const mine = [...found.flatMap((budget) => budgetOccasions(budget, settings, now())), ...(await own())];
    await this.raise(mine.filter(({ name }) => !open.has(name)));
    if (!isTurn) return;
    const more = await others(raised);
    await this.raise(more.occasions.filter(({ name }) => !open.has(name)));
    const over = raised.filter((name) => more.isOver(name) ?? isOver(name, found));
    await alerts.forget(over);
    for (const name of over) this.known.delete(name);
    await alerts.removeOld({ messages: now() - KEEP_MESSAGES_MS, names: now() - KEEP_NAMES_MS });
  }

  private async raise(occasions: readonly Occasion[]): Promise<void> {
    const { alerts, channels, now, log } = this.options;
    for (const { name, implied, type, text, data } of occasions) {
      if (this.known.has(name)) continue;
      const isNew = await alerts.raise({ name, implied, type, text, data, channels: channels.names(), at: now() });
      if (isNew) log.info({ type }, text);
      if (this.known.size >= MOST_REMEMBERED) this.known.clear();
      // What has no window can be forgotten by another process, and is then news again.
      if (!name.startsWith(OPEN)) this.known.add(name);
    }
  }

  /** Sends what is due to one channel, one after the other; the first failure ends it. */
  private async sendDue(channel: string): Promise<void> {
    const { alerts, process, now, settings } = this.options;
    for (;;) {
      const due = await alerts.due(channel, now(), MOST_DUE);
      if (due.length === 0 || this.isStopped) return;
      const turn = { process, now: now(), until: now() + TURN_MS };
      if (!(await alerts.takeTurn(`turn ${channel}`, turn))) return;
      try {
        // What another process has sent meanwhile is not due any more.
        const still = await alerts.due(channel, now(), MOST_DUE);
        const room = settings.maxPerHour - (await alerts.sentSince(channel, now() - HOUR_MS));
        if (room <= 0 || still.length === 0) return;
        const part = room === 1 ? still : still.slice(0, 1);
        if (!(await this.deliver(channel, part))) return;
      } finally {
        await alerts.takeTurn(`turn ${channel}`, { process, now: now(), until: now() });
      }
    }
  }

  /** Sends these as one message, and keeps what came of it. */
  private async deliver(channel: string, messages: readonly AlertMessage[]): Promise<boolean> {
    const { alerts, channels, now, log } = this.options;
    const ids = messages.map(({ id }) => id);
    const error = await channels.send(channel, outgoingOf(messages));
    if (error === undefined) {
      await alerts.saveSent(ids, now());
      return true;
    }
    for (const { id, attempts } of messages) {
      const minutes = RETRY_MINUTES[attempts];
      await alerts.saveFailed([id], { error, ...(minutes !== undefined && { nextAt: now() + minutes * 60_000 }) });
      if (minutes === undefined) log.error({ channel, alert: id, error }, 'an alert is given up');
    }
    log.warn({ channel, alerts: ids.length, error }, 'alerts were not delivered');
    return false;
  }
}

function outgoingOf(messages: readonly AlertMessage[]): Outgoing {
  const [first, ...rest] = messages;
  if (first === undefined) throw new Error('there is no message to send');
  const id = `alert_${first.id}`;
  if (rest.length === 0) return { id, type: first.type as Outgoing['type'], text: first.text, data: first.data };
  const shown = messages.slice(0, MOST_SUMMED);
  const more = messages.length - shown.length;
  const lines = [
    `${messages.length} alerts in one message, because there were too many in an hour:`,
    ...shown.map(({ text }) => `- ${text}`),
    ...(more > 0 ? [`- and ${more} more: run gateway alerts list`] : []),
  ];
  const data = { alerts: shown.map(({ type, data: each }) => ({ type, data: each })), count: messages.length };
  return { id: `${id}_${messages.length}`, type: 'summary', text: lines.join('\n'), data };
}

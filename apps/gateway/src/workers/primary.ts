/**
 * The process behind `server.workers`: it takes no requests, but hands connections to workers, replaces those that die, counts limits for all
 * of them, and passes on what one has to tell the others (docs/decisions/0013-workers.md).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, addUse, type AccountUse } from '@model-gateway/core';
import { configChanges } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { withEncryptionKey } from '../config/encryption-key.ts';
import { interruptedRow } from '../http/request-record.ts';
import { refuseChange, tellOfChanges } from '../server/reloading.ts';
import { checkPorts } from '../server/listeners.ts';
import { checkRedis, tellOfNoRedis } from '../server/shared.ts';
import { openStorage } from '../server/storage.ts';
import { tellOfNoSpend } from '../server/telemetry.ts';
import { hostCounts, type HostedCounts } from './counts.ts';
import { createGathering } from './gathering.ts';
import type { FromWorker, Question, Ready, ToWorker, TwinPlace } from './messages.ts';
import { createMetrics, type Metrics } from './merge-metrics.ts';
import { makePorts, type Ports } from './ports.ts';
import { createSlots, type Slot, type Slots } from './slots.ts';
import { EndedAtStart, keepTwin, type TwinKeeper } from './twin-keeper.ts';

/** What a worker has beyond its time to drain, for what it writes at its end. */
const CLOSING_MS = 15_000;

export interface PrimaryOptions {
  readonly config: Config;
  readonly workers: number;
  /** Handed on to the processes. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly out: (text: string) => void;
  /** Reads the configuration again; throws ConfigError. */
  readonly reread: () => Config;
}

export interface Primary {
  /** Takes a changed configuration, or says in the log why not. */
  reload(): void;
  /** Lets every worker finish; resolves with the exit code. */
  stop(): Promise<number>;
}

/** Starts the processes; resolves when the first worker takes requests. Rejects, with nothing left running, when something is missing: EndedAtStart when a process has said what. */
export async function startPrimary(options: PrimaryOptions): Promise<Primary> {
  const { environment, log, now } = options;
  await using resources = new AsyncDisposableStack();
  await checkPorts(options.config.server);
  await checkRedis(options.config, { log, now });
  const { config, aloneSince } = await takeDatabase(resources, options);

  const ports = await makePorts({ config: config.server, slots: () => workers.slots.all });
  resources.defer(() => ports.close());
  const [, program = '', ...args] = process.argv;
  const twin = keepTwin({ program, args, environment, config, log, now });
  resources.defer(() => twin.stop());
  const workers = new Workers({ ...options, config, aloneSince, program, args, ports, twin });
  resources.defer(() => workers.stop());
  await workers.start();
  if (config.redisUrl === undefined) tellOfNoRedis(config, log);
  tellOfNoSpend(config, log);

  const running = resources.move();
  return {
    reload: () => workers.reload(),
    async stop() {
      await running.disposeAsync();
      return workers.exitCode();
    },
  };
}

interface WorkersOptions extends PrimaryOptions {
  readonly aloneSince: number | undefined;
  readonly program: string;
  readonly args: readonly string[];
  readonly ports: Ports;
  readonly twin: TwinKeeper;
}

/** The workers: what each begins with, what it says, and who of the others hears of it. */
class Workers {
  readonly slots: Slots;
  private readonly options: WorkersOptions;
  private readonly counts: HostedCounts;
  private readonly used: DayUse;
  private readonly gathering = createGathering();
  private readonly metrics: Metrics;
  /** When the first worker takes requests. */
  private readonly opened = Promise.withResolvers<undefined>();
  private config: Config;
  private codes: readonly number[] = [];
  private isOpen = false;
  private isStopping = false;

  constructor(options: WorkersOptions) {
    const { workers, program, args, environment, log, now, ports } = options;
    this.options = options;
    this.config = options.config;
    this.counts = hostCounts(now);
    this.used = createDayUse(now);
    this.opened.promise.catch(() => undefined);
    this.slots = createSlots({
      ...{ count: workers, program, args, environment, log, now },
      onMessage: (slot, message) => this.hear(slot, message),
      onExit: (slot, code) => this.forget(slot, code),
      onSilence: (slot) => ports.gone(slot),
    });
    this.metrics = createMetrics({
      ready: () => this.slots.all.filter(({ isReady }) => isReady).length,
      restarts: () => this.slots.restarts(),
    });
  }

  /** Resolves when the first worker takes requests. */
  async start(): Promise<void> {
    this.slots.start();
    await Promise.all([this.options.twin.place, this.opened.promise]);
  }

  reload(): void {
    const { log, reread } = this.options;
    const before = this.config;
    let next: Config;
    try {
      next = reread();
    } catch (error) {
      refuseChange(log, error);
      return;
    }
    tellOfChanges(log, configChanges(before, next));
    // A worker that starts later encrypts with what those beside it can read.
    this.config = { ...next, encryptionKeys: before.encryptionKeys };
    for (const slot of this.slots.all) slot.send({ kind: 'reload', config: this.config });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const { drainDelaySeconds, drainSeconds } = this.config.server;
    const limitMs = (drainDelaySeconds + drainSeconds) * 1000 + CLOSING_MS;
    const ended = this.slots.stop(this.isOpen ? limitMs : 0);
    if (this.isOpen) await Promise.race([ended, sleep(drainDelaySeconds * 1000)]);
    this.options.ports.close();
    for (const slot of this.slots.all) slot.send({ kind: 'noMore' });
    this.codes = await ended;
  }

  /** The worst of those that ended last. */
  exitCode(): number {
    return Math.max(0, ...this.codes);
  }

  private hear(slot: Slot, message: FromWorker): void {
    switch (message.kind) {
      case 'loaded':
        void this.begin(slot);
        break;
      case 'ready':
        this.takeIn(slot, message.ready);
        break;
      case 'taken':
        this.options.ports.taken(message.id);
        break;
      case 'leaving':
        // All of them together take connections as long as the ports are open.
        if (this.isStopping) break;
        slot.isReady = false;
        slot.send({ kind: 'noMore' });
        break;
      case 'counts': {
        const verdicts = this.counts.take(slot.number, message.steps);
        if (verdicts.length > 0) slot.send({ kind: 'verdicts', verdicts });
        break;
      }
      case 'used':
        this.used.add(message.uses);
        this.tellOthers(slot, message);
        break;
      case 'health':
      case 'guessed':
        this.tellOthers(slot, message);
        break;
      case 'askAll':
        void this.askAll(slot, message.id, message.question);
        break;
      case 'answer':
        this.gathering.answered(slot, message.id, message.answer);
    }
  }

  private async begin(slot: Slot): Promise<void> {
    const { workers, aloneSince, twin, ports } = this.options;
    let place: TwinPlace | undefined;
    try {
      place = await twin.place;
      // The first finds out whether everything can be had; the others come after it.
      if (slot.number > 1) await this.opened.promise;
    } catch {
      return;
    }
    const { port, adminPort } = ports;
    slot.send({
      kind: 'begin',
      beginning: {
        config: this.config,
        worker: slot.number,
        workers,
        isFirst: !this.isOpen,
        port,
        ...(adminPort !== undefined && { adminPort }),
        twin: place,
        aloneSince,
      },
    });
  }

  /** It takes requests from here on; the first of them opens the ports. */
  private takeIn(slot: Slot, { url, welcome }: Ready): void {
    const { ports, twin, out } = this.options;
    slot.isReady = true;
    slot.send({ kind: 'usedToday', uses: this.used.today() });
    ports.ready();
    if (this.isOpen) return;
    this.isOpen = true;
    ports.open().then(() => {
      twin.tellUrl(url);
      out(welcome);
      this.opened.resolve(undefined);
    }, this.opened.reject);
  }

  private tellOthers(slot: Slot, message: ToWorker): void {
    for (const other of this.slots.all) if (other !== slot && other.isReady) other.send(message);
  }

  private async askAll(slot: Slot, id: number, question: Question): Promise<void> {
    const answers = await this.gathering.ask(this.slots.all, question);
    const whole = question === 'metricsPage' ? [this.metrics.page(answers)] : answers.map(({ answer }) => answer);
    slot.send({ kind: 'answers', id, answers: whole });
  }

  /** Its process has ended; whether another one takes its place. */
  private forget(slot: Slot, code: number): boolean {
    this.counts.forget(slot.number);
    this.gathering.gone(slot);
    this.metrics.gone(slot.number);
    if (!this.isOpen && slot.number === 1) this.opened.reject(new EndedAtStart(code === 0 ? 1 : code));
    return this.isOpen;
  }
}

/**
 * Keeps other gateways out of a SQLite file, brings it up to date, and settles what an earlier gateway left. Resolves with the configuration
 * with its encryption key, and the time since when nobody else can have the file; undefined for PostgreSQL, which many share.
 */
async function takeDatabase(
  resources: AsyncDisposableStack,
  { config, log, now }: Pick<PrimaryOptions, 'config' | 'log' | 'now'>,
): Promise<{ readonly config: Config; readonly aloneSince: number | undefined }> {
  if (!config.databaseUrl.startsWith('sqlite:'))
    return { config: await withEncryptionKey({ config, log }), aloneSince: undefined };
  const { store } = await openStorage(resources, { config, log, now, worker: false });
  const since = now();
  const { interrupted } = await store.ledger.closeExpiredLeases(since, { process: '' });
  if (config.requests.log !== 'off') {
    const kinds = new Map(config.models.map(({ code, kind }) => [code, kind]));
    await store.requests.add(interrupted.map((request) => interruptedRow(request, (model) => kinds.get(model))));
  }
  await store.tasks.takeOver(since);
  await store.streamLogs.loseAll();
  return { config: await withEncryptionKey({ config, settings: store.settings, log }), aloneSince: since };
}

const DAY_MS = 86_400_000;

export interface DayUse {
  add(uses: readonly AccountUse[]): void;
  today(): readonly AccountUse[];
}

/** Makes it empty; a day is one of UTC. */
export function createDayUse(now: () => number): DayUse {
  let day = 0;
  const sums = new Map<string, AccountUse>();
  const advance = (): void => {
    const current = Math.floor(now() / DAY_MS);
    if (current > day) sums.clear();
    day = Math.max(day, current);
  };
  return {
    add(uses) {
      advance();
      for (const use of uses) addUse(sums, use);
    },
    today() {
      advance();
      return [...sums.values()];
    },
  };
}

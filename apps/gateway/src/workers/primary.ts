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
import { hostCounts } from './counts.ts';
import { createGathering } from './gathering.ts';
import type { FromWorker, ToWorker, TwinPlace } from './messages.ts';
import { createMetrics } from './merge-metrics.ts';
import { makePorts } from './ports.ts';
import { createSlots, type Slot } from './slots.ts';
import { EndedAtStart, keepTwin } from './twin-keeper.ts';

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
  const { workers, environment, log, now, out } = options;
  let { config } = options;
  await using resources = new AsyncDisposableStack();
  await checkPorts(config.server);
  await checkRedis(config, { log, now });
  const taken = await takeDatabase(resources, { config, log, now });
  config = taken.config;
  const { aloneSince } = taken;

  const ports = await makePorts({ config: config.server, slots: () => slots.all });
  resources.defer(() => ports.close());
  const [, program = '', ...args] = process.argv;
  const twin = keepTwin({ program, args, environment, config, log, now });
  resources.defer(() => twin.stop());
  const counts = hostCounts(now);
  const used = createDayUse(now);
  /** When the first worker takes requests. */
  const opened = Promise.withResolvers<undefined>();
  opened.promise.catch(() => undefined);
  let isOpen = false;
  let isStopping = false;

  const others = (slot: Slot, message: ToWorker): void => {
    for (const other of slots.all) if (other !== slot && other.isReady) other.send(message);
  };
  const begin = async (slot: Slot): Promise<void> => {
    let place: TwinPlace | undefined;
    try {
      place = await twin.place;
      // The first finds out whether everything can be had; the others come after it.
      if (slot.number > 1) await opened.promise;
    } catch {
      return;
    }
    const { port, adminPort } = ports;
    slot.send({
      kind: 'begin',
      beginning: {
        config,
        worker: slot.number,
        workers,
        isFirst: !isOpen,
        port,
        ...(adminPort !== undefined && { adminPort }),
        twin: place,
        aloneSince,
      },
    });
  };
  const onMessage = (slot: Slot, message: FromWorker): void => {
    switch (message.kind) {
      case 'loaded':
        void begin(slot);
        break;
      case 'ready': {
        slot.isReady = true;
        slot.send({ kind: 'usedToday', uses: used.today() });
        ports.ready();
        if (isOpen) break;
        isOpen = true;
        ports.open().then(() => {
          twin.tellUrl(message.ready.url);
          out(message.ready.welcome);
          opened.resolve(undefined);
        }, opened.reject);
        break;
      }
      case 'taken':
        ports.taken(message.id);
        break;
      case 'leaving':
        // All of them together take connections as long as the ports are open.
        if (isStopping) break;
        slot.isReady = false;
        slot.send({ kind: 'noMore' });
        break;
      case 'counts': {
        const verdicts = counts.take(slot.number, message.steps);
        if (verdicts.length > 0) slot.send({ kind: 'verdicts', verdicts });
        break;
      }
      case 'used':
        used.add(message.uses);
        others(slot, message);
        break;
      case 'health':
      case 'guessed':
        others(slot, message);
        break;
      case 'askAll':
        void gathering.ask(slots.all, message.question).then((answers) => {
          const whole =
            message.question === 'metricsPage' ? [metrics.page(answers)] : answers.map(({ answer }) => answer);
          slot.send({ kind: 'answers', id: message.id, answers: whole });
        });
        break;
      case 'answer':
        gathering.answered(slot, message.id, message.answer);
    }
  };
  const onExit = (slot: Slot, code: number): boolean => {
    counts.forget(slot.number);
    gathering.gone(slot);
    metrics.gone(slot.number);
    if (!isOpen && slot.number === 1) opened.reject(new EndedAtStart(code === 0 ? 1 : code));
    return isOpen;
  };
  const slots = createSlots({
    count: workers,
    program,
    args,
    environment,
    log,
    now,
    onMessage,
    onExit,
    onSilence: (slot) => ports.gone(slot),
  });
  const gathering = createGathering();
  const metrics = createMetrics({
    ready: () => slots.all.filter(({ isReady }) => isReady).length,
    restarts: slots.restarts,
  });
  const limitMs = (): number => (config.server.drainDelaySeconds + config.server.drainSeconds) * 1000 + CLOSING_MS;
  let codes: readonly number[] = [];
  resources.defer(async () => {
    isStopping = true;
    const ended = slots.stop(isOpen ? limitMs() : 0);
    if (isOpen) await Promise.race([ended, sleep(config.server.drainDelaySeconds * 1000)]);
    ports.close();
    for (const slot of slots.all) slot.send({ kind: 'noMore' });
    codes = await ended;
  });
  slots.start();
  await Promise.all([twin.place, opened.promise]);
  if (config.redisUrl === undefined) tellOfNoRedis(config, log);
  tellOfNoSpend(config, log);

  const running = resources.move();
  return {
    reload() {
      const before = config;
      let next: Config;
      try {
        next = options.reread();
      } catch (error) {
        refuseChange(log, error);
        return;
      }
      tellOfChanges(log, configChanges(before, next));
      // A worker that starts later encrypts with what those beside it can read.
      config = { ...next, encryptionKeys: before.encryptionKeys };
      for (const slot of slots.all) slot.send({ kind: 'reload', config });
    },
    async stop() {
      await running.disposeAsync();
      return Math.max(0, ...codes);
    },
  };
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

/** The places of the workers: each has a process, and another one soon after that has died. */
import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Log } from '@model-gateway/core';
import { createBackOff } from './back-off.ts';
import { ROLE, type FromWorker, type Role, type ToWorker } from './messages.ts';

/** What a process said before it died has been read by then. */
const LAST_WORDS_MS = 100;
/** Of the C library: compilers in threads of their own otherwise keep an arena each, 10 to 20 MB of a worker (docs/decisions/0014-packaging.md). */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' };

export interface Slot {
  /** 1 and up: the same for all processes of this slot. */
  readonly number: number;
  isReady: boolean;
  /** A connection beside a message stays open here, too. */
  send(message: ToWorker, socket?: Socket): void;
}

export interface SlotsOptions {
  readonly count: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onMessage: (slot: Slot, message: FromWorker) => void;
  /** The process of a slot is gone. False: no other one takes its place. */
  readonly onExit: (slot: Slot, code: number) => boolean;
  /** Nothing that it said is still to come. */
  readonly onSilence: (slot: Slot) => void;
}

export interface Slots {
  readonly all: readonly Slot[];
  /** How many processes came after one that died. */
  restarts(): number;
  start(): void;
  /** Tells every process to stop; resolves with their exit codes, which is after `limitMs` at the latest: who still runs is killed. */
  stop(limitMs: number): Promise<readonly number[]>;
}

/** Makes the places; nothing runs yet. */
export function createSlots(options: SlotsOptions): Slots {
  return new WorkerSlots(options);
}

class WorkerSlots implements Slots {
  readonly all: readonly WorkerSlot[];
  private readonly options: SlotsOptions;
  private readonly codes: number[] = [];
  private restarted = 0;
  private isStopping = false;
  /** Somebody waits for the last process to end. */
  private told: () => void = () => undefined;

  constructor(options: SlotsOptions) {
    this.options = options;
    this.all = Array.from({ length: options.count }, (_, index) => new WorkerSlot(index + 1));
  }

  restarts(): number {
    return this.restarted;
  }

  start(): void {
    for (const slot of this.all) this.begin(slot);
  }

  async stop(limitMs: number): Promise<readonly number[]> {
    this.isStopping = true;
    this.codes.length = 0;
    for (const slot of this.all) {
      clearTimeout(slot.again);
      slot.send({ kind: 'stop' });
    }
    const limit = setTimeout(() => {
      for (const { process } of this.all) process?.kill('SIGKILL');
    }, limitMs);
    await this.gone();
    clearTimeout(limit);
    return this.codes;
  }

  private gone(): Promise<void> {
    return new Promise((resolve) => {
      this.told = () => {
        if (this.all.every(({ process }) => process === undefined)) resolve();
      };
      this.told();
    });
  }

  private begin(slot: WorkerSlot): void {
    const { program, args, environment, log, now, onMessage, onSilence } = this.options;
    const role: Role = 'worker';
    const worker = fork(program, args, { env: { ...ONE_ARENA, ...environment, [ROLE]: role } });
    const current = new SlotProcess(slot, worker, { startedAt: now(), onSilence });
    slot.process = worker;
    worker.on('message', (message) => onMessage(slot, message as FromWorker));
    worker.once('disconnect', () => current.fallSilent());
    worker.on('error', (error) => log.error({ err: error, worker: slot.number }, 'a worker cannot be talked to'));
    worker.once('exit', (code: number | null, signal: string | null) => this.end(current, code, signal));
  }

  private end(current: SlotProcess, code: number | null, signal: string | null): void {
    const { slot } = current;
    current.end();
    const ended = signal === null ? (code ?? 1) : 1;
    this.codes.push(ended);
    const goesOn = this.options.onExit(slot, ended);
    if (this.isStopping) this.told();
    if (this.isStopping || !goesOn) return;
    const { log, now } = this.options;
    const pause = slot.pauses.after(now() - current.startedAt);
    log.warn(
      { worker: slot.number, pid: current.process.pid, code, signal, wasReady: current.wasReady, againInMs: pause },
      'a worker has died; another one takes its place',
    );
    this.restarted++;
    slot.again = setTimeout(() => this.begin(slot), pause);
  }
}

class WorkerSlot implements Slot {
  readonly number: number;
  readonly pauses = createBackOff();
  isReady = false;
  process: ChildProcess | undefined = undefined;
  /** When the next process begins, after one that has died. */
  again: NodeJS.Timeout | undefined = undefined;

  constructor(number: number) {
    this.number = number;
  }

  send(message: ToWorker, socket?: Socket): void {
    // It may be dying: its exit says so.
    if (this.process?.connected === true) this.process.send(message, socket, { keepOpen: true }, () => undefined);
  }
}

/** One process in a slot, until nothing of it is still to come. */
class SlotProcess {
  readonly slot: WorkerSlot;
  readonly process: ChildProcess;
  readonly startedAt: number;
  private readonly onSilence: SlotsOptions['onSilence'];
  wasReady = false;
  private isSilent = false;

  constructor(
    slot: WorkerSlot,
    process: ChildProcess,
    { startedAt, onSilence }: Pick<SlotsOptions, 'onSilence'> & { readonly startedAt: number },
  ) {
    this.slot = slot;
    this.process = process;
    this.startedAt = startedAt;
    this.onSilence = onSilence;
  }

  fallSilent(): void {
    if (this.isSilent) return;
    this.isSilent = true;
    // The channel may end before the process is known to have: what came to it in between would be lost.
    this.takeNoMore();
    this.onSilence(this.slot);
  }

  /** The process has ended. */
  end(): void {
    this.takeNoMore();
    this.slot.process = undefined;
    // Not every channel says that it has ended: one with connections that wait to be sent does not.
    if (this.process.connected) setTimeout(() => this.fallSilent(), LAST_WORDS_MS);
    else this.fallSilent();
  }

  private takeNoMore(): void {
    if (this.slot.process !== this.process) return;
    this.wasReady ||= this.slot.isReady;
    this.slot.isReady = false;
  }
}

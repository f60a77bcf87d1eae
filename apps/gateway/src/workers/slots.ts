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
  /** 1 and up: the same for all processes of this place. */
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
  readonly restarts: () => number;
  start(): void;
  /** Tells every process to stop; resolves with their exit codes, which is after `limitMs` at the latest: who still runs is killed. */
  stop(limitMs: number): Promise<readonly number[]>;
}

interface Place extends Slot {
  process: ChildProcess | undefined;
  startedAt: number;
  again: NodeJS.Timeout | undefined;
}

/** Makes the places; nothing runs yet. */
export function createSlots(options: SlotsOptions): Slots {
  const { count, program, args, environment, log, now, onMessage, onExit, onSilence } = options;
  let isStopping = false;
  let restarts = 0;
  let told: () => void = () => undefined;
  const codes: number[] = [];
  const pauses = Array.from({ length: count }, createBackOff);
  const places = Array.from({ length: count }, (_, index): Place => {
    const place: Place = {
      number: index + 1,
      process: undefined,
      startedAt: 0,
      again: undefined,
      isReady: false,
      send: (message, socket) => {
        // It may be dying: its exit says so.
        if (place.process?.connected === true) place.process.send(message, socket, { keepOpen: true }, () => undefined);
      },
    };
    return place;
  });

  const begin = (place: Place): void => {
    const role: Role = 'worker';
    const worker = fork(program, args, { env: { ...ONE_ARENA, ...environment, [ROLE]: role } });
    place.process = worker;
    place.startedAt = now();
    worker.on('message', (message) => onMessage(place, message as FromWorker));
    let isSilent = false;
    let wasReady = false;
    const takesNoMore = (): void => {
      if (place.process !== worker) return;
      wasReady ||= place.isReady;
      place.isReady = false;
    };
    const fallSilent = (): void => {
      if (isSilent) return;
      isSilent = true;
      // The channel may end before the process is known to have: what came to it in between would be lost.
      takesNoMore();
      onSilence(place);
    };
    worker.once('disconnect', fallSilent);
    worker.on('error', (error) => log.error({ err: error, worker: place.number }, 'a worker cannot be talked to'));
    worker.once('exit', (code: number | null, signal: string | null) => {
      takesNoMore();
      place.process = undefined;
      // Not every channel says that it has ended: one with connections that wait to be sent does not.
      if (worker.connected) setTimeout(fallSilent, LAST_WORDS_MS);
      else fallSilent();
      const ended = code ?? 1;
      codes.push(signal === null ? ended : 1);
      const goesOn = onExit(place, signal === null ? ended : 1);
      if (isStopping) told();
      if (isStopping || !goesOn) return;
      const pause = pauses[place.number - 1]?.after(now() - place.startedAt) ?? 0;
      log.warn(
        { worker: place.number, pid: worker.pid, code, signal, wasReady, againInMs: pause },
        'a worker has died; another one takes its place',
      );
      restarts++;
      place.again = setTimeout(() => begin(place), pause);
    });
  };

  const gone = (): Promise<void> =>
    new Promise((resolve) => {
      told = () => {
        if (places.every(({ process }) => process === undefined)) resolve();
      };
      told();
    });

  return {
    all: places,
    restarts: () => restarts,
    start: () => places.forEach(begin),
    async stop(limitMs) {
      isStopping = true;
      codes.length = 0;
      for (const place of places) {
        clearTimeout(place.again);
        place.send({ kind: 'stop' });
      }
      const limit = setTimeout(() => {
        for (const { process } of places) process?.kill('SIGKILL');
      }, limitMs);
      await gone();
      clearTimeout(limit);
      return codes;
    },
  };
}

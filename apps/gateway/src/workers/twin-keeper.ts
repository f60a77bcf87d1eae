/** Keeps the process of the vendor twin running, always at the same address. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Log } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { createBackOff } from './back-off.ts';
import { ROLE, type FromTwin, type Role, type ToTwin, type TwinPlace } from './messages.ts';

const LAST_MS = 5_000;

export interface TwinKeeper {
  /** Where the twin is, or undefined where none is needed; rejects with the exit code of one that cannot start. */
  readonly place: Promise<TwinPlace | undefined>;
  /** People reach the gateway there. */
  tellUrl(url: string): void;
  stop(): Promise<void>;
}

/** A process of the gateway that could not start: what was wrong it has said itself. */
export class EndedAtStart extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`a process of the gateway could not start (exit code ${code})`);
    this.name = 'EndedAtStart';
    this.code = code;
  }
}

export interface TwinKeeperOptions {
  /** The program and its arguments: those of this process. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
}

/** Starts it. */
export function keepTwin({ program, args, environment, config, log, now }: TwinKeeperOptions): TwinKeeper {
  const role: Role = 'twin';
  const pauses = createBackOff();
  const placed = Promise.withResolvers<TwinPlace | undefined>();
  // Who waits for it hears of it.
  placed.promise.catch(() => undefined);
  let place: TwinPlace | undefined;
  let gatewayUrl = '';
  let child: ChildProcess | undefined;
  let isStopping = false;
  let again: NodeJS.Timeout | undefined;

  const send = (message: ToTwin): void => {
    if (child?.connected === true) child.send(message, () => undefined);
  };
  const start = (): void => {
    const startedAt = now();
    const started = fork(program, args, { env: { ...environment, [ROLE]: role } });
    child = started;
    let isNeeded = true;
    started.on('message', (heard) => {
      const message = heard as FromTwin;
      if (message.kind === 'loaded') {
        const port = place === undefined ? undefined : Number(new URL(place.url).port);
        send({ kind: 'begin', config, port });
        if (gatewayUrl !== '') send({ kind: 'gatewayUrl', url: gatewayUrl });
      } else if (place !== undefined && message.twin?.url !== place.url) {
        // Every worker asks at the address it had: it is tried until it is free again.
        started.kill('SIGKILL');
      } else {
        place = message.twin;
        isNeeded = place !== undefined;
        placed.resolve(place);
      }
    });
    started.once('exit', (code, signal) => {
      child = undefined;
      if (isStopping || !isNeeded) return;
      if (place === undefined) {
        placed.reject(new EndedAtStart(code ?? 1));
        return;
      }
      const pause = pauses.after(now() - startedAt);
      log.warn({ code, signal, againInMs: pause }, 'the vendor twin stopped unexpectedly and is started again');
      again = setTimeout(start, pause);
    });
  };
  start();

  return {
    place: placed.promise,
    tellUrl(url) {
      gatewayUrl = url;
      send({ kind: 'gatewayUrl', url });
    },
    async stop() {
      isStopping = true;
      clearTimeout(again);
      if (child === undefined) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const limit = setTimeout(() => child?.kill('SIGKILL'), LAST_MS);
      await gone;
      clearTimeout(limit);
    },
  };
}

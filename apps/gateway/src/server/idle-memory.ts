/**
 * Gives memory back to the system when there is nothing to do. V8 keeps what a busy time has taken: it looks at its heap when something is
 * allocated, and a process that waits allocates nothing (docs/decisions/0014-packaging.md).
 */
import { performance } from 'node:perf_hooks';

const LOOK_MS = 5_000;
/** The share of the time that the event loop may be busy, with timers of our own for instance. */
const QUIET_SHARE = 0.03;
/** Half a minute: code is compiled anew after it, so a pause between two requests is not quiet yet. */
const QUIET_LOOKS = 6;
/** Collecting everything takes about a tenth of a second, in which nobody is answered: that is for more than this. */
const WORTH_BYTES = 32 * 1024 * 1024;

/** What is read of the process, and what is done; V8's own where absent. */
export interface IdleMemoryParts {
  /** The share of the time since the last call that the event loop was busy. */
  readonly busy: () => number;
  /** Bytes. */
  readonly resident: () => number;
  /** Collects everything and gives back what is free. Blocks. */
  readonly collect: () => void;
}

/** A look, to be taken every five seconds. Collects after every six quiet ones, if more than 32 MB came since it last did. */
export function idleMemoryLook({ busy, resident, collect }: IdleMemoryParts): () => void {
  let quiet = 0;
  /** What was resident when it last collected; unknown until the look behind that. */
  let least: number | undefined = 0;
  return () => {
    const isQuiet = busy() <= QUIET_SHARE;
    least ??= resident();
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet === 0 || quiet % QUIET_LOOKS > 0) return;
    const now = resident();
    if (now - least < WORTH_BYTES) {
      least = Math.min(least, now);
      return;
    }
    collect();
    least = undefined;
  };
}

/** Looks every five seconds, as long as the process lives. Does nothing where Node was started without `--expose-gc`. */
export function returnIdleMemory(): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let before = performance.eventLoopUtilization();
  const look = idleMemoryLook({
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    resident: () => process.memoryUsage.rss(),
    collect: () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
  });
  setInterval(look, LOOK_MS).unref();
}

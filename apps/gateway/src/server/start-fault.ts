/** Why a gateway could not start, in one sentence that says what to do. */
import { createServer } from 'node:net';
import { GatewayError } from '@model-gateway/contracts';

const PORTS_TRIED = 20;

/** Of sysexits.h: the first may be better in a moment, with the second starting again does not help. */
export const UNAVAILABLE = 69;
export const BAD_CONFIGURATION = 78;

/** A start that failed for a reason outside of the program: its message is all that the operator needs. */
export class StartFault extends Error {
  /** The port that somebody else has, if that is the reason. */
  readonly portInUse: number | undefined;
  readonly exitCode: number;

  constructor(message: string, options: StartFaultOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'StartFault';
    this.portInUse = options.portInUse;
    this.exitCode = options.exitCode ?? UNAVAILABLE;
  }
}

interface StartFaultOptions {
  readonly cause?: unknown;
  readonly portInUse?: number;
  /** `UNAVAILABLE` when absent. */
  readonly exitCode?: number;
}

/** Node's word for what went wrong: `EADDRINUSE`; `unknown` when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** What the operator is told of a start that failed: for a port in use, the command that would work. */
export async function adviceFor(error: unknown, host: string): Promise<unknown> {
  // Closing what was open failed, too; the first fault is the reason.
  const first: unknown = error instanceof SuppressedError ? error.suppressed : error;
  if (first instanceof GatewayError) return ofDatabase(first);
  if (!(first instanceof StartFault) || first.portInUse === undefined) return first;
  const free = await freePortAbove(first.portInUse, host);
  return free === undefined ? first : new StartFault(`${first.message}; PORT=${free} npm start`, { cause: first });
}

/** The sentences of libs/store: a database that is away, in use, of a newer version, or in a place that cannot be shared. */
function ofDatabase(error: GatewayError): StartFault {
  const isAway = error.code === 'unavailable' || (error.code === 'conflict' && error.details.param === undefined);
  return new StartFault(error.message, { cause: error, exitCode: isAway ? UNAVAILABLE : BAD_CONFIGURATION });
}

async function freePortAbove(port: number, host: string): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, 65_535); next++) {
    if (await isFree(next, host)) return next;
  }
  return undefined;
}

function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

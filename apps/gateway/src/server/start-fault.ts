/** Why a gateway could not start, in one sentence that says what to do. */
import { createServer } from 'node:net';

const PORTS_TRIED = 20;

/** A start that failed for a reason outside of the program: its message is all that the operator needs. */
export class StartFault extends Error {
  /** The port that somebody else has, if that is the reason. */
  readonly portInUse: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly portInUse?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StartFault';
    this.portInUse = options.portInUse;
  }
}

/** Node's word for what went wrong: `EADDRINUSE`; `unknown` when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** What the operator is told of a start that failed: for a port in use, the command that would work. */
export async function adviceFor(error: unknown, host: string): Promise<unknown> {
  // Closing what was open failed, too; the first fault is the reason.
  const first: unknown = error instanceof SuppressedError ? error.suppressed : error;
  if (!(first instanceof StartFault) || first.portInUse === undefined) return first;
  const free = await freePortAbove(first.portInUse, host);
  return free === undefined ? first : new StartFault(`${first.message}; PORT=${free} npm start`, { cause: first });
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

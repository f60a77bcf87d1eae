/** The ports of a gateway with workers: they are the primary's, which hands every connection to a worker, unread. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import { adminFault, listen } from '../server/listeners.ts';
import type { Which } from './messages.ts';
import type { Slot } from './slots.ts';

/** Connections that wait for a worker when none is there. */
const MOST_WAITING = 1024;
/** As long as another worker takes to start. Whoever connects while none comes up learns that nobody answers. */
const LONGEST_WAIT_MS = 10_000;

export interface Ports {
  readonly port: number;
  readonly adminPort: number | undefined;
  /** Takes connections from here on: until there is a worker, whoever comes is refused. Throws StartFault when one of them cannot be had. */
  open(): Promise<void>;
  /** A worker has got a connection: it is the worker's own from here on. */
  taken(id: number): void;
  /** What was on its way to a worker that has died goes to another one. */
  gone(slot: Slot): void;
  /** A worker takes requests: what waited goes there. */
  ready(): void;
  /** Takes no connection any more. Idempotent. */
  close(): void;
}

interface Passed {
  readonly socket: Socket;
  readonly which: Which;
}
interface Waiting extends Passed {
  readonly limit: NodeJS.Timeout;
}

export interface PortsOptions {
  readonly config: Pick<Config['server'], 'host' | 'port' | 'adminPort'>;
  /** The workers; those that are ready get connections in turn. */
  readonly slots: () => readonly Slot[];
  /** How long a connection waits for a worker when none is there, milliseconds; 10 s when absent. */
  readonly longestWaitMs?: number;
}

/** Makes them, and finds a number for those that have none: such a one is open at once, as nobody knows of it. Throws StartFault. */
export async function makePorts({ config, slots, longestWaitMs = LONGEST_WAIT_MS }: PortsOptions): Promise<Ports> {
  const servers: Server[] = [];
  const underWay = new Map<number, Passed & { readonly slot: Slot }>();
  let waiting: Waiting[] = [];
  let last = 0;

  const pass = ({ socket, which }: Passed): void => {
    const ready = slots().filter(({ isReady }) => isReady);
    const slot = ready[last % Math.max(1, ready.length)];
    if (slot === undefined) {
      wait({ socket, which });
      return;
    }
    const id = ++last;
    underWay.set(id, { socket, which, slot });
    slot.send({ kind: 'connection', id, which }, socket);
  };
  const wait = (passed: Passed): void => {
    if (waiting.length >= MOST_WAITING) {
      passed.socket.destroy();
      return;
    }
    const limit = setTimeout(() => {
      waiting = waiting.filter((each) => each !== entry);
      passed.socket.destroy();
    }, longestWaitMs);
    const entry = { ...passed, limit };
    waiting.push(entry);
  };
  const open = async (which: Which, port: number): Promise<number> => {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      // A caller who is gone already is the worker's to find out.
      socket.on('error', () => undefined);
      pass({ socket, which });
    });
    const had = await listen(server, config.host, port).catch((error: unknown) => {
      throw which === 'admin' ? adminFault(error) : error;
    });
    servers.push(server);
    return had;
  };
  const close = (): void => {
    for (const server of servers.splice(0)) server.close();
    for (const { socket, limit } of waiting.splice(0)) {
      clearTimeout(limit);
      socket.destroy();
    }
  };
  const later: (() => Promise<number>)[] = [];
  const known = async (which: Which, port: number): Promise<number> => {
    if (port === 0) return open(which, port);
    later.push(() => open(which, port));
    return port;
  };

  try {
    const adminPort = config.adminPort === undefined ? undefined : await known('admin', config.adminPort);
    return {
      adminPort,
      port: await known('public', config.port),
      async open() {
        // The public one last: when it answers, everything does.
        for (const each of later.splice(0)) await each();
      },
      taken(id) {
        // The worker has a descriptor of its own.
        underWay.get(id)?.socket.destroy();
        underWay.delete(id);
      },
      gone(slot) {
        for (const [id, passed] of [...underWay]) {
          if (passed.slot !== slot) continue;
          underWay.delete(id);
          pass(passed);
        }
      },
      ready() {
        for (const { limit, ...passed } of waiting.splice(0)) {
          clearTimeout(limit);
          pass(passed);
        }
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

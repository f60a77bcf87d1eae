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
export async function makePorts(options: PortsOptions): Promise<Ports> {
  const ports = new WorkerPorts(options);
  try {
    await ports.find();
    return ports;
  } catch (error) {
    ports.close();
    throw error;
  }
}

class WorkerPorts implements Ports {
  port = 0;
  adminPort: number | undefined = undefined;
  private readonly config: PortsOptions['config'];
  private readonly slots: () => readonly Slot[];
  private readonly longestWaitMs: number;
  private readonly servers: Server[] = [];
  /** Those whose numbers are known; open later. */
  private readonly closed: { readonly which: Which; readonly port: number }[] = [];
  private readonly underWay = new Map<number, Passed & { readonly slot: Slot }>();
  private waiting: Waiting[] = [];
  private last = 0;

  constructor({ config, slots, longestWaitMs = LONGEST_WAIT_MS }: PortsOptions) {
    this.config = config;
    this.slots = slots;
    this.longestWaitMs = longestWaitMs;
  }

  async find(): Promise<void> {
    const { port, adminPort } = this.config;
    if (adminPort !== undefined) this.adminPort = await this.numberOf('admin', adminPort);
    this.port = await this.numberOf('public', port);
  }

  async open(): Promise<void> {
    // The public one last: when it answers, everything does.
    for (const { which, port } of this.closed.splice(0)) await this.listen(which, port);
  }

  taken(id: number): void {
    // The worker has a descriptor of its own.
    this.underWay.get(id)?.socket.destroy();
    this.underWay.delete(id);
  }

  gone(slot: Slot): void {
    for (const [id, passed] of [...this.underWay]) {
      if (passed.slot !== slot) continue;
      this.underWay.delete(id);
      this.pass(passed);
    }
  }

  ready(): void {
    for (const { limit, ...passed } of this.waiting.splice(0)) {
      clearTimeout(limit);
      this.pass(passed);
    }
  }

  close(): void {
    for (const server of this.servers.splice(0)) server.close();
    for (const { socket, limit } of this.waiting.splice(0)) {
      clearTimeout(limit);
      socket.destroy();
    }
  }

  private async numberOf(which: Which, port: number): Promise<number> {
    if (port === 0) return this.listen(which, port);
    this.closed.push({ which, port });
    return port;
  }

  private async listen(which: Which, port: number): Promise<number> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      // A caller who is gone already is the worker's to find out.
      socket.on('error', () => undefined);
      this.pass({ socket, which });
    });
    const had = await listen(server, this.config.host, port).catch((error: unknown) => {
      throw which === 'admin' ? adminFault(error) : error;
    });
    this.servers.push(server);
    return had;
  }

  /** To the next worker in turn. */
  private pass({ socket, which }: Passed): void {
    const ready = this.slots().filter(({ isReady }) => isReady);
    const slot = ready[this.last % Math.max(1, ready.length)];
    if (slot === undefined) {
      this.wait({ socket, which });
      return;
    }
    const id = ++this.last;
    this.underWay.set(id, { socket, which, slot });
    slot.send({ kind: 'connection', id, which }, socket);
  }

  private wait(passed: Passed): void {
    if (this.waiting.length >= MOST_WAITING) {
      passed.socket.destroy();
      return;
    }
    const limit = setTimeout(() => {
      this.waiting = this.waiting.filter((each) => each !== entry);
      passed.socket.destroy();
    }, this.longestWaitMs);
    const entry = { ...passed, limit };
    this.waiting.push(entry);
  }
}

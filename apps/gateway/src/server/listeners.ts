/** The ports. They are checked first, so that a failed start leaves nothing behind, and opened last, so that every connection gets an answer. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { MessageClasses } from '../http/app.ts';
import type { Upgrades } from '../http/upgrades.ts';
import type { SharedPorts } from './siblings.ts';
import { BAD_CONFIGURATION, codeOf, StartFault } from './start-fault.ts';

const TIMES = { keepAliveTimeout: 65_000, requestTimeout: 300_000, headersTimeout: 30_000 };
const IDLE_SWEEP_MS = 100;

/** The setting of the database that has the address of the gateway which listened last. */
export const GATEWAY_ADDRESS = 'gateway_address';

/** Where the gateway is. Known when its ports are open; who is asked before that was asked too early. */
export interface Addresses {
  /** Where people reach it, without a trailing slash: the configuration's `server.public_url`, or the port itself. */
  readonly publicUrl: () => string;
  readonly port: () => number;
  /** Undefined when the admin API has no port of its own. */
  readonly adminPort: () => number | undefined;
  readonly url: () => string;
  readonly adminUrl: () => string;
}

export interface Listeners {
  readonly addresses: Addresses;
  /** Opens the ports of the configuration. Throws StartFault when one cannot be had. */
  listen(resources: AsyncDisposableStack, how: ListenOptions): Promise<void>;
}

export interface ListenOptions {
  readonly app: RequestListener;
  readonly messages: MessageClasses;
  readonly upgrades: Pick<Upgrades, 'isWanted' | 'take' | 'drain'>;
  /** Called when the gateway begins to close, before the last requests have ended. */
  readonly onDrain: () => void;
}

/** Makes the ports of a configuration; they are not open yet. `shared`: another process has them open, and hands connections over. */
export function createListeners(config: Config['server'], shared?: SharedPorts): Listeners {
  const { host, publicUrl } = config;
  let port: number | undefined;
  let adminPort: number | undefined;
  const known = (): number => {
    if (port === undefined) throw new Error('the gateway does not listen yet');
    return port;
  };
  const url = (): string => urlOf(host, known());
  return {
    addresses: {
      publicUrl: () => publicUrl ?? url(),
      port: known,
      adminPort: () => adminPort,
      url,
      adminUrl: () => urlOf(host, adminPort ?? known()),
    },
    async listen(resources, { app, messages, upgrades, onDrain }) {
      const servers: Server[] = [];
      const made = (): Server => {
        const server = createServer({ ...TIMES, ...messages, ...{ shouldUpgradeCallback: upgrades.isWanted } }, app);
        return server.on('upgrade', upgrades.take);
      };
      resources.defer(async () => {
        onDrain();
        if (servers.length === 0) return;
        // From here on every answer closes its connection, so that clients reconnect to another process.
        for (const server of servers) server.maxRequestsPerSocket = 1;
        // For load balancers: readiness is red while the ports still take requests.
        await (shared?.closed() ?? sleep(config.drainDelaySeconds * 1000));
        await Promise.all([
          upgrades.drain(config.drainSeconds),
          ...servers.map((server) => drain(server, config.drainSeconds)),
        ]);
      });
      if (shared !== undefined) {
        const take = (which: 'public' | 'admin'): void => {
          const server = made();
          servers.push(server);
          takeConnections(server, shared, which);
        };
        if (shared.adminPort !== undefined) take('admin');
        take('public');
        ({ port, adminPort } = shared);
        return;
      }
      const open = async (wanted: number): Promise<number> => {
        const server = made();
        const had = await listen(server, host, wanted);
        servers.push(server);
        return had;
      };
      // The public port last: when it answers, everything does.
      if (config.adminPort !== undefined) {
        adminPort = await open(config.adminPort).catch((error: unknown) => {
          throw adminFault(error);
        });
      }
      port = await open(config.port);
    },
  };
}

/** Checks that the ports of a configuration can be opened. Throws StartFault when one cannot. */
export async function checkPorts({
  host,
  port,
  adminPort,
}: Pick<Config['server'], 'host' | 'port' | 'adminPort'>): Promise<void> {
  const check = async (wanted: number | undefined): Promise<void> => {
    if (wanted === undefined || wanted === 0) return;
    // No request is served yet, so connections of this moment are closed.
    const server = createNetServer((socket) => socket.destroy());
    await listen(server, host, wanted);
    await new Promise((resolve) => server.close(resolve));
  };
  await check(adminPort).catch((error: unknown) => {
    throw adminFault(error);
  });
  await check(port);
}

/** Opens a port; resolves with its number. Throws StartFault when it cannot be had. */
export function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(portFault(error, host, port));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function portFault(error: Error, host: string, port: number): StartFault {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return new StartFault(`port ${port} is in use`, { cause: error, portInUse: port });
  // An address that is not this machine's, a port that only root may open.
  return new StartFault(
    `port ${port} of ${host} cannot be opened (${code}); set HOST and PORT to an address and port that can be opened`,
    {
      cause: error,
      exitCode: BAD_CONFIGURATION,
    },
  );
}

/** The environment's PORT would not help. */
export function adminFault(error: unknown): unknown {
  if (!(error instanceof StartFault) || error.portInUse === undefined) return error;
  return new StartFault(`${error.message}; set server.admin_port to another port`, { cause: error });
}

/** Nobody can call 0.0.0.0. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Connections that were handed over, by server: what `close` of a server that listens knows by itself. */
const handedOver = new WeakMap<Server, Set<Socket>>();

/** Serves connections that another process has accepted. */
function takeConnections(server: Server, shared: SharedPorts, which: 'public' | 'admin'): void {
  const open = new Set<Socket>();
  handedOver.set(server, open);
  // It begins to watch over the times of requests when it listens.
  server.emit('listening');
  const take = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // As a server that listens has them.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    server.emit('connection', socket);
    socket.resume();
  };
  shared.accept(which, take, () => {
    for (const socket of open) socket.destroy();
  });
}

/** Stops listening, waits for running requests, then closes all connections. */
async function drain(server: Server, seconds: number): Promise<void> {
  const open = handedOver.get(server);
  const closed = new Promise<void>((resolve) => {
    if (open === undefined) server.close(() => resolve());
    else if (open.size === 0) resolve();
    else for (const socket of open) socket.once('close', () => open.size === 0 && resolve());
  });
  server.closeIdleConnections();
  // A keep-alive connection that just answered its last request is idle a moment later.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), seconds * 1000);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
  // Of one that never listened: it ends its watch.
  if (open !== undefined) server.close();
}

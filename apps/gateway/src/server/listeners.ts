/** The ports. They are opened last: whoever gets a connection gets an answer. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config.ts';
import type { MessageClasses } from '../http/messages.ts';
import { codeOf, StartFault } from './start-fault.ts';

const TIMES = { keepAliveTimeout: 65_000, requestTimeout: 300_000, headersTimeout: 30_000 };
const IDLE_SWEEP_MS = 100;

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
  /** Called when the gateway begins to close, before the last requests have ended. */
  readonly onDrain: () => void;
}

/** Makes the ports of a configuration; they are not open yet. */
export function createListeners(config: Config['server']): Listeners {
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
    async listen(resources, { app, messages, onDrain }) {
      const servers: Server[] = [];
      resources.defer(async () => {
        onDrain();
        await Promise.all(servers.map((server) => drain(server, config.drainSeconds)));
      });
      const open = async (wanted: number): Promise<number> => {
        const server = createServer({ ...TIMES, ...messages }, app);
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

function listen(server: Server, host: string, port: number): Promise<number> {
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
  return new StartFault(`port ${port} of ${host} cannot be opened (${code})`, { cause: error });
}

/** The environment's PORT would not help. */
function adminFault(error: unknown): unknown {
  if (!(error instanceof StartFault) || error.portInUse === undefined) return error;
  return new StartFault(`${error.message}; server.admin_port must name another`, { cause: error });
}

/** Nobody can call 0.0.0.0. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Stops listening, waits for what runs, then hangs up. */
async function drain(server: Server, seconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  // A keep-alive connection that just answered its last request is idle a moment later.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), seconds * 1000);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}

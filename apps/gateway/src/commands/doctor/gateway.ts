/** Whether a gateway runs here. */
import { createClient } from '@model-gateway/client';
import type { Config } from '../../config/config.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MS = 3000;

/** Asks the port of the configuration whether it is ready. */
export async function lookAtGateway({ server }: Config): Promise<readonly Finding[]> {
  const host = ['0.0.0.0', '::'].includes(server.host) ? '127.0.0.1' : server.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  const client = createClient({ baseUrl: url, maxRetries: 0, timeoutMs: PATIENCE_MS });
  try {
    await client.call('getReadiness');
    return [{ name: 'gateway', state: 'ok', message: `one runs at ${url} and is ready` }];
  } catch (error) {
    if (error instanceof Error && 'status' in error)
      return [
        {
          name: 'gateway',
          state: 'warning',
          message: `what runs at ${url} is not ready (${String(error.status)})`,
          advice: 'see its log: the database may be away, it may be stopping, or the port is somebody else’s',
        },
      ];
    return [{ name: 'gateway', state: 'ok', message: `none runs at ${url}; gateway serve starts one` }];
  }
}

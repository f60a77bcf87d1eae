/** A whole gateway for a test: real sockets, a real database, the vendor twin behind it, replies checked against the document. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayServer } from '@model-gateway/gateway';
import type { VendorTwin, VendorTwinOptions } from '@model-gateway/vendor-twin';
import { pino, type Logger } from 'pino';
import { TEST_MEDIA_FOLDER } from './media-folder.ts';
import { openTestDatabase, type TestDatabase, type TestDatabaseKind } from './database.ts';

export interface TestGatewayOptions {
  /** YAML put behind the harness' own `server`, `database` and `keys`; with `extends: none` its models and accounts are all there are. */
  readonly yaml?: string;
  /** More of the `server` section, as YAML members. */
  readonly server?: string;
  /** The `tasks` section, in place of one that polls twice a second. */
  readonly tasks?: string;
  /** The `files` section, in place of a folder of the test's own. */
  readonly files?: string;
  /** `one`: without the key of another owner; a deployment with one owner keeps nothing from him. */
  readonly owners?: 'one';
  /** More declared keys, as YAML list items. */
  readonly keys?: string;
  readonly database?: TestDatabaseKind;
  /** A database that outlives the gateway (restarts). */
  readonly databaseUrl?: string;
  /** Milliseconds since 1970; the twin goes by it too. With it nothing polls by itself: call `server.tasks.runDue()`. */
  readonly clock?: () => number;
  /** A twin that outlives the gateway, or its options. */
  readonly twin?: VendorTwin;
  readonly twinOptions?: VendorTwinOptions;
  readonly env?: Readonly<Record<string, string>>;
  /** As when it is started for the first time: without keys, and with an encryption key that it makes for itself. */
  readonly isFirstStart?: true;
  /** Where log lines go; nowhere by default. */
  readonly log?: Logger;
  /** Where a build of the console lies. */
  readonly consoleFolder?: string;
  /** The task loops; on unless a clock is given. */
  readonly pollTasks?: boolean;
}

export interface TestGateway {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  /** A `sk-test-` key with no limits: the vendor twin answers. */
  readonly testKey: string;
  /** A live key of the same owner; with no account on, the twin answers it too. */
  readonly liveKey: string;
  /** A live key of another owner. */
  readonly otherKey: string;
  readonly adminKey: string;
  readonly twin: VendorTwin;
  readonly server: GatewayServer;
  /** Writes the configuration anew, with other `yaml` or `keys` than at the start; the gateway reads it at `server.reload()`. */
  configure(changed: Pick<TestGatewayOptions, 'yaml' | 'keys'>): void;
  /** For a second gateway on the same database. */
  readonly databaseUrl: string;
  /** Stops the gateway; the twin and the database too unless they were given. Rejects when a reply was not as the document has it. */
  close(): Promise<void>;
}

export const TEST_KEY = 'sk-test-harness-0123456789abcdef';
export const LIVE_KEY = 'sk-live-harness-0123456789abcdef';
export const OTHER_KEY = 'sk-live-stranger-0123456789abcdef';
export const ADMIN_KEY = 'admin-harness-0123456789abcdef';
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Starts a gateway on a free port. */
export async function openTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  // Loaded when it is started: tests of stores and adapters have no gateway, and it is most of what there is to load.
  const [{ readConfig, startServer }, { startVendorTwin }, { startReplyCheck }] = await Promise.all([
    import('@model-gateway/gateway'),
    import('@model-gateway/vendor-twin'),
    import('./reply-check.ts'),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-run-'));
  const database: TestDatabase | undefined =
    options.databaseUrl === undefined ? await openTestDatabase(options.database ?? 'sqlite') : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const twin =
    options.twin ??
    (await startVendorTwin({
      media: 'tiny',
      mediaCacheFolder: TEST_MEDIA_FOLDER,
      ...(options.clock !== undefined && { clock: options.clock }),
      ...options.twinOptions,
    }));
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, configText(folder, databaseUrl, options));
  const environment = { GATEWAY_CONFIG: file, GATEWAY_ADMIN_KEY: ADMIN_KEY, ...options.env };
  const config = readConfig(environment);
  const ports = new Set<number>();
  const replies = startReplyCheck((port) => ports.has(port));
  const server = await startServer({
    config,
    now: options.clock ?? Date.now,
    log: options.log ?? pino({ level: 'silent' }),
    twin,
    pollTasks: options.pollTasks ?? options.clock === undefined,
    environment,
    reread: () => readConfig(environment),
    ...(options.isFirstStart === true && { makeEncryptionKey: true }),
    ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
  });
  for (const url of [server.url, server.adminUrl]) ports.add(Number(new URL(url).port));
  return {
    url: server.url,
    testKey: TEST_KEY,
    liveKey: LIVE_KEY,
    otherKey: OTHER_KEY,
    adminKey: ADMIN_KEY,
    twin,
    server,
    databaseUrl,
    configure: (changed) => writeFileSync(file, configText(folder, databaseUrl, { ...options, ...changed })),
    async close() {
      await server.close();
      if (options.twin === undefined) await twin.close();
      await database?.close();
      rmSync(folder, { recursive: true, force: true });
      replies.stop();
      if (replies.violations.length > 0)
        throw new Error(`replies that the document does not have:\n${replies.violations.join('\n')}`);
    },
  };
}

function configText(folder: string, databaseUrl: string, options: TestGatewayOptions): string {
  return `server: { port: 0, drain_seconds: 5${options.server === undefined ? '' : `, ${options.server}`} }
database: { url: '${databaseUrl}' }
tasks: ${options.tasks ?? '{ poll_seconds: 0.5 }'}
files: ${options.files ?? `{ folder: '${folder}/files' }`}
${options.isFirstStart === true ? '' : declaredKeys(options)}
${options.keys ?? ''}
${options.yaml ?? ''}
`;
}

function declaredKeys({ owners }: TestGatewayOptions): string {
  return `keys:
  - { name: harness-test, key: ${TEST_KEY}, owner: 1, webhook_secret: ${WEBHOOK_SECRET} }
  - { name: harness-live, key: ${LIVE_KEY}, owner: 1, webhook_secret: ${WEBHOOK_SECRET} }
${owners === 'one' ? '' : `  - { name: harness-other, key: ${OTHER_KEY}, owner: 2 }`}`;
}

/** What a gateway is started with, and what its starter gets. */
import type {
  Batches,
  Catalogue,
  Parts,
  Responses,
  StreamRecorder,
  TaskEngine,
  VendorFiles,
} from '@model-gateway/core';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/interpolate.ts';
import type { OperationId } from '../http/operation.ts';
import type { AlertMonitor } from '../resources/alerts/monitor.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { OwnPart, Siblings } from './siblings.ts';

export interface ServerOptions {
  readonly config: Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 ≤ random() < 1 */
  readonly random?: () => number;
  /** `createLog` of the configuration's level when absent: what `serve` and the bench use, too. */
  readonly log?: Logger;
  /** Opened and closed by the starter; of the configuration when absent. */
  readonly telemetry?: Telemetry;
  /** Tests and benches bring their own twin; it is not closed with the server. */
  readonly twin?: Pick<VendorTwin, 'standInFor' | 'url'>;
  /** False: the task loops are not started. */
  readonly pollTasks?: boolean;
  /** Reads the configuration again, for reloads. */
  readonly reread?: () => Config;
  /** That of the start, for what the database's rows of the configuration read from it; empty when absent. */
  readonly environment?: Environment;
  /** Where a build of the console lies; of the gateway's own when absent. */
  readonly consoleFolder?: string;
  /** Whether an encryption key is made where the configuration names none and the database is a SQLite file; `serve` does. */
  readonly makeEncryptionKey?: boolean;
  /** Tests: told of every step of a task's way, by name; they stop the process there. */
  readonly step?: (label: string) => void;
  /** Tests: told of each part when it has been opened; what it throws is a start that fails there. */
  readonly opened?: (part: string) => void;
  /** The other workers of this gateway; absent when it is one process. */
  readonly siblings?: Siblings;
  /** Since when this gateway has the SQLite file to itself, all its workers together; this process' start when absent. */
  readonly aloneSince?: number;
}

export interface GatewayServer {
  readonly url: string;
  /** Operations of the document that nobody serves. */
  readonly missing: readonly OperationId[];
  /** Whether people can look at the console here. */
  readonly hasConsole: boolean;
  readonly catalogue: () => Catalogue;
  readonly parts: Parts;
  /** Where the built-in vendor twin listens, on a port of its own; absent when it is off. */
  readonly twinUrl: string | undefined;
  /** Where the admin API is. */
  readonly adminUrl: string;
  /** Whether accounts and models can be added while it runs. */
  readonly isEditable: boolean;
  /** Made at this start because no admin key was set; shown once. */
  readonly newAdminKey: string | undefined;
  /** What other workers ask of this one. */
  readonly own: OwnPart;
  /** Writes what waits for the log of requests. */
  readonly flushRequests: () => Promise<void>;
  /** Absent where none are configured; for the same tests as `tasks`. */
  readonly alerts: AlertMonitor | undefined;
  /** Tests with a clock of their own sweep by hand (`pollTasks: false`). */
  readonly tasks: TaskEngine;
  /** Absent where nothing is kept. */
  readonly responses: Responses | undefined;
  /** Streams that can be resumed, for the same tests. */
  readonly batches: Batches;
  readonly vendorFiles: VendorFiles;
  readonly streams: StreamRecorder;
  /** Takes a changed configuration; rejects with ConfigError or GatewayError, and keeps the old one, when it is bad. */
  reload(): Promise<void>;
  /** Takes what has changed of the configuration in the database; tests with a clock of their own look by hand (`pollTasks: false`). */
  readonly lookAtEntries: () => Promise<void>;
  /** Refuses new work, lets what runs finish within the drain time, closes everything. */
  close(): Promise<void>;
}

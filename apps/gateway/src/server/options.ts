/** What a gateway is started with, and what its starter gets. */
import type { Catalogue, Parts, TaskEngine } from '@model-gateway/core';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { OperationId } from '../http/operation.ts';

export interface ServerOptions {
  readonly config: Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 ≤ random() < 1 */
  readonly random?: () => number;
  /** `createLog` of the configuration's level when absent: what `serve` and the bench use, too. */
  readonly log?: Logger;
  /** Tests and benches bring their own twin; it is not closed with the server. */
  readonly twin?: Pick<VendorTwin, 'standInFor' | 'url'>;
  /** False: the task loops are not started. */
  readonly pollTasks?: boolean;
  /** Reads the configuration again, for reloads. */
  readonly reread?: () => Config;
  /** Tests: told of every step of a task's way, by name; they stop the process there. */
  readonly step?: (label: string) => void;
  /** Tests: told of each part when it has been opened; what it throws is a start that fails there. */
  readonly opened?: (part: string) => void;
}

export interface GatewayServer {
  readonly url: string;
  /** Operations of the document that nobody serves. */
  readonly missing: readonly OperationId[];
  readonly catalogue: () => Catalogue;
  readonly parts: Parts;
  /** Where the admin API is. */
  readonly adminUrl: string;
  /** Made at this start because no admin key was set; shown once. */
  readonly newAdminKey: string | undefined;
  /** Tests with a clock of their own sweep by hand (`pollTasks: false`). */
  readonly tasks: TaskEngine;
  /** Takes a changed configuration; throws ConfigError and keeps the old one when it is bad. */
  reload(): void;
  /** Refuses new work, lets what runs finish within the drain time, closes everything. */
  close(): Promise<void>;
}

/** The admin resources: what each adds to the commands and to the admin API. A new one is a folder and its entry here. */
import type { Command } from 'commander';
import type { Terminal } from '../commands/terminal.ts';
import { addAccountCommands } from './accounts/command.ts';
import { addAdminKeyCommands } from './admin-key/command.ts';
import type { AdminOperations, AdminParts } from './admin-operation.ts';
import { addAuditCommands } from './audit/command.ts';
import { addConfigEntryCommands } from './config-entries/command.ts';
import { addInvariantCommands } from './invariants/command.ts';
import { addKeyCommands } from './keys/command.ts';
import { addLedgerCommands } from './ledger/command.ts';
import { addOwnerCommands } from './owners/command.ts';
import { addRequestCommands } from './requests/command.ts';
import { addTaskCommands } from './tasks/command.ts';
import { addUsageCommand } from './usage/command.ts';
import { addWebhookCommands } from './webhooks/command.ts';

interface AdminResource {
  readonly addCommands?: (program: Command, terminal: Terminal) => void;
  /** Loads its operations. They are loaded late, so that every command starts at once. */
  readonly load?: () => Promise<(parts: AdminParts) => AdminOperations>;
}

/** In the order of their commands in the help. */
export const ADMIN_RESOURCES: readonly AdminResource[] = [
  { addCommands: addKeyCommands, load: async () => (await import('./keys/routes.ts')).keyOperations },
  { addCommands: addOwnerCommands, load: async () => (await import('./owners/routes.ts')).ownerOperations },
  { addCommands: addUsageCommand, load: async () => (await import('./usage/routes.ts')).usageOperations },
  { addCommands: addLedgerCommands, load: async () => (await import('./ledger/routes.ts')).ledgerOperations },
  { addCommands: addAccountCommands, load: async () => (await import('./accounts/routes.ts')).accountOperations },
  { addCommands: addTaskCommands, load: async () => (await import('./tasks/routes.ts')).taskOperations },
  { addCommands: addWebhookCommands, load: async () => (await import('./webhooks/routes.ts')).webhookOperations },
  { addCommands: addRequestCommands, load: async () => (await import('./requests/routes.ts')).requestOperations },
  {
    addCommands: addConfigEntryCommands,
    load: async () => (await import('./config-entries/routes.ts')).configOperations,
  },
  { addCommands: addAuditCommands, load: async () => (await import('./audit/routes.ts')).auditOperations },
  { addCommands: addInvariantCommands, load: async () => (await import('./invariants/routes.ts')).invariantOperations },
  { addCommands: addAdminKeyCommands },
  { load: async () => (await import('./route-explanation/routes.ts')).routeExplanationOperations },
];

/** The operations of every admin resource. */
export async function adminOperations(parts: AdminParts): Promise<AdminOperations> {
  const loaded = await Promise.all(ADMIN_RESOURCES.flatMap(({ load }) => (load === undefined ? [] : [load()])));
  return Object.assign({}, ...loaded.map((operationsOf) => operationsOf(parts))) as AdminOperations;
}

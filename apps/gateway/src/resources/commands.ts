/** The commands of the admin resources. */
import type { Command } from 'commander';
import type { Terminal } from '../commands/terminal.ts';
import { addAccountCommands } from './accounts/command.ts';
import { addAdminKeyCommands } from './admin-key/command.ts';
import { addAlertCommands } from './alerts/command.ts';
import { addAuditCommands } from './audit/command.ts';
import { addBillCommands } from './bills/command.ts';
import { addBudgetCommand } from './budgets/command.ts';
import { addConfigEntryCommands } from './config-entries/command.ts';
import { addEncryptionKeyCommands } from './encryption-key/command.ts';
import { addGuardrailCommands } from './guardrails/command.ts';
import { addInvariantCommands } from './invariants/command.ts';
import { addJobCommands } from './jobs/command.ts';
import { addKeyCommands } from './keys/command.ts';
import { addLedgerCommands } from './ledger/command.ts';
import { addOwnerCommands } from './owners/command.ts';
import { addPersonCommands } from './people/command.ts';
import { addPromptCacheCommands } from './prompt-cache/command.ts';
import { addReplayCommand } from './replay/command.ts';
import { addRequestCommands } from './requests/command.ts';
import { addTaskCommands } from './tasks/command.ts';
import { addUsageCommand } from './usage/command.ts';
import { addWebhookCommands } from './webhooks/command.ts';

/** In the order of the help. */
export const ADMIN_COMMANDS: readonly ((program: Command, terminal: Terminal) => void)[] = [
  addKeyCommands,
  addOwnerCommands,
  addPersonCommands,
  addUsageCommand,
  addBudgetCommand,
  addAlertCommands,
  addLedgerCommands,
  addBillCommands,
  addAccountCommands,
  addTaskCommands,
  addWebhookCommands,
  addRequestCommands,
  addPromptCacheCommands,
  addReplayCommand,
  addGuardrailCommands,
  addConfigEntryCommands,
  addAuditCommands,
  addInvariantCommands,
  addJobCommands,
  addAdminKeyCommands,
  addEncryptionKeyCommands,
];

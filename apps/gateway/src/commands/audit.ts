import type { Command } from 'commander';
import type { AuditEntry } from '@model-gateway/core';
import { auditView } from '../admin/views.ts';
import { adminCommand, withAdminServices, wholeNumber, type AdminServices } from './admin-command.ts';
import { moment, table, type Terminal } from './terminal.ts';

const PAGE = 500;
const SHOWN = 100;

interface ListOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly limit?: number;
}

/** `gateway audit list`. */
export function addAuditCommands(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('who changed keys, owners, balances and deliveries');
  adminCommand(audit, 'list', 'changes through the admin API and the commands, newest first')
    .option('--actor <name>', "only of this one: 'command', or an admin key by its hint as it is listed")
    .option('--action <name>', 'only of this kind, such as key.create or owner.adjust')
    .option('--subject <name>', "only of this one, such as 'key 12' or 'owner 3'")
    .option('--limit <n>', `how many; ${SHOWN} when absent`, wholeNumber)
    .action((options: ListOptions) => withAdminServices(terminal, options, (services) => list(services, options)));
}

async function list({ store, say }: AdminServices, { limit = SHOWN, ...filter }: ListOptions): Promise<void> {
  const found: AuditEntry[] = [];
  while (found.length < limit) {
    const after = found.at(-1)?.id;
    const asked = Math.min(PAGE, limit - found.length);
    const page = await store.audit.list({ ...wordsOf(filter), limit: asked, ...(after !== undefined && { after }) });
    found.push(...page);
    if (page.length < asked) break;
  }
  const rows = found.map(auditView);
  say(rows, () =>
    table(
      ['id', 'when', 'who', 'action', 'subject', 'request'],
      rows.map((row) => [String(row.id), moment(row.at), row.actor, row.action, row.subject, row.request_id ?? '']),
    ),
  );
}

/** Of the options only what filters. */
function wordsOf({ actor, action, subject }: ListOptions): Pick<ListOptions, 'actor' | 'action' | 'subject'> {
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
  };
}

import { Option, type Command } from 'commander';
import { createAdmin } from '@model-gateway/client';
import type { TaskRecord, TaskState } from '@model-gateway/core';
import { taskView } from '../admin/views.ts';
import { withAdminServices, adminCommand, wholeNumber, type AdminServices } from './admin-command.ts';
import { fail, moment, table, units, type Terminal } from './terminal.ts';

const PAGE = 500;
const SHOWN = 50;
const STATES = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const satisfies readonly TaskState[];

interface TaskOptions {
  readonly status?: TaskState;
  readonly owner?: number;
  readonly model?: string;
  readonly limit?: number;
}

/** `gateway accounts` and `gateway tasks`. */
export function addWorkCommands(program: Command, terminal: Terminal): void {
  adminCommand(program, 'accounts', 'the vendor accounts: which are on, for which models, with how many open tasks')
    .option('--url <url>', 'ask the running gateway there how they fare; GATEWAY_ADMIN_KEY is its admin key')
    .action((options: { readonly url?: string; readonly json?: boolean }) =>
      options.url === undefined
        ? withAdminServices(terminal, options, accounts)
        : askAccounts(terminal, options.url, options.json === true),
    );
  adminCommand(program, 'tasks', 'video and subject tasks of every owner, newest first')
    .addOption(new Option('--status <state>', 'only in this state').choices([...STATES]))
    .option('--owner <id>', 'only of this owner', wholeNumber)
    .option('--model <code>', 'only of this model')
    .option('--limit <n>', `how many; ${SHOWN} when absent`, wholeNumber)
    .action((options: TaskOptions) => withAdminServices(terminal, options, (services) => tasks(services, options)));
}

async function accounts({ catalogue, store, say }: AdminServices): Promise<void> {
  const open = await store.tasks.countOpen();
  const rows = catalogue.accounts.map((account) => ({
    id: account.id,
    name: account.name,
    vendor: account.vendor,
    on: account.on,
    max_concurrency: account.maxConcurrency,
    open_tasks: open.reduce((sum, each) => sum + (each.accountId === account.id ? each.count : 0), 0),
    models: [...catalogue.models.values()]
      .filter(({ offers }) => offers.some((offer) => offer.account.id === account.id))
      .map(({ code }) => code),
  }));
  say(rows, () =>
    table(
      ['id', 'name', 'vendor', 'state', 'bound', 'open tasks', 'models'],
      rows.map((row) => [
        String(row.id),
        row.name,
        row.vendor,
        row.on ? 'on' : 'off: no credentials',
        units(row.max_concurrency),
        units(row.open_tasks),
        row.models.join(','),
      ]),
    ),
  );
}

/** Only the running gateway knows which accounts cool down. */
async function askAccounts({ env, out }: Terminal, baseUrl: string, json: boolean): Promise<void> {
  const key = env['GATEWAY_ADMIN_KEY'];
  if (key === undefined || key === '') {
    fail('GATEWAY_ADMIN_KEY is not set; it is the admin key of the gateway that --url names');
    return;
  }
  const { data } = await createAdmin({ baseUrl, apiKey: key }).accounts();
  if (json) {
    out(JSON.stringify(data));
    return;
  }
  const words = { closed: 'well', open: 'cooling down', 'half-open': 'on trial' };
  out(
    table(
      ['id', 'name', 'vendor', 'state', 'until', 'failures', 'running', 'waiting', 'open tasks'],
      data.map((each) => [
        String(each.id),
        each.name,
        each.vendor,
        each.on ? words[each.state] : 'off',
        moment(each.cool_until),
        units(each.failures),
        `${units(each.in_flight)} of ${units(each.max_concurrency)}`,
        units(each.queued),
        units(each.open_tasks),
      ]),
    ),
  );
}

async function tasks(
  { store, say }: AdminServices,
  { status, owner, model, limit = SHOWN }: TaskOptions,
): Promise<void> {
  const found: TaskRecord[] = [];
  while (found.length < limit) {
    const after = found.at(-1)?.id;
    const page = await store.tasks.list({
      order: 'newest',
      limit: Math.min(PAGE, limit - found.length),
      ...(after !== undefined && { after }),
      ...(status !== undefined && { state: status }),
      ...(owner !== undefined && { ownerId: owner }),
      ...(model !== undefined && { model }),
    });
    found.push(...page);
    if (page.length === 0) break;
  }
  const rows = found.map(taskView);
  say(rows, () =>
    table(
      ['id', 'status', 'progress', 'model', 'account', 'owner', 'units', 'made', 'next look', 'reason'],
      rows.map((task) => [
        task.id,
        task.status,
        `${task.progress}%`,
        task.model,
        task.account,
        String(task.owner_id),
        units(task.quota),
        moment(task.created_at),
        moment(task.next_check_at),
        task.fail_reason,
      ]),
    ),
  );
}

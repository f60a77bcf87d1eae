/** Operators' work on the database itself, beside a running gateway or without one. */
import { GatewayError } from '@model-gateway/contracts';
import {
  lookThrough,
  type Catalogue,
  type ContentReader,
  type RequestFilter,
  type RequestRow,
  type Store,
} from '@model-gateway/core';
import { createAdminServices } from '../../resources/audit/audited.ts';
import { replayBill, verifyAll } from '../../resources/ledger/bills.ts';
import { invariantsView } from '../../resources/invariants/view.ts';
import { requestDetail } from '../../resources/requests/detail.ts';
import { usageReport } from '../../resources/usage/report.ts';
import {
  auditView,
  billView,
  deliveryView,
  entryView,
  keyCreatedView,
  keyView,
  ownerView,
  taskView,
} from '../../resources/admin-views.ts';
import type { Config } from '../../config/config.ts';
import type { EntryLayer } from '../../config/entry-layer.ts';
import { forOperators, requestView } from '../../resources/requests/view.ts';
import { CommandFault } from '../command-fault.ts';
import { localConfiguration } from './local-configuration.ts';
import type { AccountShown, Operator, RequestLogFilter } from './operator.ts';

const PAGE = 500;

interface LocalParts {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly now: () => number;
  /** The configuration as its file says it. */
  readonly file: Config;
  readonly layer: EntryLayer;
  readonly contents: ContentReader;
}

/** Makes the operator of a database; every change leaves its line in the audit log, by `command`. */
export function localOperator({ store, catalogue, now, file, layer, contents }: LocalParts): Operator {
  const services = createAdminServices({ store, catalogue: () => catalogue, now }, { actor: 'command' });
  const { keys, owners } = services;
  return {
    keys: {
      async list({ revoked, owner }) {
        const rows = await upTo(Infinity, (page: Page<number>) =>
          store.keys.list({
            includeRevoked: revoked,
            order: 'newest',
            ...page,
            ...(owner !== undefined && { ownerId: owner }),
          }),
        );
        return rows.map(keyView);
      },
      get: async (id) => keyView(await keys.get(id)),
      create: async (input) => keyCreatedView(await keys.create(input)),
      update: async (id, change) => keyView(await keys.update(id, change)),
      revoke: async (id) => keyView(await keys.revoke(id)),
      rotate: async (id, overlapSeconds) => keyCreatedView(await keys.rotate(id, overlapSeconds)),
    },
    owners: {
      async list() {
        const rows = await upTo(Infinity, (page: Page<number>) => owners.list(page));
        return rows.map(ownerView);
      },
      get: async (id) => ownerView(await owners.get(id)),
      create: async (input) => ownerView(await owners.create(input)),
      update: async (id, change) => ownerView(await owners.update(id, change)),
      topUp: async (id, input) => changeView(await owners.topUp(id, input)),
      adjust: async (id, units, note) => changeView(await owners.adjust(id, units, note)),
    },
    usage: ({ from, to, by, mode, owner, key }) =>
      usageReport(store.ledger, { from, to, groupBy: by, mode, ownerId: owner, keyId: key }, now()),
    ledger: {
      async list({ owner, key, request, task, kind }, most) {
        const rows = await upTo(most, (page: Page<number>) =>
          store.ledger.entries({
            ...page,
            order: 'newest',
            ...(owner !== undefined && { ownerId: owner }),
            ...(key !== undefined && { keyId: key }),
            ...(request !== undefined && { requestId: request }),
            ...(task !== undefined && { taskId: task }),
            ...(kind !== undefined && { kind }),
          }),
        );
        return rows.map(entryView);
      },
      async verify() {
        const differences = (await verifyAll(store.ledger)).map((each) => ({ ...each }));
        return { object: 'ledger_verification', ok: differences.length === 0, differences };
      },
      replay: async (requestId) => billView(await replayBill(store.ledger, requestId)),
    },
    tasks: {
      async list({ status, owner, model }, most) {
        const rows = await upTo(most, (page: Page<string>) =>
          store.tasks.list({
            order: 'newest',
            ...page,
            ...(status !== undefined && { state: status }),
            ...(owner !== undefined && { ownerId: owner }),
            ...(model !== undefined && { model }),
          }),
        );
        return rows.map(taskView);
      },
      async get(id) {
        const task = await store.tasks.get(id);
        if (task === undefined) throw new GatewayError('not_found', `there is no task '${id.slice(0, 80)}'`);
        return taskView(task);
      },
      cancel: () =>
        Promise.reject(
          new CommandFault(
            'Only a running gateway can ask the vendor to stop a task: give --url and set GATEWAY_ADMIN_KEY, or give --profile.',
          ),
        ),
    },
    webhooks: {
      async list({ task, pending }, most) {
        const rows = await upTo(most, (page: Page<string>) =>
          store.webhooks.list({
            ...page,
            ...(task !== undefined && { taskId: task }),
            ...(pending !== undefined && { pending }),
          }),
        );
        return rows.map(deliveryView);
      },
      replay: async (id) => deliveryView(await services.replayWebhook(id)),
    },
    requests: {
      list: (filter, most) => requestsOf(store, catalogue, filter, most),
      async get(id) {
        const detail = await requestDetail(store, id, { nameOf: forOperators(catalogue), contents });
        await services.requestRead(detail);
        return detail;
      },
    },
    configuration: localConfiguration({ store, now, file, layer }),
    accounts: () => accountsOf(store, catalogue),
    async audit({ actor, action, subject }, most) {
      const rows = await upTo(most, (page: Page<number>) =>
        store.audit.list({
          ...page,
          ...(actor !== undefined && { actor }),
          ...(action !== undefined && { action }),
          ...(subject !== undefined && { subject }),
        }),
      );
      return rows.map(auditView);
    },
    invariants: async () => invariantsView(await lookThrough(store.invariants, now)),
  };
}

function changeView({ entry, owner }: Awaited<ReturnType<ReturnType<typeof createAdminServices>['owners']['adjust']>>) {
  return { entry: entryView(entry), owner: ownerView(owner) };
}

async function accountsOf(store: Store, { accounts, models }: Catalogue): Promise<readonly AccountShown[]> {
  const open = await store.tasks.countOpen();
  return accounts.map((account) => ({
    id: account.id,
    name: account.name,
    vendor: account.vendor,
    on: account.on,
    max_concurrency: account.maxConcurrency,
    open_tasks: open.reduce((sum, each) => sum + (each.accountId === account.id ? each.count : 0), 0),
    models: [...models.values()]
      .filter(({ offers }) => offers.some((offer) => offer.account.id === account.id))
      .map(({ code }) => code),
  }));
}

async function requestsOf(
  { requests }: Store,
  catalogue: Catalogue,
  { owner, key, model, status, error, tag, from, to }: RequestLogFilter,
  most: number,
) {
  const rows: RequestRow[] = [];
  let after: RequestFilter['after'];
  do {
    const page = await requests.list({
      limit: Math.min(PAGE, most - rows.length),
      ...(owner !== undefined && { ownerId: owner }),
      ...(key !== undefined && { keyId: key }),
      ...(model !== undefined && { model }),
      ...(status !== undefined && { statusClass: statusClassOf(status) }),
      ...(error !== undefined && { error }),
      ...(tag !== undefined && { tag }),
      ...(from !== undefined && { from: Date.parse(from) }),
      ...(to !== undefined && { to: Date.parse(to) }),
      ...(after !== undefined && { after }),
    });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length < most);
  return rows.map((row) => requestView(row, forOperators(catalogue)));
}

function statusClassOf(status: string): number {
  if (/^[245]xx$/.test(status)) return Number(status[0]);
  throw new GatewayError('invalid_request', 'status must be 2xx, 4xx or 5xx', { param: 'status' });
}

interface Page<Id> {
  readonly limit: number;
  readonly after?: Id;
}

/** The first `most` rows of a list that comes in pages. */
async function upTo<Id, Row extends { readonly id: Id }>(
  most: number,
  list: (page: Page<Id>) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  while (rows.length < most) {
    const limit = Math.min(PAGE, most - rows.length);
    const last = rows.at(-1);
    const next = await list({ limit, ...(last !== undefined && { after: last.id }) });
    rows.push(...next);
    if (next.length < limit) break;
  }
  return rows;
}

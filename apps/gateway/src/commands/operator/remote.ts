/** Operators' work on a gateway elsewhere, through its admin API. */
import { createAdmin } from '@model-gateway/client';
import type { components } from '@model-gateway/contracts';
import type { Operator } from './operator.ts';

const PAGE = 500;

/** Other words are refused by the gateway, which names those that there are. */
type UsageGroup = components['schemas']['UsageGroup'];
type StatusClass = '2xx' | '4xx' | '5xx';
type AuditAction = components['schemas']['AuditAction'];

interface RemoteAddress {
  readonly url: string;
  readonly adminKey: string;
}

/** Makes the operator of a gateway. */
export function remoteOperator({ url, adminKey }: RemoteAddress): Operator {
  const admin = createAdmin({ baseUrl: url, apiKey: adminKey, maxRetries: 1 });
  return {
    keys: {
      list: ({ revoked, owner }) =>
        admin.keys
          .list({ limit: PAGE, include_revoked: revoked, ...(owner !== undefined && { owner_id: owner }) })
          .all(),
      get: async (id) => admin.keys.get(id),
      create: async ({ models, ip_ranges: ips, ...input }) =>
        admin.keys.create({
          ...input,
          ...(models !== undefined && { models: [...models] }),
          ...(ips !== undefined && { ip_ranges: [...ips] }),
        }),
      update: async (id, { models, ip_ranges: ips, ...change }) =>
        admin.keys.update(id, {
          ...change,
          ...(models !== undefined && { models: [...models] }),
          ...(ips !== undefined && { ip_ranges: [...ips] }),
        }),
      revoke: async (id) => admin.keys.revoke(id),
      rotate: async (id, overlap) =>
        admin.keys.rotate(id, { ...(overlap !== undefined && { overlap_seconds: overlap }) }),
    },
    owners: {
      list: () => admin.owners.list({ limit: PAGE }).all(),
      get: async (id) => admin.owners.get(id),
      create: async (input) => admin.owners.create(input),
      update: async (id, change) => admin.owners.update(id, change),
      topUp: async (id, { idempotencyKey, ...body }) =>
        admin.owners.topUp(id, body, { ...(idempotencyKey !== undefined && { idempotencyKey }) }),
      adjust: async (id, amount, note) => admin.owners.adjust(id, { amount, note }),
    },
    usage: async ({ from, to, by, mode, owner, key }) =>
      admin.usage({
        mode,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(by !== undefined && { group_by: [...by] as UsageGroup[] }),
        ...(owner !== undefined && { owner_id: owner }),
        ...(key !== undefined && { key_id: key }),
      }),
    ledger: {
      list: ({ owner, key, request, task, kind }, most) =>
        admin.ledger
          .list({
            limit: Math.min(PAGE, most),
            ...(owner !== undefined && { owner_id: owner }),
            ...(key !== undefined && { key_id: key }),
            ...(request !== undefined && { request_id: request }),
            ...(task !== undefined && { task_id: task }),
            ...(kind !== undefined && { kind }),
          })
          .all(most),
      verify: async () => admin.ledger.verify(),
      replay: async (requestId) => admin.ledger.replay(requestId),
    },
    tasks: {
      list: ({ status, owner, model }, most) =>
        admin.tasks
          .list({
            limit: Math.min(PAGE, most),
            ...(status !== undefined && { status }),
            ...(owner !== undefined && { owner_id: owner }),
            ...(model !== undefined && { model }),
          })
          .all(most),
      get: async (id) => admin.tasks.get(id),
      cancel: async (id) => admin.tasks.cancel(id),
    },
    webhooks: {
      list: ({ task, pending }, most) =>
        admin.webhooks
          .list({
            limit: Math.min(PAGE, most),
            ...(task !== undefined && { task_id: task }),
            ...(pending !== undefined && { pending }),
          })
          .all(most),
      replay: async (id) => admin.webhooks.replay(id),
    },
    requests: {
      list: ({ owner, key, status, ...filter }, most) =>
        admin.requests
          .list({
            limit: Math.min(PAGE, most),
            ...filter,
            ...(owner !== undefined && { owner_id: owner }),
            ...(key !== undefined && { key_id: key }),
            ...(status !== undefined && { status: status as StatusClass }),
          })
          .all(most),
      get: async (id) => admin.requests.get(id),
    },
    configuration: {
      entries: (filter) => admin.configEntries.list({ limit: PAGE, ...filter }).all(),
      get: async ({ section, name }) => admin.configEntries.get(section, name),
      put: async ({ section, name }, input, { dryRun }) =>
        admin.configEntries.put(section, name, { ...input, dry_run: dryRun }),
      unset: async ({ section, name }, { dryRun }) => admin.configEntries.delete(section, name, { dry_run: dryRun }),
      changes: (most) => admin.configEntries.changes({ limit: Math.min(PAGE, most) }).all(most),
      undo: async (id, { dryRun }) => admin.configEntries.undo(id, { dry_run: dryRun }),
    },
    accounts: async () => (await admin.accounts()).data,
    audit: ({ action, ...filter }, most) =>
      admin.audit
        .list({
          limit: Math.min(PAGE, most),
          ...filter,
          ...(action !== undefined && { action: action as AuditAction }),
        })
        .all(most),
    invariants: async () => admin.invariants({ look: true }),
  };
}

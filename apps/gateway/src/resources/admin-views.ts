/** What the admin API shows of records: the document's names, times as RFC 3339, absent as null. */
import type { components } from '@model-gateway/contracts';
import {
  dollarsOf,
  type AuditEntry,
  type KeyRecord,
  type LedgerEntry,
  type OwnerRecord,
  type TaskRecord,
  type UsageRow,
  type WebhookDelivery,
} from '@model-gateway/core';
import type { ReplayedBill } from './ledger/bills.ts';
import type { MadeKey } from './keys/service.ts';
import { limitsView } from './keys/limits.ts';

type Schemas = components['schemas'];

export function timeOf(at: number): string {
  return new Date(at).toISOString();
}
function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : timeOf(at);
}

export function keyView(key: KeyRecord): Schemas['Key'] {
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    hint: key.hint,
    mode: key.mode,
    owner_id: key.ownerId,
    group: key.group,
    models: [...key.models],
    ip_ranges: [...key.ipRanges],
    limits: limitsView(key.limits),
    tags: { ...key.tags },
    has_webhook_secret: key.webhookSecret !== undefined,
    keep_bodies: key.keepBodies === true,
    declared: key.declared,
    created_at: timeOf(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    rotated_from: key.rotatedFrom ?? null,
  };
}

/** A key with its secrets, which are shown here and nowhere else. */
export function keyCreatedView({ secret, webhookSecret, key }: MadeKey): Schemas['KeyCreated'] {
  return { secret, webhook_secret: webhookSecret ?? null, key: keyView(key) };
}

export function ownerView(owner: OwnerRecord): Schemas['Owner'] {
  return {
    object: 'owner',
    id: owner.id,
    name: owner.name,
    group: owner.group,
    balance: owner.balance,
    balance_usd: dollarsOf(owner.balance),
    credit_limit: owner.creditLimit ?? null,
    created_at: timeOf(owner.createdAt),
  };
}

export function entryView(entry: LedgerEntry): Schemas['LedgerEntry'] {
  return {
    object: 'ledger_entry',
    id: entry.id,
    owner_id: entry.ownerId,
    key_id: entry.keyId ?? null,
    kind: entry.kind,
    amount: entry.amount,
    charged: entry.charged,
    shortfall: entry.shortfall,
    hold_id: entry.holdId ?? null,
    request_id: entry.requestId ?? null,
    task_id: entry.taskId ?? null,
    model: entry.model ?? null,
    account_id: entry.accountId ?? null,
    price_version: entry.priceVersion ?? null,
    detail: { ...entry.detail },
    created_at: timeOf(entry.createdAt),
  };
}

export function billView(bill: ReplayedBill): Schemas['LedgerReplay'] {
  return {
    object: 'ledger_replay',
    request_id: bill.requestId,
    model: bill.model ?? null,
    owner_id: bill.ownerId,
    key_id: bill.keyId ?? null,
    price_version: bill.priceVersion ?? null,
    usage: { ...bill.usage },
    lines: bill.lines.map((line) => ({ ...line })),
    group_factor: bill.groupFactor,
    recomputed: bill.recomputed,
    charged: bill.charged,
    shortfall: bill.shortfall,
    matches: bill.matches,
    entries: bill.entries.map(entryView),
  };
}

export function usageView(row: UsageRow): Schemas['UsageRow'] {
  return { group: { ...row.group }, ...usageSum([row]) };
}

export function usageSum(rows: readonly UsageRow[]): Schemas['UsageSum'] {
  const sum = (name: 'requests' | 'inputTokens' | 'outputTokens' | 'charged'): number =>
    rows.reduce((total, row) => total + row[name], 0);
  const charged = sum('charged');
  return {
    requests: sum('requests'),
    input_tokens: sum('inputTokens'),
    output_tokens: sum('outputTokens'),
    charged,
    charged_usd: dollarsOf(charged),
  };
}

export function taskView(task: TaskRecord): Schemas['AdminTask'] {
  return {
    object: 'task',
    id: task.id,
    number: task.number,
    kind: task.kind,
    mode: task.mode,
    owner_id: task.ownerId,
    key_id: task.keyId,
    group: task.group,
    request_id: task.requestId,
    model: task.model,
    account_id: task.accountId,
    account: task.accountName,
    vendor: task.vendor,
    upstream_model: task.upstreamModel,
    status: task.state,
    progress: task.progress,
    fail_reason: task.failReason,
    fail_code: task.failCode,
    quota: task.quota,
    submitted: task.submitted,
    has_ticket: task.ticket !== undefined,
    cancel_requested: task.cancelRequested,
    checks: task.checks,
    missing: task.missing,
    faults: task.faults,
    created_at: timeOf(task.createdAt),
    updated_at: timeOf(task.updatedAt),
    start_time: timeOrNull(task.startTime),
    finish_time: timeOrNull(task.finishTime),
    next_check_at: timeOrNull(task.nextCheckAt),
    deadline_at: timeOf(task.deadlineAt),
  };
}

export function deliveryView(delivery: WebhookDelivery): Schemas['WebhookDelivery'] {
  return {
    object: 'webhook_delivery',
    id: delivery.id,
    task_id: delivery.taskId,
    key_id: delivery.keyId,
    url: withoutQuery(delivery.url),
    attempts: delivery.attempts,
    status:
      delivery.deliveredAt !== undefined && delivery.nextAttemptAt === undefined
        ? 'delivered'
        : delivery.nextAttemptAt === undefined
          ? 'given_up'
          : 'pending',
    next_attempt_at: timeOrNull(delivery.nextAttemptAt),
    delivered_at: timeOrNull(delivery.deliveredAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
    created_at: timeOf(delivery.createdAt),
  };
}

export function auditView(entry: AuditEntry): Schemas['AuditEntry'] {
  return {
    object: 'audit_entry',
    id: entry.id,
    at: timeOf(entry.at),
    actor: entry.actor,
    action: entry.action as Schemas['AuditAction'],
    subject: entry.subject,
    before: entry.before === undefined ? null : { ...entry.before },
    after: entry.after === undefined ? null : { ...entry.after },
    request_id: entry.requestId ?? null,
  };
}

/** A query may carry a secret of the receiver. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** A budget above keys as its form has it: what was typed, and what is sent of it. Pure. */
import type { Schemas } from '../api/api.ts';

export type Rule = Schemas['BudgetRule'];

/** When operators are told: as `alerts.at` says, at shares of its own, or at none. */
export type AlertsAt = 'general' | 'own' | 'none';

export interface BudgetFields {
  readonly name: string;
  readonly scope: Rule['scope'];
  readonly tag: string;
  readonly values: readonly string[];
  readonly each: boolean;
  readonly window: Rule['window'];
  /** US dollars; empty until something is typed. */
  readonly limit: number | '';
  readonly action: Rule['action'];
  readonly alerts: AlertsAt;
  /** Percent, as typed: `80`, `80 %`. */
  readonly shares: readonly string[];
}

export const NEW_BUDGET: BudgetFields = {
  ...{ name: '', scope: 'owner', tag: '', values: [], each: false },
  ...{ window: 'month', limit: '', action: 'refuse', alerts: 'general', shares: ['80', '100'] },
};

export function fieldsOf(rule: Rule): BudgetFields {
  const { name, scope, tag, values, each, window, limit, action, alert_at: shares } = rule;
  return {
    ...{ name, scope, tag: tag ?? '', values: values ?? [], each, window, limit, action },
    alerts: shares === null ? 'general' : shares.length === 0 ? 'none' : 'own',
    shares: shares === null || shares.length === 0 ? NEW_BUDGET.shares : shares.map(percentOf),
  };
}

/** `80` of 0.8. */
export function percentOf(share: number): string {
  return String(Math.round(share * 1e6) / 1e4);
}

/** 0.8 of `80`, `80%` and `80 %`; undefined of what is no share. */
export function shareOf(typed: string): number | undefined {
  const percent = Number(typed.replace(/\s*%$/, '').replace(',', '.'));
  return typed.trim() !== '' && percent > 0 && percent <= 1000 ? Math.round(percent * 1e4) / 1e6 : undefined;
}

/** The first share that is none; undefined where all are, and where they do not count. */
export function wrongShare({ alerts, shares }: BudgetFields): string | undefined {
  return alerts === 'own' ? shares.find((share) => shareOf(share) === undefined) : undefined;
}

/** Whether no share is there where at least one was asked for. */
export function lacksShares({ alerts, shares }: BudgetFields): boolean {
  return alerts === 'own' && shares.length === 0;
}

/** The members of a budget; null for those that it does not have. */
function membersOf({ limit, values, tag, alerts, shares, name: _name, ...fields }: BudgetFields) {
  const own = shares.flatMap((share) => shareOf(share) ?? []).sort((one, other) => one - other);
  return {
    ...fields,
    tag: fields.scope === 'tag' ? tag.trim() : null,
    values: values.length === 0 ? null : [...values],
    limit: limit === '' ? 0 : limit,
    alert_at: alerts === 'general' ? null : alerts === 'none' ? [] : own,
  };
}

export function createBody(fields: BudgetFields): Schemas['BudgetCreate'] {
  const { tag, values, alert_at: shares, ...members } = membersOf(fields);
  return {
    ...{ name: fields.name.trim(), ...members },
    ...(tag !== null && { tag }),
    ...(values !== null && { values }),
    ...(shares !== null && { alert_at: shares }),
  };
}

/** What is other than it was, so that nothing of somebody else's change is undone; undefined where nothing is. */
export function updateBody(rule: Rule, fields: BudgetFields): Schemas['BudgetUpdate'] | undefined {
  const before: Readonly<Record<string, unknown>> = { ...membersOf(fieldsOf(rule)) };
  const changed = Object.entries(membersOf(fields)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

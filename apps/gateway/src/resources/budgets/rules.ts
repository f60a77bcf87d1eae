/** /admin/budgets/{budget}: budgets above keys as records, which are entries of the configuration in the database. */
import { crc32 } from 'node:zlib';
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import { dollarsOf, type BudgetRule } from '@model-gateway/core';
import { auditedBy, type AdminOperations, type AdminParts, type Asked } from '../admin-operation.ts';
import type { Actor } from '../audit/audited.ts';
import { unreachedMessage, unreachedShares } from '../../config/spend-budgets.ts';
import { ConfigEntryService } from '../config-entries/service.ts';
import { invalidAt } from '../values.ts';

type Rule = components['schemas']['BudgetRule'];

/** The number of a budget in lists: by its name, so that it is the same in every process. */
export function budgetId(name: string): number {
  return crc32(name);
}

/** Operations on single budgets. They count in every process of this machine at once. */
export function budgetRuleOperations(parts: AdminParts): AdminOperations {
  const { store, configuration } = parts;
  const { layer, reloading } = configuration;
  const entriesFor = (call: { readonly actor: Actor }) =>
    new ConfigEntryService(auditedBy(parts, call), call.actor, configuration);
  const isDeclared = (name: string): boolean => reloading.file().budgets.some((rule) => rule.name === name);
  const view = (rule: BudgetRule): Rule => ruleView(rule, isDeclared(rule.name));
  const read = async () => {
    const { entries } = await store.configEntries.all();
    return { entries, rules: layer.over(reloading.file(), entries).budgets };
  };
  const put = async (call: { readonly actor: Actor }, name: string, value: JsonObject, version: number) => {
    const { entries } = await entriesFor(call)
      .put({ section: 'budgets', name }, { value }, { version })
      .catch((error: unknown) => {
        throw atMember(error, name);
      });
    const rule = layer.over(reloading.file(), entries).budgets.find((each) => each.name === name);
    if (rule === undefined) throw new GatewayError('internal', `the budget '${name}' was stored and is not in effect`);
    return view(rule);
  };
  /** A budget that only the database has, with the version of its entry. */
  const editable = async (asked: Asked) => {
    const { entries, rules } = await read();
    const rule = ruleIn(rules, asked);
    const { name } = rule;
    if (isDeclared(name))
      throw new GatewayError(
        'conflict',
        `the budget '${name}' is declared in the configuration file; change it there, or with gateway config set budgets/${name}`,
      );
    const version = entries.find((entry) => entry.section === 'budgets' && entry.name === name)?.version ?? 0;
    return { rule, version };
  };
  return {
    createBudget: async (call) => {
      const { name, ...value } = call.body;
      requireReached(value);
      const { rules } = await read();
      if (isDeclared(name) || rules.some((rule) => rule.name === name))
        throw new GatewayError('conflict', `there is a budget '${name}' already`, { param: 'name' });
      return put(call, name, value, 0);
    },
    getBudget: async (call) => view(ruleIn((await read()).rules, call)),
    updateBudget: async (call) => {
      const { rule, version } = await editable(call);
      const value = { ...valueOf(rule), ...call.body };
      // Other members can be changed of a budget that has such shares from before.
      if (call.body.alert_at !== undefined || call.body.action !== undefined) requireReached(value);
      const members = Object.entries(value).filter(([, member]) => member !== null);
      return put(call, rule.name, Object.fromEntries(members) as JsonObject, version);
    },
    deleteBudget: async (call) => {
      const { rule, version } = await editable(call);
      const { name } = rule;
      await entriesFor(call).delete({ section: 'budgets', name }, { version });
      return { object: 'budget_rule.deleted', id: budgetId(name), name, deleted: true };
    },
  };
}

/** Throws `invalid_request` for a share that no alert can come of: an answer has no place for a warning. */
function requireReached({
  action,
  alert_at: at,
}: Pick<components['schemas']['BudgetUpdate'], 'action' | 'alert_at'>): void {
  const shares = unreachedShares({ action, alert_at: at ?? [] });
  if (shares.length > 0) throw invalidAt('alert_at', unreachedMessage(shares));
}

/** A fault of the entry as one of the body that was sent: `budgets[red].tag` is its `tag`. */
function atMember(error: unknown, name: string): unknown {
  const place = `budgets[${name}].`;
  if (!(error instanceof GatewayError) || error.details.param?.startsWith(place) !== true) return error;
  const param = error.details.param.slice(place.length);
  return new GatewayError(error.code, error.message.replaceAll(place, ''), { ...error.details, param });
}

/** By its name, or by its number where no budget has it for a name. */
function ruleIn(rules: readonly BudgetRule[], asked: Asked): BudgetRule {
  const wanted = String(asked.params['budget']);
  const found =
    rules.find(({ name }) => name === wanted) ?? rules.find(({ name }) => String(budgetId(name)) === wanted);
  if (found !== undefined) return found;
  throw new GatewayError('not_found', `there is no budget '${wanted.slice(0, 80)}'`, { param: 'budget' });
}

/** The budget as a row of the configuration, without its name. */
function valueOf({ scope, tag, values, each, window, limit, ...rule }: BudgetRule) {
  const { action, alert_at } = behaviourOf(rule);
  return {
    ...{ scope, tag: tag ?? null, values: values === undefined ? null : [...values], each, window },
    ...{ limit: dollarsOf(limit), action, alert_at },
  };
}

/** What happens beyond a budget, and when operators are told of it. */
export function behaviourOf({ refuses, alertAt }: Pick<BudgetRule, 'refuses' | 'alertAt'>) {
  return {
    action: refuses ? ('refuse' as const) : ('alert' as const),
    alert_at: alertAt === undefined ? null : [...alertAt],
  };
}

function ruleView(rule: BudgetRule, declared: boolean): Rule {
  return { object: 'budget_rule', id: budgetId(rule.name), name: rule.name, ...valueOf(rule), declared };
}

/** /admin/accounts: vendor accounts, how they fare, and one call to try them. */
import { GatewayError, type components } from '@model-gateway/contracts';
import {
  accountIdOf,
  wholeAccounts,
  type AccountHealth,
  type Catalogue,
  type GatewayAccount,
} from '@model-gateway/core';
import { createAccountTester } from './account-tester.ts';
import { testAccountDraft, vendorViews } from './drafts.ts';
import { createTurns } from '../../http/in-turn.ts';
import { auditedBy, idIn, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOf } from '../values.ts';

type Schemas = components['schemas'];

function faultView(fault: AccountHealth['lastFault']) {
  if (fault === undefined) return null;
  const { code, status, message, model, at } = fault;
  return { code, status: status ?? null, message, model, at: timeOf(at) };
}

/** Codes of the rows with an offer of any of these. */
function codesOf(models: Catalogue['models'], members: readonly GatewayAccount[]): readonly string[] {
  const ids = new Set(members.map(({ id }) => id));
  return [...models.values()]
    .filter(({ offers }) => offers.some(({ account }) => ids.has(account.id)))
    .map(({ code }) => code);
}

interface FareParts {
  readonly health: ReadonlyMap<number, AccountHealth>;
  readonly open: readonly { readonly accountId: number; readonly count: number }[];
  readonly budgetsOf: (account: GatewayAccount) => Schemas['AccountBudget'][];
}

/** How accounts fare, as people see them. */
class Fares {
  readonly #parts: FareParts;

  constructor(parts: FareParts) {
    this.#parts = parts;
  }

  /** One of several keys is enough for an account to be well. */
  accountOf(members: readonly GatewayAccount[], models: readonly string[]): Schemas['Account'] {
    const keys = members.map((member) => this.#keyOf(member));
    const best = keys.toSorted((one, other) => WELL.indexOf(one.state) - WELL.indexOf(other.state))[0];
    const [account] = members;
    if (account === undefined || best === undefined) throw new Error('an account without any key');
    const sum = (name: 'in_flight' | 'queued' | 'open_tasks'): number =>
      keys.reduce((total, key) => total + key[name], 0);
    const faults = keys.flatMap(({ last_fault: fault }) => (fault === null ? [] : [fault]));
    return {
      object: 'account',
      id: account.id,
      name: account.name,
      vendor: account.vendor,
      on: account.on,
      off_reason: account.offReason ?? null,
      twin: account.twin,
      state: best.state,
      // A key that is well is asked; one that is alone can be well while one of its models cools.
      cool_until:
        keys.length > 1 && best.state === 'closed' ? null : soonest(keys.map(({ cool_until: until }) => until)),
      failures: Math.min(...keys.map(({ failures }) => failures)),
      last_fault: faults.toSorted((one, other) => other.at.localeCompare(one.at))[0] ?? null,
      in_flight: sum('in_flight'),
      queued: sum('queued'),
      max_concurrency: members.reduce((total, { maxConcurrency }) => total + maxConcurrency, 0),
      open_tasks: sum('open_tasks'),
      models: [...models],
      budgets: added(members.flatMap(this.#parts.budgetsOf)),
      keys: members.length < 2 ? [] : keys,
    };
  }

  #keyOf({ id, member }: GatewayAccount): Schemas['AccountKey'] {
    const { health, open } = this.#parts;
    const found = health.get(id);
    return {
      id,
      number: member?.number ?? 1,
      region: member?.region ?? null,
      state: found?.state ?? 'closed',
      cool_until: found === undefined || found.coolUntil === 0 ? null : timeOf(found.coolUntil),
      failures: found?.failures ?? 0,
      last_fault: faultView(found?.lastFault),
      in_flight: found?.inFlight ?? 0,
      queued: found?.queued ?? 0,
      open_tasks: open.reduce((sum, each) => sum + (each.accountId === id ? each.count : 0), 0),
    };
  }
}

const WELL: readonly Schemas['AccountKey']['state'][] = ['closed', 'half-open', 'open'];

function soonest(times: readonly (string | null)[]): string | null {
  return times.flatMap((time) => time ?? []).toSorted()[0] ?? null;
}

/** Budgets of several keys, by their bounds. */
function added(budgets: readonly Schemas['AccountBudget'][]): Schemas['AccountBudget'][] {
  return [...Map.groupBy(budgets, ({ bound }) => bound)].map(([bound, each]) => ({
    bound,
    limit: each.reduce((total, { limit }) => total + limit, 0),
    used: each.reduce((total, { used }) => total + used, 0),
  }));
}

/** Drafts wait for each other; no account has this id. */
const DRAFTS = 0;

/** Operations on vendor accounts. */
export function accountOperations(parts: AdminParts): AdminOperations {
  const { store, catalogue, accountHealth, router, now } = parts;
  const inTurn = createTurns();
  const budgetsOf = (account: GatewayAccount): components['schemas']['AccountBudget'][] =>
    router.budgetUse(account).map(({ bound, share }) => {
      const limit = account.budget?.[bound] ?? 0;
      const name = bound.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return { bound: name as components['schemas']['AccountBudget']['bound'], limit, used: share * limit };
    });
  return {
    listAccounts: async () => {
      const { accounts, models } = catalogue();
      const health = new Map((await accountHealth()).map((each) => [each.accountId, each]));
      const open = await store.tasks.countOpen();
      const fares = new Fares({ health, open, budgetsOf });
      const data = wholeAccounts(accounts).map((members) => fares.accountOf(members, codesOf(models, members)));
      return { object: 'list', data };
    },
    listVendors: () => ({ object: 'list', data: vendorViews(parts.configuration.environment) }),
    testAccountDraft: (call) => inTurn(DRAFTS, () => testAccountDraft(parts, call.body, auditedBy(parts, call))),
    testAccount: (call) => {
      const id = idIn(call, 'account_id');
      return inTurn(id, async () => {
        const members = catalogue().accounts.filter((each) => accountIdOf(each) === id || each.id === id);
        const [account] = members;
        if (account === undefined)
          throw new GatewayError('not_found', `there is no account ${id}; GET /admin/accounts lists them`, {
            param: 'account_id',
          });
        await using tester = createAccountTester(catalogue(), now);
        const began = performance.now();
        const { ok, finding, message, status } = await tester.testAll(members, textIn(call, 'model'));
        const ms = Math.round(performance.now() - began);
        return {
          object: 'account_test',
          account_id: id,
          account: account.name,
          ok,
          finding,
          message,
          status: status ?? null,
          ms,
        };
      });
    },
  };
}

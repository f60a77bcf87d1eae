/** /admin/accounts: vendor accounts, how they fare, and one call to try them. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { AccountHealth, GatewayAccount } from '@model-gateway/core';
import { createAccountTester } from './account-tester.ts';
import { testAccountDraft, vendorViews } from './drafts.ts';
import { createTurns } from '../../http/in-turn.ts';
import { auditedBy, idIn, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOf } from '../values.ts';

function faultView(fault: AccountHealth['lastFault']) {
  if (fault === undefined) return null;
  const { code, status, message, model, at } = fault;
  return { code, status: status ?? null, message, model, at: timeOf(at) };
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
      const data = accounts.map((account) => {
        const found: AccountHealth | undefined = health.get(account.id);
        return {
          object: 'account' as const,
          id: account.id,
          name: account.name,
          vendor: account.vendor,
          on: account.on,
          off_reason: account.offReason ?? null,
          twin: account.twin,
          state: found?.state ?? 'closed',
          cool_until: found === undefined || found.coolUntil === 0 ? null : timeOf(found.coolUntil),
          failures: found?.failures ?? 0,
          last_fault: faultView(found?.lastFault),
          in_flight: found?.inFlight ?? 0,
          queued: found?.queued ?? 0,
          max_concurrency: account.maxConcurrency,
          open_tasks: open.reduce((sum, each) => sum + (each.accountId === account.id ? each.count : 0), 0),
          models: [...models.values()]
            .filter(({ offers }) => offers.some((offer) => offer.account.id === account.id))
            .map(({ code }) => code),
          budgets: budgetsOf(account),
        };
      });
      return { object: 'list', data };
    },
    listVendors: () => ({ object: 'list', data: vendorViews(parts.configuration.environment) }),
    testAccountDraft: (call) => inTurn(DRAFTS, () => testAccountDraft(parts, call.body, auditedBy(parts, call))),
    testAccount: (call) => {
      const id = idIn(call, 'account_id');
      return inTurn(id, async () => {
        const account = catalogue().accounts.find((each) => each.id === id);
        if (account === undefined)
          throw new GatewayError('not_found', `there is no account ${id}; GET /admin/accounts lists them`, {
            param: 'account_id',
          });
        await using tester = createAccountTester(catalogue(), now);
        const began = performance.now();
        const { ok, finding, message, status } = await tester.test(account, textIn(call, 'model'));
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

/** The operations of every admin resource: for the admin API, and for commands on the database of this machine. */
import type { AdminOperations, AdminParts } from './admin-operation.ts';

/** They are loaded late, so that every command starts at once. */
const LOADS: readonly (() => Promise<(parts: AdminParts) => AdminOperations>)[] = [
  async () => (await import('./keys/routes.ts')).keyOperations,
  async () => (await import('./owners/routes.ts')).ownerOperations,
  async () => (await import('./usage/routes.ts')).usageOperations,
  async () => (await import('./ledger/routes.ts')).ledgerOperations,
  async () => (await import('./models/routes.ts')).modelOperations,
  async () => (await import('./accounts/routes.ts')).accountOperations,
  async () => (await import('./tasks/routes.ts')).taskOperations,
  async () => (await import('./webhooks/routes.ts')).webhookOperations,
  async () => (await import('./requests/routes.ts')).requestOperations,
  async () => (await import('./prompt-cache/routes.ts')).promptCacheOperations,
  async () => (await import('./replay/routes.ts')).replayOperations,
  async () => (await import('./config-entries/routes.ts')).configOperations,
  async () => (await import('./audit/routes.ts')).auditOperations,
  async () => (await import('./invariants/routes.ts')).invariantOperations,
  async () => (await import('./jobs/routes.ts')).jobOperations,
  async () => (await import('./people/routes.ts')).personOperations,
  async () => (await import('./budgets/routes.ts')).budgetOperations,
  async () => (await import('./budgets/rules.ts')).budgetRuleOperations,
  async () => (await import('./alerts/routes.ts')).alertOperations,
  async () => (await import('./bills/routes.ts')).billOperations,
  async () => (await import('./guardrails/routes.ts')).guardrailOperations,
  async () => (await import('./route-explanation/routes.ts')).routeExplanationOperations,
];

/** Loads the operations. */
export async function adminOperations(parts: AdminParts): Promise<AdminOperations> {
  const loaded = await Promise.all(LOADS.map((load) => load()));
  return Object.assign({}, ...loaded.map((operationsOf) => operationsOf(parts))) as AdminOperations;
}

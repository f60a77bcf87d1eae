/** /admin/invariants: what must always be so, and what breaks it. */
import { INVARIANTS, type InvariantReport } from '@model-gateway/core';
import { textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOrNull } from '../values.ts';

/** The report. A look is made after what chat has journalled was written. */
export function invariantOperations({ invariants, flush }: AdminParts): AdminOperations {
  return {
    getInvariants: async (call) => {
      if (textIn(call, 'look') !== 'true') return invariantsView(await invariants.report());
      await flush();
      return invariantsView(await invariants.look());
    },
  };
}

/** The report as the admin API prints it: every invariant with its number, and what was found. */
function invariantsView({ at, wholeAt, violations }: InvariantReport) {
  return {
    object: 'invariant_report' as const,
    ok: violations.length === 0,
    at: timeOrNull(at),
    whole_at: timeOrNull(wholeAt),
    invariants: INVARIANTS.map((name) => ({
      name,
      violations: violations.filter(({ invariant }) => invariant === name).length,
    })),
    violations: violations.map(({ invariant, subject, message }) => ({ invariant, subject, message })),
  };
}

import { INVARIANTS, type InvariantReport } from '@model-gateway/core';
import { timeOf } from '../admin-views.ts';

/** The report as the admin API prints it: every invariant with its number, and what was found. */
export function invariantsView({ at, wholeAt, violations }: InvariantReport) {
  return {
    object: 'invariant_report' as const,
    ok: violations.length === 0,
    at: at === undefined ? null : timeOf(at),
    whole_at: wholeAt === undefined ? null : timeOf(wholeAt),
    invariants: INVARIANTS.map((name) => ({
      name,
      violations: violations.filter(({ invariant }) => invariant === name).length,
    })),
    violations: violations.map(({ invariant, subject, message }) => ({ invariant, subject, message })),
  };
}

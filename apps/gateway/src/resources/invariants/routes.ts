/** /admin/invariants: what must always be so, and what breaks it. */
import { invariantsView } from './view.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { textIn, type AdminParts } from '../admin.ts';

/** Handler of the report. A look is made after what chat has journalled was written. */
export function adminInvariantRoutes({ invariants, flush }: AdminParts): Handlers {
  return {
    getInvariants: operation<'getInvariants'>(async ({ request }) => {
      const isAsked = textIn(request, 'look') === 'true';
      if (isAsked) await flush();
      return { status: 200, body: invariantsView(await (isAsked ? invariants.look() : invariants.report())) };
    }),
  };
}

/** /admin/routes/explain: whom a request would go to, and why. */
import { GatewayError } from '@model-gateway/contracts';
import {
  findModel,
  offersThatServe,
  rowNamed,
  type RequestInput,
  type RouteCandidate,
  type RouteNote,
  type Router,
} from '@model-gateway/core';
import type { AdminOperations, AdminParts } from '../admin-operation.ts';

/** The explanation. */
export function routeExplanationOperations({ catalogue, router, now }: AdminParts): AdminOperations {
  return {
    explainRoute: ({ body: asked }) => {
      const current = catalogue();
      const row = findModel(current, asked.model);
      const notes: RouteNote[] = [];
      const inputs = new Set<RequestInput>(asked.inputs);
      const { candidates, instead } = router.plan(row, {
        rowOf: (code) => rowNamed(current, code),
        offersOf: (each) => offersThatServe(current, each, asked.mode ?? 'live'),
        facts: {
          key: asked.key ?? '',
          group: asked.group ?? 'default',
          region: asked.region ?? current.region,
          at: asked.at === undefined ? now() : momentOf(asked.at),
          tags: () => asked.tags ?? {},
          inputTokens: () => asked.input_tokens ?? 0,
          inputs: () => inputs,
        },
        note: (note) => notes.push(note),
      });
      const views = (list: readonly RouteCandidate[]) => list.map((each) => candidateView(router, each));
      return {
        object: 'route_explanation',
        model: row.code,
        candidates: views(candidates),
        on_context_too_long: views(instead.on_context_too_long),
        on_content_refusal: views(instead.on_content_refusal),
        notes: notes.map(({ model, account, isLeftOut, reason }) => ({
          model,
          account: account ?? null,
          left_out: isLeftOut,
          reason,
        })),
      };
    },
  };
}

/** Some moments have the right form and are none: leap seconds. */
function momentOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new GatewayError('invalid_request', 'at must be a moment such as 2026-11-22T22:30:00Z', { param: 'at' });
  return at;
}

function candidateView(router: Pick<Router, 'view'>, { row, offer, by, strategy }: RouteCandidate) {
  const { cooling, inFlight, latency } = router.view(offer);
  return {
    model: row.code,
    account_id: offer.account.id,
    account: offer.account.name,
    by,
    strategy,
    cooling,
    in_flight: inFlight,
    expected_ms: latency === undefined ? null : Math.round(latency.ms),
  };
}

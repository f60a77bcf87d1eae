/** The plan of a further request to a vendor, by what became of the last one. */
import { GatewayError } from '@model-gateway/contracts';
import {
  forwardRequest,
  isStateRefusal,
  withMissingMembers,
  type AssistantPart,
  type ChatRequest,
} from '@model-gateway/translate';
import { resumed, type Resumption } from './continuations.ts';
import { targetOf, translated, type Plan, type PlanCall } from './plan.ts';

/** The request that goes on where the vendor broke off. */
export function resumedPlan(plan: Plan, resumption: Resumption): Plan {
  const { translation } = plan;
  if (translation === undefined) throw new GatewayError('internal', 'a forwarded answer is not resumed here');
  return translated(plan, { ...translation, request: resumed(translation.request, resumption) });
}

/** The request with which this plan's model goes on with what another one has said; undefined for a plan that is forwarded. */
export function goingOnPlan(plan: Plan, said: string): Plan | undefined {
  const { translation } = plan;
  return translation === undefined
    ? undefined
    : translated(plan, { ...translation, request: goingOn(translation.request, said) });
}

/** The last resort of docs/wire/chat-translation.md#reasoning-state: the same request without reasoning, when the vendor refused the state it came with. */
export function withoutReasoning(plan: Plan, error: unknown): Plan | undefined {
  const { translation } = plan;
  if (translation === undefined || !isStateRefusal(error)) return undefined;
  const { request } = translation;
  const hasState = ({ type, opaque }: AssistantPart): boolean => type === 'reasoning' || opaque !== undefined;
  if (!request.turns.some((turn) => turn.role === 'assistant' && turn.parts.some(hasState))) return undefined;
  const turns = request.turns.map((turn) => {
    if (turn.role !== 'assistant') return turn;
    const parts = turn.parts
      .filter(({ type }) => type !== 'reasoning')
      .map(({ opaque: _opaque, ...part }) => part as AssistantPart);
    return { ...turn, parts };
  });
  return translated(plan, { ...translation, request: { ...request, turns } });
}

/** The same request without the usage that only the gateway asks for, when the vendor refused it: it knows no such option. */
export function withoutAskedUsage(plan: Plan, call: PlanCall, error: unknown): Plan | undefined {
  const { translation, callerDialect, offer } = plan;
  if (translation !== undefined || !call.stream || callerDialect.hasStreamOptions !== true) return undefined;
  if (!(error instanceof GatewayError) || error.code !== 'invalid_request') return undefined;
  if (!/stream_options|include_usage/.test(`${error.details.param ?? ''} ${error.message}`)) return undefined;
  const body = offer.bodyFields === undefined ? call.body : withMissingMembers(call.body, offer.bodyFields);
  const target = targetOf(plan.row, offer);
  const bare = { ...target, quirks: { ...target.quirks, stream_options: false } };
  const { bytes } = forwardRequest(callerDialect, body, { target: bare, stream: true });
  return bytes.equals(plan.bytes) ? undefined : { ...plan, bytes };
}

const GO_ON =
  'Your last answer was cut off. Continue it from exactly where it stops: repeat nothing of it, and do not remark on the interruption.';

/** The request that another model goes on with. */
function goingOn(request: ChatRequest, said: string): ChatRequest {
  if (said === '') return request;
  const answer = { role: 'assistant' as const, parts: [{ type: 'text' as const, text: said }] };
  const ask = { role: 'user' as const, parts: [{ type: 'text' as const, text: GO_ON }] };
  return { ...request, turns: [...request.turns, answer, ask] };
}

/** Chat: any chat model through any of the chat dialects, with failover before the first byte. */
import { dialects, type ChatRequest } from '@model-gateway/translate';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import { runPaid } from '../../paid/paid-request.ts';
import { newTrace } from '../../paid/trace.ts';
import { ChatRun, type ChatRunOptions } from './chat-run.ts';
import { goOnWith } from './continued-elsewhere.ts';
import { GenerationRates } from './generation-rate.ts';
import { planFor, type Plan } from './plan.ts';
import { checkBillable, costReader, plansOf } from './reservation.ts';
import { offersIn, planChat, routed, within } from './routed.ts';
import { RoutedChatRun } from './routed-run.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';
import { createVendorState, type VendorState } from './vendor-state.ts';

export type * from './types.ts';

/** Makes the chat side of a gateway. */
export function createChat(parts: ChatParts): Chat {
  return new ChatService(parts);
}

class ChatService implements Chat {
  private readonly parts: ChatParts;
  private readonly state: VendorState;
  private readonly rates = new GenerationRates();

  constructor(parts: ChatParts) {
    this.parts = parts;
    this.state = createVendorState(parts);
  }

  /** Answers by the offers of the model that the call names: a plan for each, money set aside, one asked after another. */
  async answer(call: ChatCall, trace: ChatTrace = newTrace()): Promise<ChatAnswer> {
    const { parts, state, rates } = this;
    const row = findModel(parts.catalogue(), call.model, ['chat']);
    checkBillable(call);
    const run: ChatRunOptions = { parts, state, rates, call, row, trace };
    if (row.route !== undefined || call.control !== undefined) return this.answerRouted(run);
    const reachable = state.reachable(call, offersFor(parts.catalogue(), row, call.caller.mode));
    const offers = reachable instanceof Promise ? await reachable : reachable;
    const plan = this.planner(call, requestDecoder(call));
    const plans = plansOf(parts.router.order(offers), (offer) => plan(row, offer));
    return runPaid(parts, new ChatRun(run, plans));
  }

  /** Answers where the model has routes, or the caller restricts them: over several models, each at its own price. */
  private async answerRouted(run: ChatRunOptions): Promise<ChatAnswer> {
    const { parts, state } = this;
    const { call, row } = run;
    const request = requestDecoder(call);
    const plan = planChat(parts, call, row, request);
    const kept = new Set(await state.reachable(call, offersIn(plan)));
    const continues = call.stream && row.route?.continuesBroken === true;
    const write = this.planner(call, request, continues);
    const found = routed(parts, call, { plan, row, kept }, ({ row: own, offer }) => write(own, offer));
    const withContinuation = continues ? { ...found, goOn: goOnWith(parts, call, found) } : found;
    return within(found, run.trace, () => runPaid(parts, new RoutedChatRun(run, withContinuation)));
  }

  /** Writes the request for one offer after another. */
  private planner(
    call: ChatCall,
    request: () => ChatRequest,
    isRewritten = false,
  ): (row: ModelRow, offer: Offer) => Plan {
    const cost = costReader(call);
    return (row, offer) => {
      const id = this.parts.randomId();
      const now = Math.floor(this.parts.now() / 1000);
      return planFor(call, offer, { row, request, cost, id, now, isRewritten });
    };
  }
}

/** The caller's request in the middle form; decoded once, and only when some offer speaks another dialect. */
function requestDecoder({ dialect, body, model, stream }: ChatCall): () => ChatRequest {
  let decoded: ChatRequest | undefined;
  return () => (decoded ??= dialects[dialect].decodeRequest(body.json, { model, stream }));
}

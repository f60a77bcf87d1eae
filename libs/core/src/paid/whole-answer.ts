/** Answers that a vendor gives at once and whole, and that cost next to nothing to ask for again: vectors, scores, verdicts. */
import type { Usage } from '@model-gateway/contracts';
import type { Generated, ProviderAdapter, Upstream } from '@model-gateway/provider-kit';
import type { ModelRow } from '../catalogue.ts';
import type { Caller, OpenOffer, Parts } from '../parts.ts';
import { delivered } from './delivery.ts';
import { refuseReferences, type Kept, type KeptParts } from './kept-by-vendors.ts';
import { UNTIL_ANSWERED } from './repeat.ts';
import { answered, mediaCandidates, type InputCandidate, type MediaControl, type MediaRequest } from './routed.ts';
import { runPaid, type PaidParts } from './paid-request.ts';
import { toldOf } from './payment.ts';
import { withoutSetting, type Trace } from './trace.ts';

export type WholeParts = PaidParts &
  KeptParts &
  Pick<Parts, 'router' | 'now' | 'log'> & { readonly openOffer: OpenOffer };

/** A request for a whole answer. */
export interface WholeCall<Input> {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: Input;
  /** The input for another model that the row leads to. Throws what that one has against it. */
  readonly read: (row: ModelRow) => Input;
  /** For the ledger: the path of the operation. */
  readonly endpoint: string;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
}

/** What a kind of whole answers is. */
export interface WholeKind<Input, T> {
  /** The most that a request may use: what is set aside. */
  readonly mostOf: (input: Input, row: ModelRow) => Usage;
  /** What it brings, for conditions of routes. */
  readonly factsOf: (input: Input) => ReturnType<MediaRequest<Input>['facts']>;
  /** What it names that vendors keep; absent where nothing can be named. */
  readonly keptIn?: (input: Input) => Iterable<Kept>;
  /** Asks once; throws what the vendor refused with, and where its answer cannot be used. */
  readonly ask: (adapter: ProviderAdapter, upstream: Upstream, input: Input) => Promise<Generated<T>>;
  /** What is billed, by the counts above zero that the vendor reports. */
  readonly used: (reported: Usage, input: Input, row: ModelRow) => Usage;
}

/** Runs a paid request for a whole answer, whose `usage` is what was billed. Throws GatewayError; nothing is charged then. */
export function answerWhole<Input, T>(
  parts: WholeParts,
  kind: WholeKind<Input, T>,
  call: WholeCall<Input>,
  trace: Trace,
): Promise<Generated<T>> {
  const { caller, row, endpoint, input, read, control } = call;
  const { keptIn } = kind;
  return runPaid(parts, {
    caller,
    row,
    endpoint,
    trace,
    repeat: UNTIL_ANSWERED,
    quote: { most: kind.mostOf(input, row) },
    isDelivered: true,
    ...mediaCandidates(parts, input, {
      caller,
      row,
      read,
      termsOf: (each, own) => ({ quote: { most: kind.mostOf(each, own) } }),
      facts: () => kind.factsOf(input),
      repeat: UNTIL_ANSWERED,
      ...(control !== undefined && { control }),
    }),
    ...(keptIn !== undefined && {
      async prepare(candidate: InputCandidate<Input>) {
        const whose = { ownerId: caller.key.ownerId, offers: [candidate.offer] };
        await refuseReferences(parts, keptIn(candidate.input), whose);
        return candidate;
      },
    }),
    async attempt({ offer, input: asked, row: own = row, by }, payment) {
      const gone = offer.account.onDisconnect.others === 'abort' ? caller.signal : undefined;
      const opened = parts.openOffer(offer, gone, trace);
      const { adapter, upstream } = delivered(caller.delivery, { offer, row: own, isPlain: true }, opened);
      const since = parts.now();
      const answer = await kind.ask(adapter, upstream, asked);
      trace.dropped = withoutSetting(answer.dropped);
      payment.settle({ usage: kind.used(toldOf(answer.usage), asked, own), reported: answer.usage });
      const usage = trace.usage ?? {};
      if (by !== undefined) answered(parts, row, { offer, row: own, by }, { since, size: usage.inputTokens ?? 0 });
      return { ...answer, usage };
    },
  });
}

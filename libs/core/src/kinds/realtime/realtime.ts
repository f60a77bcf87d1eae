/** Realtime conversations: whom a session is opened with, and how its turns are paid. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { RealtimeWire, UpstreamSocket } from '@model-gateway/provider-kit';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { guardrailsFor } from '../../guardrails/findings.ts';
import { billOf, dollarsOf } from '../../money/price.ts';
import { AttemptLoop } from '../../paid/attempt-loop.ts';
import { runPaid, type PaidParts } from '../../paid/paid-request.ts';
import type { Payment, Quote } from '../../paid/payment.ts';
import { UNTIL_ANSWERED, type RepeatPolicy } from '../../paid/repeat.ts';
import { answered, mediaCandidates, tooDear, type MediaControl } from '../../paid/routed.ts';
import type { Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import { mostOfTranscript } from '../transcription/expected.ts';
import { quoteOfTurn, type TurnOutlook } from './expected.ts';

export type RealtimeParts = PaidParts & Pick<Parts, 'router' | 'now' | 'log'> & { readonly openOffer: OpenOffer };

export interface RealtimeCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  /** The session only writes down what it hears. */
  readonly transcribes: boolean;
  readonly control?: MediaControl;
}

/** A vendor's socket, open. */
export interface RealtimeLine {
  readonly wire: RealtimeWire;
  readonly socket: UpstreamSocket;
  readonly offer: Offer;
  /** Whose offer it is: the row that was asked for, or one that it leads to. */
  readonly row: ModelRow;
  readonly asked: ModelRow;
  /** Another socket of the same offer. */
  readonly reopen: () => Promise<UpstreamSocket>;
  /** A vendor's sentence without what is no caller's business. */
  readonly scrub: (text: string) => string;
}

/** How a turn ended. */
export interface TurnEnd {
  /** What is billed; undefined: nothing was answered. */
  readonly usage: Usage | undefined;
  readonly error?: GatewayError;
  /** The caller left before its end. */
  readonly isLeft?: boolean;
}

/** A turn as its payment sees it. */
export interface TurnCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly offer: Offer;
  readonly endpoint: string;
  readonly quote: Quote;
  readonly control?: MediaControl;
  /** Money is set aside: it may begin. */
  readonly begun: () => void;
  /** What would be billed if it ended now; undefined while nothing was answered. */
  readonly soFar: () => Usage | undefined;
  readonly ended: Promise<TurnEnd>;
}

/** Throws `forbidden` where a guardrail would have to look through what is said: nobody reads sound on its way. */
export function refuseGuarded(parts: Pick<Parts, 'catalogue'>, caller: Caller, row: ModelRow): void {
  const all = parts.catalogue().guardrails ?? [];
  const strict = guardrailsFor(parts, all, { model: row.code, caller }).find(({ mode }) => mode !== 'observe');
  if (strict === undefined) return;
  throw new GatewayError(
    'forbidden',
    `the guardrail '${strict.name}' cannot check a realtime conversation; the operator can exclude '${row.code}' from it`,
    { param: 'model' },
  );
}

const ONCE: RepeatPolicy = { mostAttempts: 1, forbiddenWhen: 'answered' };
const NO_WORDS = { text: '', inputs: new Set<never>() };

/** Opens a session's socket with the first vendor of its model that takes it. Throws GatewayError; nothing is charged. */
export function openLine(parts: RealtimeParts, call: RealtimeCall, trace: Trace): Promise<RealtimeLine> {
  const { caller, row, transcribes, control } = call;
  const outlook: TurnOutlook = { contextTokens: 0, textTokens: 0, audioTokens: 0, mostOutput: undefined };
  const planned = mediaCandidates(parts, call, {
    caller,
    row,
    read: () => call,
    termsOf: (_input, each) => ({ quote: transcribes ? quoteOfTranscript(1, each) : quoteOfTurn(outlook, each) }),
    facts: () => NO_WORDS,
    repeat: UNTIL_ANSWERED,
    ...(control !== undefined && { control }),
  });
  const attempts = { caller, trace, repeat: UNTIL_ANSWERED, ...planned };
  return new AttemptLoop<(typeof attempts.candidates)[number], RealtimeLine>(parts, attempts, {
    async ask(candidate, slot) {
      const { offer, row: own = row, by } = candidate;
      const { adapter, upstream } = parts.openOffer(offer, caller.signal, trace);
      const { realtime } = adapter;
      if (realtime === undefined)
        throw new GatewayError('not_implemented', `the vendor of '${own.code}' holds no realtime conversations`, {
          param: 'model',
        });
      const since = parts.now();
      const connect = (by: typeof upstream): Promise<UpstreamSocket> => realtime.connect({ transcribes }, by);
      const socket = await connect(upstream);
      slot.succeed();
      trace.span?.ended({ error: undefined, isGone: false });
      if (by !== undefined) answered(parts, row, { offer, row: own, by }, { since, size: 0 });
      return {
        ...{ wire: realtime.wire, socket, offer, row: own, asked: row, scrub: (text) => upstream.scrub(text) },
        // Not cut with the request that opened the session, which is over.
        reopen: () => connect(parts.openOffer(offer).upstream),
      };
    },
  }).run();
}

/** Pays one turn, from the money that is set aside to the bill. Throws GatewayError where it may not begin. */
export async function payTurn(parts: RealtimeParts, call: TurnCall, trace: Trace): Promise<TurnEnd> {
  const { caller, row, offer, quote, control, begun, soFar, ended } = call;
  const allowed = control?.maxCost;
  if (allowed !== undefined) {
    const group = parts.catalogue().groupFactors[caller.key.group] ?? 1;
    const most = dollarsOf(billOf(quote.most, row.price, { group }).units);
    if (most > allowed) throw tooDear(most, allowed);
  }
  return runPaid(parts, {
    ...{ caller, row, endpoint: call.endpoint, trace, quote, repeat: ONCE },
    candidates: [{ offer }],
    async attempt(_candidate, payment: Payment) {
      payment.checkpoint(() => soFar() ?? NOTHING);
      begun();
      const end = await ended;
      const { usage, error, isLeft } = end;
      payment.settle({
        usage,
        ...(usage !== undefined && { reported: usage }),
        ...(error !== undefined && { error }),
        ...((isLeft === true || usage === undefined) && { inconclusive: true }),
      });
      return end;
    },
  });
}

const NOTHING: Usage = { inputTokens: 0, inputAudioTokens: 0, outputTokens: 0, outputAudioTokens: 0, seconds: 0 };

/** What is set aside to write down so many seconds of sound. */
export function quoteOfTranscript(seconds: number, row: ModelRow): Quote {
  return { most: mostOfTranscript({ seconds: Math.ceil(seconds) + 1 }, row) };
}

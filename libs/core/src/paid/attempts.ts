/** Trying offers for work that is paid per answer: elsewhere only when the vendor certainly did not take it. */
import { GatewayError } from '@model-gateway/contracts';
import type { ChatTrace } from '../kinds/chat/types.ts';
import type { Offer } from '../catalogue.ts';
import type { Caller, OpenOffer, Parts } from '../parts.ts';

export type OpenedOffer = ReturnType<OpenOffer> & { readonly offer: Offer };
export type AttemptParts = Pick<Parts, 'router'> & { readonly openOffer: OpenOffer };

/** What the attempts of one request share. */
export interface Attempting {
  readonly offers: readonly Offer[];
  readonly caller: Caller;
  readonly trace: ChatTrace;
}

/** A finished attempt; `done` is said when its answer has been read to the end. */
export interface Attempted<T> {
  readonly value: T;
  readonly opened: OpenedOffer;
  readonly done: (error?: GatewayError) => void;
}

/** Runs `work` against one offer after another; throws the last refusal. */
export async function attemptOffers<T>(
  parts: AttemptParts,
  { offers, caller, trace }: Attempting,
  work: (opened: OpenedOffer) => Promise<T>,
): Promise<Attempted<T>> {
  let last: Error | undefined;
  for (const offer of offers) {
    let slot;
    try {
      slot = await parts.router.acquire(offer, caller.signal);
    } catch (error) {
      last ??= asError(error);
      continue;
    }
    trace.attempts++;
    trace.accountId = offer.account.id;
    trace.vendor = offer.account.vendor;
    const opened = { ...parts.openOffer(offer, caller.signal), offer };
    try {
      const value = await work(opened);
      const held = slot;
      return {
        value,
        opened,
        done(error) {
          if (error?.retryElsewhere === true) held.fail(error);
          else held.succeed();
        },
      };
    } catch (error) {
      last = asError(error);
      const fault = error instanceof GatewayError ? error : undefined;
      if (fault?.retryElsewhere === true && !caller.signal.aborted) slot.fail(fault);
      else slot.release();
      if (fault === undefined || !fault.retryElsewhere || fault.details.taken !== 'no' || caller.signal.aborted)
        throw error;
    }
  }
  throw last ?? new GatewayError('unavailable', 'no vendor could be asked');
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

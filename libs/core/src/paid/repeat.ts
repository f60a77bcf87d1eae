/** What may be asked again after an attempt that failed: a value per kind of request, and the rules that read it. */
import { GatewayError, type ErrorCode } from '@model-gateway/contracts';

export interface RepeatPolicy {
  /** Questions to vendors that one request may cause. */
  readonly mostAttempts: number;
  /**
   * What forbids another attempt. `answered`: only that a vendor has answered; what was lost on the way costs nobody money. `maybe-taken`:
   * also that a vendor may have taken the request, because it bills what nobody receives.
   */
  readonly forbiddenWhen: 'answered' | 'maybe-taken';
  /** A lone offer that broke is asked once more after this pause, milliseconds; absent: no offer is asked twice. */
  readonly sameOfferAfterMs?: number;
  /** Codes after which another attempt may be made; absent: all that allow it by themselves. */
  readonly only?: readonly ErrorCode[];
  /** A whole answer with nothing in it is a fault, once for a request; both answers are paid. */
  readonly replacesEmpty?: boolean;
  /** Asked before every attempt beyond the first; absent: each may be made. */
  readonly mayRepeat?: () => boolean;
}

/** For answers that are billed as they are said: until its first event a lost request costs nobody money. */
export const UNTIL_ANSWERED: RepeatPolicy = { mostAttempts: 4, forbiddenWhen: 'answered', sameOfferAfterMs: 150 };
/** For what vendors bill when it is made, whoever receives it: pictures, speech, tasks. */
export const UNTIL_TAKEN: RepeatPolicy = { mostAttempts: 4, forbiddenWhen: 'maybe-taken' };

/** Codes that an adapter can only mean of the input: nothing was sent. */
export const OF_THE_INPUT: readonly ErrorCode[] = [
  'invalid_request',
  'content_refused',
  'not_implemented',
  'model_not_found',
];
/** A vendor that refuses for these reasons does so again a moment later. */
const LASTING: readonly ErrorCode[] = ['upstream_rejected_key', 'upstream_rejected_model', 'upstream_rate_limited'];

/** Whether the vendor certainly has no job after this error. In doubt it may have one. */
export function certainlyNotTaken(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  if (error.details.taken !== undefined) return error.details.taken === 'no';
  return OF_THE_INPUT.includes(error.code);
}

/** Whether an adapter could not put this input into its vendor's words: nobody was asked, and another vendor may have the words. */
export function cannotBePut(error: unknown): boolean {
  return error instanceof GatewayError && error.details.taken === undefined && OF_THE_INPUT.includes(error.code);
}

/** Whether another offer may be asked after this error. */
export function mayAskElsewhere(error: unknown, { forbiddenWhen, only }: RepeatPolicy): boolean {
  if (!(error instanceof GatewayError)) return false;
  if (error.details.isEmpty === true) return true;
  if (only !== undefined && !only.includes(error.code)) return false;
  // Another offer has another name for the model.
  const isOffersOwn = error.code === 'upstream_rejected_model' || error.retryElsewhere;
  if (forbiddenWhen === 'answered') return isOffersOwn;
  return certainlyNotTaken(error) && (isOffersOwn || cannotBePut(error));
}

/** Whether the same offer may be asked again at once: it broke, and did not ask for a pause. */
export function mayAskAgain(error: unknown, policy: RepeatPolicy): boolean {
  if (policy.sameOfferAfterMs === undefined || !mayAskElsewhere(error, policy)) return false;
  const { code, details } = error as GatewayError;
  if (isLastingStatus(details.vendorStatus)) return false;
  return !LASTING.includes(code) && details.retryAfterSeconds === undefined;
}

/** A 4xx is about the request or the address, a moment later, too; 408 and 425 ask for another try. */
function isLastingStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 425;
}

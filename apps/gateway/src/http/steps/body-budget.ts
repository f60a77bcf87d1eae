import type { ServerResponse } from 'node:http';
import { GatewayError } from '@model-gateway/contracts';

/** What every body has for nothing: ordinary requests are never refused for what others send. */
const FREE_BYTES = 256 * 1024;
const RETRY_AFTER_SECONDS = 2;

/** What one body takes. It is given back when its response is over and the work for it has ended. */
export interface BodyHold {
  /** Why a body of this size cannot be taken now, as far as that is known before it comes. */
  refusalOf(bytes: number): GatewayError | undefined;
  /** Counts bytes that came; gives the refusal when they do not fit. */
  take(bytes: number): GatewayError | undefined;
  /** The body is needed until this has ended, whether or not the caller is still there. */
  keepFor(work: Promise<unknown>): void;
}

export interface BodyBudget {
  /** Begins to count a body. `owner` is undefined for the admin API. */
  open(response: ServerResponse, owner: number | undefined): BodyHold;
}

export interface BodyBudgetOptions {
  /** Bytes in all; an owner may have half of it. */
  readonly total: number;
  /** Bytes of the largest body that is taken: one of it always fits. */
  readonly largest: number;
}

/** Makes the budget of one process. */
export function createBodyBudget({ total, largest }: BodyBudgetOptions): BodyBudget {
  const most = Math.max(total, largest);
  const mostOfOwner = Math.max(Math.floor(total / 2), largest);
  const owners = new Map<number | undefined, number>();
  let all = 0;

  const refusal = (owner: number | undefined, bytes: number): GatewayError | undefined => {
    if ((owners.get(owner) ?? 0) + bytes > mostOfOwner)
      return tooMuch('the requests of your account that are under way have bodies');
    if (all + bytes > most) return tooMuch('the requests that are under way have bodies');
    return undefined;
  };
  const add = (owner: number | undefined, bytes: number): void => {
    all += bytes;
    const now = (owners.get(owner) ?? 0) + bytes;
    if (now === 0) owners.delete(owner);
    else owners.set(owner, now);
  };

  return {
    open(response, owner) {
      let came = 0;
      let counted = 0;
      let reasons = 0;
      const release = (): void => {
        if (--reasons > 0) return;
        add(owner, -counted);
        counted = 0;
      };
      return {
        refusalOf: (bytes) => (bytes <= FREE_BYTES ? undefined : refusal(owner, bytes - FREE_BYTES)),
        take(bytes) {
          came += bytes;
          const more = Math.max(0, came - FREE_BYTES) - counted;
          if (more <= 0) return undefined;
          const refused = refusal(owner, more);
          if (refused !== undefined) return refused;
          if (counted === 0) {
            reasons++;
            response.once('close', release);
          }
          counted += more;
          add(owner, more);
          return undefined;
        },
        keepFor(work) {
          if (counted === 0) return;
          reasons++;
          work.then(release, release);
        },
      };
    },
  };
}

function tooMuch(whose: string): GatewayError {
  return new GatewayError(
    'rate_limited',
    `${whose} that fill what this gateway has for large bodies; try again in ${RETRY_AFTER_SECONDS} seconds, or send a smaller body`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

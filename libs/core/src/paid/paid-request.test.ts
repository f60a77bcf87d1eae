/** Whatever vendors, callers and readers do: one payment, one slot given back per attempt, and no vendor asked for what another may have taken. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Caller } from '../parts.ts';
import type { Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { untilEnd } from './paid-stream.ts';
import { UNTIL_ANSWERED, UNTIL_TAKEN, type RepeatPolicy } from './repeat.ts';
import { runPaid } from './paid-request.ts';
import type { Payment } from './payment.ts';
import { payer, pictureRow, watch, type Watched } from './testing/harness.ts';
import { newTrace } from './trace.ts';

/** What an attempt comes to. */
const OUTCOMES = [
  'success',
  'limited',
  'bad-key',
  'no-such-model',
  'not-reached',
  'lost',
  'unreadable',
  'unreadable-unbilled',
  'no-words',
  'own-fault',
  'crash',
  'abort',
] as const;
type Outcome = (typeof OUTCOMES)[number];

const ERRORS: Readonly<Record<Exclude<Outcome, 'success'>, () => Error>> = {
  limited: () => new GatewayError('upstream_rate_limited', 'slow down', { taken: 'no' }),
  'bad-key': () => new GatewayError('upstream_rejected_key', 'no', { taken: 'no' }),
  'no-such-model': () => new GatewayError('upstream_rejected_model', 'no such model', { taken: 'no' }),
  'not-reached': () => new GatewayError('upstream_unavailable', 'refused', { taken: 'no' }),
  lost: () => new GatewayError('upstream_timeout', 'silence', { taken: 'unknown' }),
  unreadable: () => new GatewayError('upstream_malformed', 'html', { answered: { usage: { images: 3 } } }),
  'unreadable-unbilled': () => new GatewayError('upstream_malformed', 'html', { answered: {} }),
  'no-words': () => new GatewayError('invalid_request', 'the vendor has no such setting'),
  'own-fault': () => new GatewayError('content_refused', 'no', { taken: 'no' }),
  crash: () => new TypeError('a fault of our own'),
  abort: () => new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown' }),
};
/** The vendor answered, or may have what it was asked for. */
const ANSWERED: readonly Outcome[] = ['success', 'unreadable', 'unreadable-unbilled'];
const MAY_BE_TAKEN: readonly Outcome[] = [...ANSWERED, 'lost', 'crash', 'abort'];

/** How a reader takes a streamed answer of three pictures. */
const READINGS = ['all', 'stops', 'never', 'twice-over', 'hangs-up', 'breaks'] as const;
type Reading = (typeof READINGS)[number];

interface Scene {
  readonly offers: number;
  readonly outcomes: readonly Outcome[];
  readonly policy: RepeatPolicy;
  readonly reading: Reading | undefined;
}
interface Played {
  readonly scene: Scene;
  readonly watched: Watched;
  /** Outcomes of the attempts that were made. */
  readonly made: readonly Outcome[];
  readonly delivered: number;
  readonly error: unknown;
  readonly charged: number;
}

let store: Store;
let call: (signal: AbortSignal) => Caller;

beforeAll(async () => {
  store = await openTestStore();
  call = await payer(store, 1_000_000);
});
afterAll(() => store.close());

async function play(scene: Scene): Promise<Played> {
  const row = pictureRow(scene.offers);
  const watched = watch(store, row);
  const hangUp = new AbortController();
  const trace = newTrace();
  const made: Outcome[] = [];
  let delivered = 0;
  const deliver = (): void => {
    delivered++;
  };
  let error: unknown;
  try {
    const read = await runPaid(watched.parts, {
      caller: call(hangUp.signal),
      row,
      endpoint: '/v1/images/generations',
      trace,
      candidates: row.offers.map((offer) => ({ offer })),
      repeat: scene.policy,
      quote: { most: { images: 5 } },
      async attempt(_candidate, payment) {
        const outcome = scene.outcomes[made.length] ?? 'success';
        made.push(outcome);
        await Promise.resolve();
        if (outcome === 'abort') hangUp.abort();
        if (outcome !== 'success') throw ERRORS[outcome]();
        if (scene.reading === undefined) {
          delivered = 1;
          payment.settle({ usage: { images: 1 } });
          return async () => undefined;
        }
        return () => readStream(payment, scene.reading ?? 'all', hangUp, deliver);
      },
    });
    await read();
  } catch (thrown) {
    error = thrown;
  }
  await watched.spending.close();
  return { scene, watched, made, delivered, error, charged: trace.charged };
}

/** A stream of three pictures; `deliver` is told of each that the vendor has made. */
async function readStream(
  payment: Payment,
  reading: Reading,
  hangUp: AbortController,
  deliver: () => void,
): Promise<void> {
  let pictures = 0;
  async function* vendor(): AsyncGenerator<number, void, undefined> {
    for (let index = 0; index < 3; index++) {
      if (reading === 'breaks' && index === 1) throw new GatewayError('upstream_unavailable', 'cut');
      pictures++;
      deliver();
      yield index;
    }
  }
  const usage = (): Usage | undefined => (pictures === 0 ? undefined : { images: pictures });
  const stream = untilEnd(vendor(), hangUp.signal, (end) =>
    payment.settle({
      usage: usage(),
      ...(end.how === 'failed' && { error: end.error as GatewayError }),
      inconclusive: end.how === 'abandoned',
    }),
  );
  if (reading === 'never') {
    await stream.return?.();
    return;
  }
  for await (const index of stream) {
    expect(pictures).toBe(index + 1);
    if (reading === 'stops') break;
    if (reading === 'hangs-up') hangUp.abort();
  }
  if (reading === 'twice-over') {
    await stream.return?.();
    hangUp.abort();
    payment.settle({ usage: { images: 9 } });
  }
}

const scenes = fc.record({
  offers: fc.integer({ min: 1, max: 6 }),
  outcomes: fc.array(fc.constantFrom(...OUTCOMES), { minLength: 0, maxLength: 6 }),
  policy: fc.constantFrom(UNTIL_ANSWERED, UNTIL_TAKEN),
  reading: fc.constantFrom(undefined, ...READINGS),
});
const always = (check: (played: Played) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(scenes, async (scene) => check(await play(scene))),
    { numRuns: 150, seed: 7 },
  );

describe('of any sequence of outcomes', () => {
  it('at most one vendor has taken what is billed when it is made, and none is asked after an answer', () =>
    always(({ scene, made }) => {
      const forbidding = scene.policy.forbiddenWhen === 'answered' ? ANSWERED : MAY_BE_TAKEN;
      expect(made.slice(0, -1).filter((outcome) => forbidding.includes(outcome))).toEqual([]);
      expect(made.length).toBeLessThanOrEqual(scene.policy.mostAttempts);
      expect(made.slice(0, -1)).not.toContain('abort');
      expect(made.slice(0, -1)).not.toContain('own-fault');
    }));

  it('a lone offer is asked twice only when it broke, and only where that costs nobody money', () =>
    always(({ scene, made, watched }) => {
      if (scene.offers > 1) {
        expect(made.length).toBeLessThanOrEqual(scene.offers);
        expect(watched.pauses).toEqual([]);
        return;
      }
      const broke = made[0] === 'lost' || made[0] === 'not-reached';
      const again = broke && scene.policy === UNTIL_ANSWERED;
      expect(made).toHaveLength(again ? 2 : 1);
      expect(watched.pauses).toEqual(again ? [150] : []);
    }));

  it('every slot is settled once, and the reservation is closed once', () =>
    always(({ watched, made }) => {
      expect(watched.slots.map((said) => said.length)).toEqual(made.map(() => 1));
      expect(watched.reservations.map((said) => said.length)).toEqual([1]);
      const accounts = watched.parts.catalogue().accounts;
      expect(watched.router.health(accounts).map(({ inFlight, queued }) => inFlight + queued)).toEqual(
        accounts.map(() => 0),
      );
    }));

  it('is charged for exactly what was made or what the vendor bills', () =>
    always(({ watched, made, delivered, charged }) => {
      // The account hangs up on its vendor when the caller does: all that was set aside may be on its bill.
      const billed = { unreadable: 3, abort: 5 }[made.at(-1) as string] ?? delivered;
      expect(watched.reservations).toEqual([[billed === 0 ? 'cancel' : `charge ${billed}`]]);
      expect(charged).toBe(billed);
    }));

  it('an account suffers for what it did, not for what the caller did', () =>
    always(({ scene, watched, made }) => {
      const expected = made.map((outcome) => {
        if (outcome === 'success') return afterReading(scene.reading);
        const fault: readonly Outcome[] = ['limited', 'bad-key', 'not-reached', 'lost'];
        return fault.includes(outcome) ? 'fail' : 'release';
      });
      expect(watched.slots.flat()).toEqual(expected);
    }));

  it('ends well exactly when the last attempt did', () =>
    always(({ scene, made, error }) => {
      const broke = scene.reading === 'breaks' && made.at(-1) === 'success';
      expect(error === undefined).toBe(made.at(-1) === 'success' && !broke);
    }));
});

function afterReading(reading: Reading | undefined): string {
  if (reading === 'breaks') return 'fail';
  return reading === undefined || reading === 'all' || reading === 'twice-over' ? 'succeed' : 'release';
}

describe('what the caller is told', () => {
  const told = async (offers: number, outcomes: readonly Outcome[], policy = UNTIL_TAKEN): Promise<GatewayError> => {
    const { error } = await play({ offers, outcomes, policy, reading: undefined });
    return error as GatewayError;
  };

  it.each([
    { name: 'a rejected key', outcome: 'bad-key', code: 'upstream_rejected_key', message: 'no' },
    { name: 'an unknown model', outcome: 'no-such-model', code: 'upstream_rejected_model', message: 'no such model' },
    { name: 'a limit', outcome: 'limited', code: 'upstream_rate_limited', message: 'slow down' },
    { name: 'an answer that cannot be read', outcome: 'unreadable', code: 'upstream_malformed', message: 'html' },
  ] as const)('of a lone offer its own refusal: $name', async ({ outcome, code, message }) => {
    for (const policy of [UNTIL_ANSWERED, UNTIL_TAKEN])
      expect(await told(1, [outcome, outcome], policy)).toMatchObject({ code, message });
  });

  it('a vendor’s refusal, rather than that another has no words for the request', async () => {
    for (const outcomes of [
      ['limited', 'no-words'],
      ['no-words', 'limited'],
    ] as const)
      expect((await told(2, outcomes)).code).toBe('upstream_rate_limited');
  });

  it('the first reason of those who have no words for it', async () => {
    expect(await told(2, ['no-words', 'no-words'])).toMatchObject({ code: 'invalid_request', details: {} });
  });

  it('when to come back, once everybody asked for a pause', async () => {
    for (const policy of [UNTIL_ANSWERED, UNTIL_TAKEN])
      expect((await told(2, ['limited', 'limited'], policy)).details.retryAfterSeconds).toBe(2);
  });

  it('no time to come back when coming back does not help', async () => {
    expect((await told(1, ['no-such-model'])).details.retryAfterSeconds).toBeUndefined();
    expect((await told(1, ['unreadable'])).details.retryAfterSeconds).toBeUndefined();
  });
});

describe('a caller who has gone', () => {
  it('is not asked for, and pays nothing', async () => {
    const row = pictureRow(2);
    const watched = watch(store, row);
    const request = runPaid(watched.parts, {
      caller: call(AbortSignal.abort()),
      row,
      endpoint: '/v1/images/generations',
      trace: newTrace(),
      candidates: row.offers.map((offer) => ({ offer })),
      repeat: UNTIL_TAKEN,
      quote: { most: { images: 5 } },
      attempt: () => Promise.reject(new Error('asked')),
    });
    await expect(request).rejects.toThrow('cancelled');
    expect(watched.slots).toEqual([]);
    expect(watched.reservations).toEqual([['cancel']]);
    await watched.spending.close();
  });
});

describe('a payment that is settled', () => {
  it('is not undone, nor another vendor asked, by what fails afterwards', async () => {
    const row = pictureRow(3);
    const watched = watch(store, row);
    let asked = 0;
    const request = runPaid(watched.parts, {
      caller: call(new AbortController().signal),
      row,
      endpoint: '/v1/images/generations',
      trace: newTrace(),
      candidates: row.offers.map((offer) => ({ offer })),
      repeat: UNTIL_TAKEN,
      quote: { most: { images: 5 } },
      async attempt(_candidate, payment) {
        asked++;
        payment.settle({ usage: { images: 1 } });
        throw ERRORS.limited();
      },
    });
    await expect(request).rejects.toThrow('slow down');
    expect(asked).toBe(1);
    expect(watched.slots).toEqual([['succeed']]);
    expect(watched.reservations).toEqual([['charge 1']]);
    await watched.spending.close();
  });
});

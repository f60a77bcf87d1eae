/** Streams of pictures: pulled by their reader, and paid once, whatever ends them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type {
  ImageAdapter,
  ImageCreate,
  ImageStreamEvent,
  ProviderAdapter,
  Upstream,
} from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { payer, pictureRow, watch, type Watched, quiet } from '../../paid/testing/harness.ts';
import type { Caller } from '../../parts.ts';
import type { Store } from '../../ports.ts';
import { openTestStore } from '../../tasks/testing/store.ts';
import type { ImageEvent } from './image-stream.ts';
import { createImages, type Images } from './images.ts';

const MOST = 1000;
const INPUT: ImageCreate = { shape: 'prompt', prompt: 'a kite', images: [], count: 5, extra: {} };

let store: Store;
let call: (signal: AbortSignal) => Caller;
let row: ModelRow;
let watched: Watched;
let images: Images;
/** Events that the vendor was asked for. */
let pulled: number;
/** The vendor's stream was let go of. */
let released: boolean;
/** The picture at which the vendor breaks off. */
let breaksAt: number;
let upstreamSignal: AbortSignal | undefined;
let hangUp: AbortController;
let leavesAtStart: boolean;

const painter: ImageAdapter = {
  generate: () => Promise.reject(new Error('not asked')),
  async *stream(): AsyncGenerator<ImageStreamEvent> {
    try {
      pulled++;
      if (leavesAtStart) hangUp.abort();
      yield { type: 'started', dropped: ['seed'] };
      for (let index = 0; index < MOST; index++) {
        pulled++;
        if (index === breaksAt) throw new GatewayError('upstream_unavailable', 'cut');
        yield { type: 'image', index, file: { url: `https://vendor.example/${index}.png`, mime: 'image/png' } };
      }
    } finally {
      released = true;
    }
  },
};

beforeAll(async () => {
  store = await openTestStore();
  call = await payer(store, 1_000_000);
});
afterAll(() => store.close());
beforeEach(() => {
  [pulled, released, breaksAt] = [0, false, Infinity];
  hangUp = new AbortController();
  leavesAtStart = false;
  row = { ...pictureRow(2), imageShape: 'prompt' };
  watched = watch(store, row);
  images = createImages({
    ...watched.parts,
    store,
    now: () => 0,
    log: quiet,
    adapters: new Map(),
    untrustedFetcher: {} as Parameters<typeof createImages>[0]['untrustedFetcher'],
    keptFiles: { keep: () => Promise.reject(new Error('nothing is kept')) },
    openOffer: (_offer, signal) => {
      upstreamSignal = signal;
      return { adapter: { id: 'openai', images: painter } as unknown as ProviderAdapter, upstream: {} as Upstream };
    },
  });
});
afterEach(() => watched.spending.close());

async function open(): Promise<AsyncIterator<ImageEvent>> {
  const request = {
    caller: call(hangUp.signal),
    row,
    input: INPUT,
    read: () => INPUT,
    endpoint: '/v1/images/generations',
  };
  return (await images.stream(request))[Symbol.asyncIterator]();
}
const paid = (): unknown => ({ slots: watched.slots, reservations: watched.reservations });
const once = (slot: string, money: string): unknown => ({ slots: [[slot]], reservations: [[money]] });

it('asks the vendor for nothing that its reader has not asked for', async () => {
  const stream = await open();
  expect(pulled).toBe(1);
  await stream.next();
  expect(pulled).toBe(2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBe(2);
  await stream.next();
  expect(pulled).toBe(3);
  await stream.return?.();
});

describe('is settled once when', () => {
  it('its reader stops', async () => {
    const stream = await open();
    await stream.next();
    await stream.next();
    await stream.return?.();
    await stream.return?.();
    hangUp.abort();
    expect(paid()).toEqual(once('release', 'charge 2'));
    expect(released).toBe(true);
  });

  it('its reader never begins: the vendor is let go of', async () => {
    const stream = await open();
    await stream.return?.();
    expect(paid()).toEqual(once('release', 'cancel'));
    expect(upstreamSignal?.aborted).toBe(true);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(pulled).toBe(1);
  });

  it('its caller hangs up while nobody reads', async () => {
    const stream = await open();
    await stream.next();
    hangUp.abort();
    expect(paid()).toEqual(once('release', 'charge 1'));
    expect(upstreamSignal?.aborted).toBe(true);
    await stream.return?.();
    expect(paid()).toEqual(once('release', 'charge 1'));
    expect(released).toBe(true);
  });

  it('its caller had hung up before the first picture', async () => {
    leavesAtStart = true;
    const stream = await open();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(paid()).toEqual(once('release', 'cancel'));
  });

  it('its vendor breaks off: what was made is paid, the account suffers, and the reader is told', async () => {
    breaksAt = 2;
    const stream = await open();
    const names: string[] = [];
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) names.push(next.value.type);
    expect(names).toEqual(['image', 'image', 'error']);
    expect(paid()).toEqual(once('fail', 'charge 2'));
  });

  it('its vendor breaks off before a picture: nothing is paid', async () => {
    breaksAt = 0;
    const stream = await open();
    for (let next = await stream.next(); next.done !== true; next = await stream.next());
    expect(paid()).toEqual(once('fail', 'cancel'));
  });

  it('it was read to its end', async () => {
    const stream = await open();
    for (let next = await stream.next(); next.done !== true; next = await stream.next());
    // Pictures beyond those that were asked for are nobody's to pay.
    expect(paid()).toEqual(once('succeed', `charge ${INPUT.count}`));
    expect(upstreamSignal?.aborted).toBe(false);
  });
});

it('a hang-up after the end changes nothing, and leaves no listener behind', async () => {
  breaksAt = 1;
  const stream = await open();
  for (let next = await stream.next(); next.done !== true; next = await stream.next());
  hangUp.abort();
  expect(paid()).toEqual(once('fail', 'charge 1'));
});

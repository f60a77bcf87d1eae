import { expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { CacheTurn, PromptTurn, RequestRow } from '../ports.ts';
import { CacheDoctor } from './cache-doctor.ts';
import { keptChain, readPromptChain, sharedBlocks } from './prompt-chain.ts';

const SECRET = 'secret';
const text = (name: string): string => `${name} `.repeat(200);
function readWhole<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
const chainOf = (body: JsonObject, keyId = 7, secret = SECRET) =>
  readWhole(readPromptChain(dialects['anthropic-messages'].promptParts(body), { secret, keyId, withSettings: true }));
const talk = (...said: readonly string[]): JsonObject => ({
  system: text('rules'),
  messages: said.map((each, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text(each) })),
  cache_control: { type: 'ephemeral' },
});

let made = 0;
/** A request that has ended; its tokens are its characters. */
function rowOf(body: JsonObject, given: Partial<PromptTurn> = {}, row: Partial<RequestRow> = {}): RequestRow {
  const chain = chainOf(body);
  if (chain === undefined) throw new Error('there is no chain');
  const inputTokens = chain.blocks.reduce((sum, { characters }) => sum + characters, 0);
  made++;
  return {
    ...{ id: `req_${made}`, at: made * 60_000, ownerId: 3, mode: 'live', keyId: 7, model: 'm', status: 200 },
    ...{ operation: 'createMessage', aborted: false, streamed: false, ms: 900, attempts: 1, charged: 50 },
    prompt: {
      ...{ chain, upstreamModel: 'u', accountId: 1, inputTokens, readTokens: 0, minimumTokens: 100 },
      ...{ lifetimeMs: 300_000, needsMarks: true, looksBack: 20, savedPerMillion: 1_000_000, ...given },
    },
    ...row,
  };
}

const doctorOf = (stored: readonly CacheTurn[] = []) => {
  const asked: number[] = [];
  const store = {
    cacheTurns: async ({ keyId }: { readonly keyId: number }) => {
      asked.push(keyId);
      return stored;
    },
  };
  return { doctor: new CacheDoctor(store), asked };
};
const causesOf = async (...rows: readonly RequestRow[]): Promise<readonly (string | undefined)[]> =>
  ((await doctorOf().doctor.examine(rows))?.turns ?? []).map(({ cause }) => cause);

it('hashes blocks by the secret and the key, and marks, texts and lists alike', () => {
  const hashes = (...given: Parameters<typeof chainOf>) => chainOf(...given)?.blocks.map(({ hash }) => hash);
  const body = talk('a');
  expect(hashes(body)).toEqual(hashes({ ...body, system: [{ type: 'text', text: text('rules'), cache_control: {} }] }));
  expect(hashes(body)).not.toEqual(hashes(body, 8));
  expect(hashes(body)).not.toEqual(hashes(body, 7, 'other'));
  expect(hashes(body)).not.toEqual(hashes({ ...body, messages: [{ role: 'assistant', content: text('a') }] }));
  expect(JSON.stringify(chainOf(body))).not.toContain('rules');
});

it('finds what prompts share in chains of any length, exactly at both ends and by groups between', () => {
  const said = Array.from({ length: 500 }, (_, index) => `message ${index}`);
  const whole = chainOf(talk(...said));
  const blocks = whole?.blocks ?? [];
  for (const count of [0, 1, 60, 127, 128, 129, 300, 499]) {
    const earlier = chainOf(talk(...said.slice(0, count)));
    if (earlier === undefined) throw new Error('there is no chain');
    const kept = keptChain(earlier);
    expect(kept.hashes.length).toBeLessThanOrEqual(128 * 8);
    expect(sharedBlocks(kept, blocks)).toBe(kept.count);
    for (const changed of [0, 1, 40, 126, count - 1].filter((each) => each >= 0 && each < count)) {
      const other = chainOf(talk(...said.with(changed, 'another')))?.blocks ?? [];
      const shared = sharedBlocks(kept, other);
      // System and the two settings come first.
      expect(shared).toBeLessThanOrEqual(changed + 3);
      if (count <= 125 || changed < 20 || changed >= count - 60) expect(shared).toBe(changed + 3);
      else expect(shared).toBeGreaterThan(changed - 17);
    }
  }
});

it('does not follow prompts that are longer than it reads, and reads media by their ends', () => {
  expect(chainOf(talk(...Array.from({ length: 2_100 }, (_, index) => `m ${index}`)))).toBeUndefined();
  const image = (data: string): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'image', data }] }] });
  const hashOf = (data: string) => chainOf(image(data))?.blocks.at(-1)?.hash;
  const half = 'x'.repeat(500_000);
  expect(hashOf(`${half}${half}a`)).not.toBe(hashOf(`${half}${half}b`));
  expect(hashOf(`a${half}${half}`)).not.toBe(hashOf(`b${half}${half}`));
  expect(hashOf(`${half}${half}`)).not.toBe(hashOf(`${half}${half}x`));
  // The middle is not read: so a request with large media costs no more than one without.
  expect(hashOf(`${half}a${half}`)).toBe(hashOf(`${half}b${half}`));
});

it('reads long prompts in slices, and short ones at once', () => {
  const slicesOf = (content: Json): number => {
    const body: JsonObject = { messages: [{ role: 'user', content }] };
    const options = { secret: SECRET, keyId: 7, withSettings: true };
    let slices = 0;
    for (const _ of readPromptChain(dialects['anthropic-messages'].promptParts(body), options)) slices++;
    return slices;
  };
  const part: JsonObject = { type: 'text', text: 'x'.repeat(1_000) };
  expect(slicesOf(Array<JsonObject>(100).fill(part))).toBe(0);
  expect(slicesOf(Array<JsonObject>(1_500).fill(part))).toBeGreaterThan(10);
});

it.each<readonly [string, () => readonly RequestRow[], string | undefined]>([
  ['another account', () => [rowOf(talk('a')), rowOf(talk('a', 'b', 'c'), { accountId: 2 })], 'other_account'],
  ['the same prompt that was not read', () => [rowOf(talk('a')), rowOf(talk('a', 'b', 'c'))], 'not_read'],
  [
    'the same prompt that was read',
    () => [rowOf(talk('a')), rowOf(talk('a', 'b', 'c'), { readTokens: 1_600 })],
    undefined,
  ],
  ['many blocks at once', () => [rowOf(talk('a')), rowOf(talk(...Array.from({ length: 41 }, (_, at) => (at === 0 ? 'a' : `b ${at}`))))], 'too_many_blocks'], // prettier-ignore
  ['requests at once', () => [rowOf(talk('a'), {}, { at: 100, ms: 9_000 }), rowOf(talk('a', 'b', 'c'), {}, { at: 200 })], 'at_once'], // prettier-ignore
  ['a model beside, which began the same', () => [rowOf(talk('a'), { upstreamModel: 'v' }), rowOf(talk('else'))], undefined], // prettier-ignore
  ['two models that are asked the same', () => [rowOf(talk('a')), rowOf(talk('a', 'b', 'c'), { upstreamModel: 'v', readTokens: 0 }), rowOf(talk('a', 'b', 'c'), { readTokens: 1_600 })].slice(0, 3), undefined], // prettier-ignore
  ['another conversation with a greeting as short', () => [rowOf({ ...talk(), messages: [{ role: 'user', content: 'hi' }] }), rowOf({ ...talk(), system: text('others'), messages: [{ role: 'user', content: 'hi' }] })], undefined], // prettier-ignore
  ['a system block that is there no more', () => [rowOf({ ...talk('a'), system: [{ type: 'text', text: text('rules') }, { type: 'text', text: text('more') }] }), rowOf(talk('a', 'b', 'c'))], 'changed'], // prettier-ignore
])('%s', async (_, rows, cause) => {
  expect((await causesOf(...rows())).at(-1)).toBe(cause);
});

it('names the place of what is there no more', async () => {
  const two = [{ type: 'text', text: text('rules') }, { type: 'text', text: text('more') }]; // prettier-ignore
  const earlier = rowOf({ ...talk('a'), system: two });
  const { turns = [] } = (await doctorOf().doctor.examine([earlier, rowOf({ ...talk('a', 'b', 'c'), system: two.slice(0, 1) })])) ?? {}; // prettier-ignore
  expect(turns.at(-1)).toMatchObject({ cause: 'changed', changed: 'system[0]', previous: earlier.id, gapMs: 60_000 });
});

it('knows a short conversation by its session, and by nothing else', async () => {
  const hello = (system: string, ...more: readonly string[]): JsonObject => ({
    ...talk(),
    system: text(system),
    messages: [{ role: 'user', content: 'hi' }, ...more.map((each) => ({ role: 'assistant', content: text(each) }))],
  });
  const identity = { session: 's' };
  const rows = (given: Partial<RequestRow>) => [rowOf(hello('rules'), {}, { identity }), rowOf(hello('new', 'b'), {}, given)]; // prettier-ignore
  expect(await causesOf(...rows({ identity }))).toEqual([undefined, 'changed']);
  expect(await causesOf(...rows({ identity: { session: 'other' } }))).toEqual([undefined, undefined]);
});

it('finds conversations that another process has answered, and asks for no others', async () => {
  const first = doctorOf();
  const begun = await first.doctor.examine([rowOf(talk('a'))]);
  expect(first.asked).toEqual([]);
  const second = doctorOf(begun?.turns);
  const turns = await second.doctor.examine([rowOf({ ...talk('a', 'b', 'c'), system: text('new') })]);
  expect(second.asked).toEqual([7]);
  expect(turns?.turns).toMatchObject([{ cause: 'changed', changed: 'system' }]);
  expect(turns?.days).toMatchObject([{ cause: 'changed', requests: 1, charged: 50, keyId: 7, day: 0 }]);
  await second.doctor.examine([rowOf({ ...talk('a', 'b', 'c', 'd', 'e'), system: text('new') })]);
  expect(second.asked).toEqual([7]);
});

it('remembers 8,000 turns of all keys, and forgets the keys that were used longest ago', async () => {
  const { doctor, asked } = doctorOf();
  const row = (keyId: number, at: number, ...said: readonly string[]) => rowOf(talk(...said), {}, { keyId, at });
  const ofKeys = (first: number, count: number): RequestRow[] =>
    Array.from({ length: count }, (_, index) => row(first + index, 1_000 + index, `a ${first + index}`));
  await doctor.examine([...ofKeys(1, 1), ...ofKeys(2, 7_999)]);
  const goesOn = async (keyId: number) => {
    const known = asked.length;
    await doctor.examine([row(keyId, 20_000, `a ${keyId}`, 'b', 'c')]);
    return asked.length === known;
  };
  // A turn that goes on takes the place of the one before: still there are 8,000.
  expect(await goesOn(1)).toBe(true);
  await doctor.examine(ofKeys(10_000, 2));
  expect([await goesOn(1), await goesOn(4)]).toEqual([true, true]);
  expect([await goesOn(2), await goesOn(3)]).toEqual([false, false]);
});

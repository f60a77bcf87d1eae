/** What a vendor answers reaches a caller of every dialect: words, calls, counts, errors and cuts. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { AssistantPart, ChatEvent, ChatReply, StopReason } from './conversation.ts';
import { dialects } from './dialects.ts';
import { contextOf, decodeBytes, decodeText, encodeEvents, essenceOf, eventsOf, fold, NO_REQUEST } from './laws.ts';
import { input, pairs, said } from './testing/pairs.ts';

const parts = fc
  .record({
    reasoning: fc.option(said),
    texts: fc.array(said, { maxLength: 2 }),
    calls: fc.array(fc.tuple(fc.constantFrom('search', 'get_weather'), input), { maxLength: 3 }),
  })
  .map(({ reasoning, texts, calls }): AssistantPart[] => [
    ...(reasoning === null ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...calls.map(([name, args], index) => ({
      type: 'tool-call' as const,
      id: `call_${index}`,
      name,
      kind: 'function' as const,
      arguments: JSON.stringify(args),
    })),
  ]);
const reply = fc
  .tuple(parts, fc.constantFrom<StopReason>('stop', 'length'), fc.nat(999), fc.nat(999), fc.nat(99))
  .map(([list, stop, cached, fresh, output]): ChatReply => ({
    id: 'x',
    choices: [
      { parts: list, stop: stop === 'stop' && list.some(({ type }) => type === 'tool-call') ? 'tool-calls' : stop },
    ],
    usage: { inputTokens: cached + fresh, cachedInputTokens: cached, outputTokens: output + 7, reasoningTokens: 7 },
  }));

describe.each(pairs)('from a vendor of $from to a caller of $to', ({ from, to }) => {
  const vendor = dialects[from];
  const caller = dialects[to];
  const context = contextOf({ ...NO_REQUEST, streamUsage: true });

  it('a whole answer keeps its words, calls, stop reason and counts', () => {
    fc.assert(
      fc.property(reply, (answer) => {
        const crossed = vendor.decodeReply(vendor.encodeReply(answer, context));
        const body = caller.encodeReply(crossed, context);
        const read = caller.decodeReply(body);
        expect(essenceOf(read)).toEqual(essenceOf(answer));
        expect(read.usage).toMatchObject(answer.usage ?? {});
        expect(caller.readUsage(body)).toMatchObject(answer.usage ?? {});
      }),
      { numRuns: 60 },
    );
  });

  it('a streamed answer says the same as the whole one, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(reply, fc.nat(), (answer, at) => {
        const bytes = Buffer.from(encodeEvents(vendor, eventsOf(answer), context));
        const cut = at % bytes.length;
        const events = decodeBytes(vendor, [bytes.subarray(0, cut), bytes.subarray(cut)]);
        const read = fold(decodeText(caller, encodeEvents(caller, events, context)));
        expect(essenceOf(read)).toEqual(essenceOf(answer));
        expect(read.usage).toMatchObject(answer.usage ?? {});
      }),
      { numRuns: 60 },
    );
  });

  it('bug 21: a cut stream ends as an error, never as a clean stop', () => {
    const answer: ChatReply = { choices: [{ parts: [{ type: 'text', text: 'half an answer' }], stop: 'stop' }] };
    const text = encodeEvents(vendor, eventsOf(answer).slice(0, 3), context);
    const events = decodeText(vendor, text);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    const read = decodeText(caller, encodeEvents(caller, events, context));
    expect(read.at(-1)).toMatchObject({ type: 'error' });
    expect(read.map(({ type }) => type)).not.toContain('end');
    expect(read.map(({ type }) => type)).not.toContain('finish');
  });

  it('bug 25: an error inside keeps its meaning', () => {
    const events: ChatEvent[] = [
      ...eventsOf({ choices: [{ parts: [{ type: 'text', text: 'half' }], stop: 'stop' }] }).slice(0, 3),
      { type: 'error', error: { code: 'upstream_rate_limited', message: 'slow down' } },
    ];
    const crossed = decodeText(vendor, encodeEvents(vendor, events, context));
    const read = decodeText(caller, encodeEvents(caller, crossed, context));
    expect(read.at(-1)).toEqual({
      type: 'error',
      error: expect.objectContaining({ code: 'upstream_rate_limited', message: 'slow down' }),
    });
  });

  it('bug 2: interleaved parallel calls land in their own block', () => {
    const events: ChatEvent[] = [
      { type: 'start', id: 'x' },
      { type: 'text-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'looking' },
      { type: 'block-stop', block: 0 },
      { type: 'tool-call-start', block: 1, choice: 0, id: 'a', name: 'search', kind: 'function' },
      { type: 'tool-call-start', block: 2, choice: 0, id: 'b', name: 'search', kind: 'function' },
      { type: 'delta', block: 2, text: '{"q"' },
      { type: 'delta', block: 1, text: '{"p"' },
      { type: 'delta', block: 2, text: ':2}' },
      { type: 'delta', block: 1, text: ':1}' },
      { type: 'block-stop', block: 2 },
      { type: 'block-stop', block: 1 },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ];
    const crossed = decodeText(vendor, encodeEvents(vendor, events, context));
    const read = fold(decodeText(caller, encodeEvents(caller, crossed, context)));
    expect(essenceOf(read)).toMatchObject({
      text: 'looking',
      calls: [
        ['search', '{"p":1}'],
        ['search', '{"q":2}'],
      ],
      stop: 'tool-calls',
    });
  });
});

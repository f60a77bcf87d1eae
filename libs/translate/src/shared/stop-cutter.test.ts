import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { ChatEvent, ChatReply } from '../conversation.ts';
import { eventsOf, fold } from '../laws.ts';
import { cutReply, cuttingDecoder } from './stop-cutter.ts';

const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', arguments: '{}' } as const;
const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
const replyOf = (...parts: ChatReply['choices'][number]['parts']): ChatReply => ({
  choices: [{ parts, stop: 'stop' }],
  usage: { outputTokens: 9 },
});

/** The events of a reply through the cutter, `size` characters a delta. */
function streamed(reply: ChatReply, stops: readonly string[], size = 1): ChatEvent[] {
  const pieces = new RegExp(`.{1,${size}}`, 'gsu');
  const events = eventsOf(reply).flatMap((event): ChatEvent[] =>
    event.type === 'delta' ? (event.text.match(pieces) ?? []).map((piece) => ({ ...event, text: piece })) : [event],
  );
  const decoder = cuttingDecoder({ push: () => events, end: () => [] }, stops);
  return [...decoder.push({ event: '', data: '' }), ...decoder.end()];
}

describe('an answer ends where a stop sequence begins', () => {
  it.each<{ name: string; reply: ChatReply; stops: string[]; cut: ChatReply['choices'][number] }>([
    {
      name: 'in the middle',
      reply: replyOf(text('one END two')),
      stops: ['END'],
      cut: { parts: [text('one ')], stop: 'stop-sequence', stopSequence: 'END' },
    },
    {
      name: 'at the very start',
      reply: replyOf(text('END')),
      stops: ['END'],
      cut: { parts: [], stop: 'stop-sequence', stopSequence: 'END' },
    },
    { name: 'nowhere', reply: replyOf(text('one EN')), stops: ['END'], cut: { parts: [text('one EN')], stop: 'stop' } },
    {
      name: 'the earliest of several',
      reply: replyOf(text('a#b|c')),
      stops: ['|', '#'],
      cut: { parts: [text('a')], stop: 'stop-sequence', stopSequence: '#' },
    },
    {
      name: 'the one that is complete first, within a longer one',
      reply: replyOf(text('xacb')),
      stops: ['acb', 'c'],
      cut: { parts: [text('xa')], stop: 'stop-sequence', stopSequence: 'c' },
    },
    {
      name: 'the longer of two that end together',
      reply: replyOf(text('xacb')),
      stops: ['b', 'acb'],
      cut: { parts: [text('x')], stop: 'stop-sequence', stopSequence: 'acb' },
    },
    {
      name: 'after a false start',
      reply: replyOf(text('EENEND')),
      stops: ['END'],
      cut: { parts: [text('EEN')], stop: 'stop-sequence', stopSequence: 'END' },
    },
    {
      name: 'and nothing follows',
      reply: replyOf(text('a|b'), text('c'), call),
      stops: ['|'],
      cut: { parts: [text('a')], stop: 'stop-sequence', stopSequence: '|' },
    },
    {
      name: 'only in text',
      reply: replyOf({ type: 'reasoning', text: 'a|b' }, call, text('c')),
      stops: ['|', 'f'],
      cut: { parts: [{ type: 'reasoning', text: 'a|b' }, call, text('c')], stop: 'stop' },
    },
    { name: 'an empty one is none', reply: replyOf(text('a')), stops: [''], cut: { parts: [text('a')], stop: 'stop' } },
  ])('$name, whole and streamed', ({ reply, stops, cut }) => {
    expect(cutReply(reply, stops).choices[0]).toEqual(cut);
    const read = fold([{ type: 'start' }, ...streamed(reply, stops).slice(1)]);
    const said = (read.choices[0]?.parts ?? []).filter((part) => part.type !== 'text' || part.text !== '');
    expect({ ...read.choices[0], parts: said }).toEqual(cut);
    expect(read.usage).toEqual({ outputTokens: 9 });
  });

  it('stream and whole agree on any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(
        letters,
        fc.array(
          letters.filter((stop) => stop !== ''),
          { minLength: 1, maxLength: 3 },
        ),
        fc.integer({ min: 1, max: 5 }),
        (words, stops, size) => {
          const reply = replyOf(text(words));
          const whole = cutReply(reply, stops).choices[0];
          const read = fold(streamed(reply, stops, size)).choices[0];
          const join = (choice: typeof whole): string =>
            (choice?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
          expect([join(read), read?.stop, read?.stopSequence]).toEqual([join(whole), whole?.stop, whole?.stopSequence]);
        },
      ),
      // Two stop sequences that overlap in the text are rare.
      { numRuns: 2_000, examples: [['acb', ['acb', 'c'], 1]] },
    );
  });

  it('costs nothing where nobody asked', () => {
    const decoder = { push: () => [], end: () => [] };
    expect(cuttingDecoder(decoder, undefined)).toBe(decoder);
    const reply = replyOf(text('a'));
    expect(cutReply(reply, undefined)).toBe(reply);
  });
});

/** A conversation keeps its meaning from a caller of every dialect to a vendor of every other. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { AssistantPart, ChatRequest, Turn, UserPart } from './conversation.ts';
import { dialects } from './dialects.ts';
import { normalJson } from './laws.ts';
import { input, pairs, said, targetOf } from './testing/pairs.ts';
import { PNG } from './samples.ts';

const TOOLS: ChatRequest['tools'] = [
  {
    type: 'function',
    name: 'search',
    description: 'd',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
  { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } },
];
const image: UserPart = { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } };
/** Conversations of one to three rounds, some of them with calls. */
const request = fc
  .array(
    fc.record({
      asks: said,
      seen: fc.boolean(),
      says: fc.option(said),
      calls: fc.array(fc.tuple(fc.constantFrom('search', 'get_weather'), input, said), { maxLength: 2 }),
      then: said,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .chain((rounds) =>
    fc.record({
      rounds: fc.constant(rounds),
      system: fc.array(said, { maxLength: 2 }),
      choice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const),
    }),
  )
  .map(({ rounds, system, choice }): ChatRequest => {
    const turns = rounds.flatMap(({ asks, seen, says, calls, then }, round): Turn[] => {
      const own = calls.map(([name, args], index): AssistantPart => ({
        type: 'tool-call',
        id: `call_${round}_${index}`,
        name,
        kind: 'function',
        arguments: JSON.stringify(args),
      }));
      const results = calls.map(([name, , output], index): UserPart => ({
        type: 'tool-result',
        callId: `call_${round}_${index}`,
        name,
        content: [{ type: 'text', text: output }],
      }));
      const spoken: AssistantPart[] = says === null ? [] : [{ type: 'text', text: says }];
      return [
        { role: 'user', parts: [{ type: 'text', text: asks }, ...(seen ? [image] : [])] },
        ...(spoken.length + own.length === 0 ? [] : [{ role: 'assistant', parts: [...spoken, ...own] } as const]),
        ...(results.length === 0 ? [] : [{ role: 'user', parts: results } as const]),
        ...(results.length === 0 ? [] : [{ role: 'assistant', parts: [{ type: 'text', text: then }] } as const]),
      ];
    });
    return {
      model: 'vendor-model',
      stream: false,
      system: system.map((text) => ({ type: 'text', text })),
      turns: [...turns, { role: 'user', parts: [{ type: 'text', text: 'go on' }] }],
      tools: TOOLS,
      toolChoice: { type: choice },
      maxOutputTokens: 500,
      extra: {},
    };
  });

/** What a request says, in the words every dialect has. */
function requestEssence({ system, turns, tools, toolChoice, maxOutputTokens }: ChatRequest): object {
  const ids: string[] = [];
  const number = (id: string): number => {
    if (!ids.includes(id)) ids.push(id);
    return ids.indexOf(id);
  };
  const lines: (readonly [string, ...unknown[]])[] = [];
  for (const turn of turns) {
    for (const part of turn.parts) {
      if (part.type === 'text') lines.push([turn.role, part.text]);
      else if (part.type === 'tool-call') lines.push(['call', number(part.id), part.name, normalJson(part.arguments)]);
      else if (part.type === 'tool-result') {
        lines.push([
          'result',
          number(part.callId),
          part.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''),
        ]);
      } else if (part.type === 'image' && part.source.type === 'base64') lines.push(['image', part.source.data]);
      else lines.push(['other', part.type]);
    }
  }
  return {
    system: system.map(({ text }) => text).join('\n'),
    lines,
    tools: tools.map((tool) => (tool.type === 'function' ? [tool.name, tool.description ?? ''] : [tool.type])),
    toolChoice: toolChoice?.type,
    maxOutputTokens,
  };
}

describe.each(pairs)('from a caller of $from to a vendor of $to', ({ from, to }) => {
  const caller = dialects[from];
  const vendor = dialects[to];

  it('a conversation with pictures, parallel calls and results keeps its meaning', () => {
    fc.assert(
      fc.property(request, (written) => {
        const path = { model: 'vendor-model', stream: false };
        const asked = caller.decodeRequest(caller.encodeRequest(written, targetOf(from)).body, path);
        const encoded = vendor.encodeRequest(asked, targetOf(to));
        const heard = vendor.decodeRequest(encoded.body, path);
        expect(requestEssence(heard)).toEqual(requestEssence(asked));
        expect(encoded.dropped).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

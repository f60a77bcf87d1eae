/** State of a thinking model comes back to it through a caller of every dialect, and reaches no other model. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ChatReply } from './conversation.ts';
import type { Encoded, Target } from './dialect.ts';
import { dialects } from './dialects.ts';
import { contextOf, decodeText, encodeEvents, eventsOf, fold, NO_REQUEST } from './laws.ts';
import { targetOf } from './testing/pairs.ts';

/** An answer with the state its vendor's model needs back. */
const THINKERS: readonly { readonly from: ChatFormat; readonly answer: ChatReply }[] = [
  {
    from: 'anthropic-messages',
    answer: {
      choices: [
        {
          parts: [
            {
              type: 'reasoning',
              text: 'let me see',
              opaque: { provider: 'anthropic', model: 'vendor-model', kind: 'signature', value: 'c2ln' },
            },
            {
              type: 'reasoning',
              text: '',
              opaque: { provider: 'anthropic', model: 'vendor-model', kind: 'redacted', value: 'c2VjcmV0' },
            },
            { type: 'text', text: 'I look it up' },
            { type: 'tool-call', id: 'toolu_1', name: 'search', kind: 'function', arguments: '{"q":1}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
  {
    from: 'openai-responses',
    answer: {
      choices: [
        {
          parts: [
            {
              type: 'reasoning',
              text: 'let me see',
              opaque: {
                provider: 'openai',
                model: 'vendor-model',
                kind: 'encrypted',
                value: 'Z0FBQUFB',
                itemId: 'rs_1',
              },
            },
            { type: 'tool-call', id: 'call_1', name: 'search', kind: 'function', arguments: '{"q":1}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
  {
    from: 'gemini-generate',
    answer: {
      choices: [
        {
          parts: [
            { type: 'reasoning', text: 'let me see' },
            { type: 'text', text: 'I look it up' },
            {
              type: 'tool-call',
              id: 'call_1',
              name: 'search',
              kind: 'function',
              arguments: '{"q":1}',
              opaque: { provider: 'gemini', model: 'vendor-model', kind: 'signature', value: 'c2ln' },
            },
            { type: 'tool-call', id: 'call_2', name: 'search', kind: 'function', arguments: '{"q":2}' },
          ],
          stop: 'tool-calls',
        },
      ],
    },
  },
];

/** The next request of a caller who sends the model's answer back with the results of its calls. */
function nextTurn(name: ChatFormat, answer: JsonObject, calls: readonly { id: string; name: string }[]): JsonObject {
  switch (name) {
    case 'openai-chat': {
      const [choice] = answer['choices'] as JsonObject[];
      const results = calls.map(({ id }): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'r' }));
      return { model: 'code', messages: [{ role: 'user', content: 'hi' }, choice?.['message'] ?? null, ...results] };
    }
    case 'openai-responses': {
      const results = calls.map(({ id }): JsonObject => ({ type: 'function_call_output', call_id: id, output: 'r' }));
      return { model: 'code', input: [{ role: 'user', content: 'hi' }, ...(answer['output'] as Json[]), ...results] };
    }
    case 'anthropic-messages': {
      const results = calls.map(({ id }): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
      return {
        model: 'code',
        max_tokens: 1000,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: answer['content'] ?? null },
          { role: 'user', content: results },
        ],
      };
    }
    case 'gemini-generate': {
      const [candidate] = answer['candidates'] as JsonObject[];
      const results = calls.map(({ id, name: own }): JsonObject => ({
        functionResponse: { id, name: own, response: { output: 'r' } },
      }));
      return {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          candidate?.['content'] ?? null,
          { role: 'user', parts: results },
        ],
      };
    }
  }
}

const thinkingPairs = THINKERS.flatMap(({ from, answer }) => DIALECT_NAMES.map((to) => ({ from, answer, to })));

describe.each(thinkingPairs)(
  'a thinking model of $from in a tool conversation with a caller of $to',
  ({ from, answer, to }) => {
    const vendor = dialects[from];
    const caller = dialects[to];
    const target = targetOf(from);
    const sent: Encoded = { body: {}, dropped: [], target };
    const context = contextOf(NO_REQUEST);
    const wire = vendor.encodeReply(answer, { ...context, model: 'vendor-model' });
    const calls = (answer.choices[0]?.parts ?? []).filter((part) => part.type === 'tool-call');

    /** Every opaque value the vendor is sent, whatever it is called. */
    const stateIn = (body: JsonObject): string[] => {
      const found: string[] = [];
      JSON.stringify(body, (key, value: unknown) => {
        const opaque = ['signature', 'data', 'encrypted_content', 'thoughtSignature', 'thought_signature'].includes(
          key,
        );
        if (opaque && typeof value === 'string') found.push(value);
        return value;
      });
      return found;
    };
    const wanted = (answer.choices[0]?.parts ?? []).flatMap(({ opaque }) =>
      opaque === undefined ? [] : [opaque.value],
    );

    it.each([
      { how: 'whole', body: () => caller.encodeReply(vendor.decodeReply(wire, sent), context) },
      {
        how: 'streamed',
        body: () => {
          const text = encodeEvents(vendor, eventsOf(answer), { ...context, model: 'vendor-model' });
          const crossed = decodeText(vendor, text, sent);
          // What the caller's SDK adds the stream up to.
          return caller.encodeReply(fold(decodeText(caller, encodeEvents(caller, crossed, context))), context);
        },
      },
    ])('bugs 37, 39, 40: gets its own state back ($how)', ({ body }) => {
      const request = caller.decodeRequest(nextTurn(to, body(), calls), { model: 'code', stream: false });
      const { body: next } = vendor.encodeRequest(request, target);
      expect(stateIn(next)).toEqual(wanted);
    });

    it('bug 38: another model never sees it', () => {
      const body = caller.encodeReply(vendor.decodeReply(wire, sent), context);
      const request = caller.decodeRequest(nextTurn(to, body, calls), { model: 'code', stream: false });
      for (const name of DIALECT_NAMES) {
        if (name === to) continue;
        const other: Target = { ...targetOf(name), model: 'another-model' };
        const { body: next } = dialects[name].encodeRequest(request, other);
        const states = stateIn(next).filter((value) => value !== 'skip_thought_signature_validator');
        expect(states).toEqual([]);
        expect(JSON.stringify(next)).toContain('search');
      }
    });
  },
);

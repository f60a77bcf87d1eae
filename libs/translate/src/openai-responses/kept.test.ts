import { describe, expect, it } from 'vitest';
import { asHistory, continued, endingEvent, inputItems, isEnding, keepingWish, shownAs } from './kept.ts';

let count = 0;
const newId = (): string => String(++count);

describe('metadata of what is kept', () => {
  const pairs = (count: number, text = 'x') =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, text]));

  it.each([[undefined], [null], [{}], [pairs(16, 'x'.repeat(512))], [{ ['n'.repeat(64)]: '' }]])(
    '%j fits',
    (metadata) => {
      expect(() => keepingWish(metadata === undefined ? {} : { metadata })).not.toThrow();
    },
  );

  it.each([[pairs(17)], [pairs(1, 'x'.repeat(513))], [{ ['n'.repeat(65)]: '' }], [{ a: 1 }], [['a']], ['a']])(
    '%j is refused by its name, unless nothing is kept',
    (metadata) => {
      expect(() => keepingWish({ metadata })).toThrow(
        expect.objectContaining({ code: 'invalid_request', details: { param: 'metadata' } }),
      );
      expect(() => keepingWish({ metadata, store: false })).not.toThrow();
    },
  );
});

describe('input as items', () => {
  it('a text is a message of the user', () => {
    expect(inputItems('Hi', newId)).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi' }],
      },
    ]);
    expect([inputItems(undefined, newId), inputItems(null, newId), inputItems([], newId)]).toEqual([[], [], []]);
  });

  it('each has an id of its own: what is given, unless it is given twice or no database takes it', () => {
    const items = inputItems(
      ['msg_1', 'msg_1', 'msg\u0000', '', 7, 'x'.repeat(201)].map((id) => ({ id, role: 'user', content: 'x' })),
      newId,
    );
    expect(items[0]?.['id']).toBe('msg_1');
    const ids = items.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^msg_\w+$/);
  });
});

it('history brings nothing that only a vendor’s memory could read, and no ids that no vendor knows', () => {
  expect(
    asHistory([
      { id: 'msg_1', type: 'message', role: 'user', content: 'x' },
      { id: 'rs_1', type: 'reasoning', summary: [] },
      { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'e' },
      { id: 'rs_3', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }] },
      { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
      { id: 'fco_1', type: 'function_call_output', call_id: 'c', output: 'o' },
      { id: 'ws_1', type: 'web_search_call', status: 'completed' },
    ]),
  ).toEqual([
    { type: 'message', role: 'user', content: 'x' },
    { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'e' },
    { id: 'rs_3', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }] },
    { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'o' },
    { id: 'ws_1', type: 'web_search_call', status: 'completed' },
  ]);
});

it('what a model is asked has all that was said, and nothing for anybody to keep', () => {
  const body = {
    model: 'm',
    input: 'And?',
    previous_response_id: 'resp_gw_1',
    conversation: null,
    background: true,
    store: true,
    reasoning: { effort: 'high' },
    include: ['message.output_text.logprobs'],
  };
  const said = [{ type: 'message', role: 'user', content: 'x' }];
  expect(continued(body, said, true)).toEqual({
    model: 'm',
    input: [...said, { role: 'user', content: 'And?' }],
    conversation: null,
    reasoning: { effort: 'high' },
    include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
    store: false,
    stream: true,
  });
  expect(continued({ model: 'm', input: 'And?', reasoning: { effort: 'none' } }, [], false)).toEqual({
    model: 'm',
    input: 'And?',
    reasoning: { effort: 'none' },
    store: false,
  });
  expect(continued({ model: 'm', instructions: 'Speak' }, [], false)).not.toHaveProperty('input');
});

it('wishes are the wire’s: stored unless told otherwise', () => {
  expect(keepingWish({})).toEqual({ store: true, background: false });
  expect(keepingWish({ store: null, background: null, conversation: null, previous_response_id: null })).toEqual({
    store: true,
    background: false,
  });
  expect(keepingWish({ store: false, conversation: { id: 'c' } })).toEqual({
    store: false,
    background: false,
    conversationId: 'c',
  });
});

it('an answer is shown under its own id; how it ends is told by its status', () => {
  const response = { id: 'resp_68', status: 'cancelled', store: false, output: [] };
  const shown = shownAs(response, { id: 'resp_gw_1', background: true, conversationId: 'conv_gw_1' });
  expect(shown).toEqual({
    id: 'resp_gw_1',
    status: 'cancelled',
    store: true,
    output: [],
    background: true,
    previous_response_id: null,
    conversation: { id: 'conv_gw_1' },
  });
  const event = endingEvent(shown, 4);
  expect([event['type'], event['sequence_number'], isEnding(event)]).toEqual(['response.failed', 4, true]);
  expect(endingEvent({ status: 'incomplete' }, 0)['type']).toBe('response.incomplete');
});

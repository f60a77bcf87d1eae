import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { Turn } from '../conversation.ts';
import { call, encode, fieldsDropped, PDF, PNG, result, thrown } from './testing/requests.ts';

const JPEG = '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsK';

describe('calls and their results', () => {
  const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };

  it('bug 11: two results become one user turn', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      result('a', '1'),
      result('b', '2'),
      { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
    ];
    expect(encode({ turns }).body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'q' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b', content: '2' },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  it('bug 12: results spread over later turns stand behind their calls', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      result('a', '1'),
      { role: 'user', parts: [{ type: 'text', text: 'wait' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'ok' }] },
      result('b', '2'),
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((messages[2]?.['content'] as JsonObject[]).map((block) => block['tool_use_id'] ?? block['text'])).toEqual([
      'a',
      'b',
      'wait',
    ]);
  });

  it('bug 14: an image never stands between results', () => {
    const image = { type: 'image' as const, source: { type: 'base64' as const, mime: 'image/png', data: PNG } };
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [...call('a').parts, ...call('b').parts] as never },
      { role: 'user', parts: [...result('a', '1').parts, image, ...result('b', '2').parts] as never },
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect((messages[2]?.['content'] as JsonObject[]).map(({ type }) => type)).toEqual([
      'tool_result',
      'tool_result',
      'image',
    ]);
  });

  it("bug 15: an orphan result is the caller's mistake, a missing one is said to be missing", () => {
    expect(thrown(() => encode({ turns: [ask, result('x', '1')] })).details.param).toBe('messages[2]');
    const encoded = encode({ turns: [ask, call('a'), { role: 'user', parts: [{ type: 'text', text: 'go on' }] }] });
    const messages = encoded.body['messages'] as JsonObject[];
    expect(messages[2]?.['content']).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', is_error: true },
      { type: 'text', text: 'go on' },
    ]);
    expect(encoded.dropped).toHaveLength(1);
  });

  it('bug 15: an empty result has no content, an error keeps its flag', () => {
    const turns: Turn[] = [
      ask,
      call('a'),
      result('a', ''),
      call('b'),
      {
        role: 'user',
        parts: [{ type: 'tool-result', callId: 'b', content: [{ type: 'text', text: 'no' }], isError: true }],
      },
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages[2]?.['content']).toEqual([{ type: 'tool_result', tool_use_id: 'a' }]);
    expect(messages[4]?.['content']).toEqual([
      { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
    ]);
  });

  it('bug 45: images and documents stay inside the result', () => {
    const content = [
      { type: 'text' as const, text: 'see' },
      { type: 'image' as const, source: { type: 'base64' as const, mime: 'image/jpeg', data: JPEG } },
      { type: 'document' as const, source: { type: 'base64' as const, mime: 'application/pdf', data: PDF } },
    ];
    const turns: Turn[] = [ask, call('a'), { role: 'user', parts: [{ type: 'tool-result', callId: 'a', content }] }];
    const [, , user] = encode({ turns }).body['messages'] as JsonObject[];
    expect(user?.['content']).toMatchObject([
      { type: 'tool_result', content: [{ type: 'text' }, { type: 'image' }, { type: 'document' }] },
    ]);
  });

  it('bug 35: arguments that are no JSON are kept whole', () => {
    const turns: Turn[] = [ask, call('a', 'look', '{"x": tru'), result('a', '1')];
    expect(JSON.stringify(encode({ turns }).body['messages'])).toContain(JSON.stringify({ input: '{"x": tru' }));
  });

  it('bug 6: an assistant turn of calls alone, or of text and calls, is valid blocks', () => {
    const turns: Turn[] = [
      ask,
      { role: 'assistant', parts: [{ type: 'text', text: 'let me' }, ...call('a').parts] as never },
      result('a', '1'),
    ];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    expect(messages[1]?.['content']).toMatchObject([{ type: 'text', text: 'let me' }, { type: 'tool_use' }]);
  });

  it('ids fit the wire, and are told apart where a vendor used one twice', () => {
    const turns: Turn[] = [ask, call('call:0'), result('call:0', '1'), call('call:0'), result('call:0', '2')];
    const messages = encode({ turns }).body['messages'] as JsonObject[];
    const ids = messages.flatMap(({ content }) =>
      (content as JsonObject[]).flatMap((block) => block['id'] ?? block['tool_use_id'] ?? []),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('an image the assistant made goes with the next user message', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, mime: 'image/png', data: PNG },
      place: 'p',
    };
    const turns: Turn[] = [ask, { role: 'assistant', parts: [{ type: 'text', text: 'here' }, image] }, ask];
    const encoded = encode({ turns });
    const messages = encoded.body['messages'] as JsonObject[];
    expect((messages[2]?.['content'] as JsonObject[]).map(({ type }) => type)).toEqual(['image', 'text']);
    expect(fieldsDropped(encoded)).toEqual(['p']);
  });
});

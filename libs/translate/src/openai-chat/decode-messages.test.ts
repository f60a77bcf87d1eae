import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { withoutPlaces } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { decodeRequest } from './decode-request.ts';
import { messages, user } from './testing/bodies.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const call = (id: string, name = 'f', text = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

describe('messages', () => {
  it('leading system and developer messages are instructions, later ones stay in place', () => {
    const request = decodeRequest(
      messages(
        { role: 'system', content: 'one' },
        {
          role: 'developer',
          content: [{ type: 'text', text: 'two', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        user,
        { role: 'system', content: 'three' },
      ),
    );
    expect(request.system).toEqual([
      { type: 'text', text: 'one', place: 'messages[0].content' },
      { type: 'text', text: 'two', cache: { ttl: '1h' }, place: 'messages[1].content[0]' },
    ]);
    expect(request.turns.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  it('answers find their calls among many, the newest of an id that comes twice', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => call(`c${index}`, `f${index}`));
    const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: id });
    const { turns } = decodeRequest(
      messages(
        user,
        { role: 'assistant', tool_calls: [call('twice', 'old'), ...many, call('twice', 'new')] },
        ...many.map(({ id }) => result(String(id))),
        result('twice'),
        result('twice'),
        result('twice'),
      ),
    );
    const parts = turns.slice(2).map((turn) => turn.parts[0] as { readonly callId: string; readonly name?: string });
    expect(parts.slice(0, 20_000).every(({ callId, name }, index) => callId === `c${index}` && name === `f${index}`)).toBe(true); // prettier-ignore
    expect(parts.slice(20_000).map(({ callId, name }) => [callId, name])).toEqual([
      ['twice', 'new'],
      ['twice', 'old'],
      ['twice', undefined],
    ]);
  });

  it.each<{ name: string; part: JsonObject; decoded: object }>([
    { name: 'text', part: { type: 'text', text: 'a' }, decoded: { type: 'text', text: 'a' } },
    {
      name: 'text with OpenAI’s cache mark',
      part: { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
      decoded: { type: 'text', text: 'a', cache: {} },
    },
    {
      name: 'an image by URL',
      part: { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
      decoded: {
        type: 'image',
        source: { type: 'url', url: 'https://x.test/a.png', mime: 'image/png' },
        detail: 'low',
      },
    },
    {
      name: 'an image URL without its object',
      part: { type: 'image_url', image_url: `data:image/jpeg;base64,${PNG}` },
      decoded: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
    },
    {
      name: 'audio',
      part: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      decoded: { type: 'audio', source: { type: 'base64', mime: 'audio/wav', data: 'AAAA' } },
    },
    {
      name: 'audio by URL',
      part: { type: 'input_audio', input_audio: { data: 'https://x.test/a.mp3' } },
      decoded: { type: 'audio', source: { type: 'url', url: 'https://x.test/a.mp3', mime: 'audio/mpeg' } },
    },
    {
      name: 'video, as vendors take it',
      part: { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
      decoded: { type: 'video', source: { type: 'url', url: 'https://x.test/a.mp4', mime: 'video/mp4' } },
    },
    {
      name: 'a file',
      part: { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      decoded: {
        type: 'document',
        source: { type: 'base64', mime: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      },
    },
    {
      name: 'a file as bare base64',
      part: { type: 'file', file: { filename: 'a.txt', file_data: 'aGVsbG8=' } },
      decoded: { type: 'document', source: { type: 'base64', mime: 'text/plain', data: 'aGVsbG8=' }, title: 'a.txt' },
    },
    {
      name: 'an image in a file part',
      part: { type: 'file', file: { filename: 'a.bin', file_data: `data:;base64,${PNG}` } },
      decoded: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
    },
    {
      name: 'a kept file',
      part: { type: 'file', file: { file_id: 'file-1' } },
      decoded: { type: 'document', source: { type: 'file', provider: 'openai', id: 'file-1' } },
    },
  ])('user part: $name', ({ part, decoded }) => {
    const request = decodeRequest(messages({ role: 'user', content: [part] }));
    expect(request.turns[0]?.parts).toEqual([{ ...decoded, place: 'messages[0].content[0]' }]);
  });

  it.each<{ name: string; message: JsonObject; parts: object[] }>([
    {
      name: 'content null beside calls',
      message: { content: null, tool_calls: [call('a')] },
      parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{}' }],
    },
    { name: 'empty content', message: { content: '' }, parts: [] },
    {
      name: 'text beside calls',
      message: { content: 'ok', tool_calls: [call('a')] },
      parts: [
        { type: 'text', text: 'ok' },
        { type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{}' },
      ],
    },
    { name: 'a refusal', message: { content: null, refusal: 'no' }, parts: [{ type: 'refusal', text: 'no' }] },
    {
      name: 'a refusal part',
      message: { content: [{ type: 'refusal', refusal: 'no' }] },
      parts: [{ type: 'refusal', text: 'no' }],
    },
    {
      name: 'spoken audio',
      message: { audio: { id: 'audio_1' } },
      parts: [{ type: 'audio', source: { type: 'file', provider: 'openai', id: 'audio_1' } }],
    },
    {
      name: 'arguments as an object',
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] },
      parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', arguments: '{"x":1}' }],
    },
    {
      name: 'a call without id',
      message: { tool_calls: [{ type: 'function', function: { name: 'f' } }] },
      parts: [{ type: 'tool-call', id: 'call_1_0', name: 'f', kind: 'function', arguments: '' }],
    },
    {
      name: 'a custom call',
      message: { tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'g', input: 'free' } }] },
      parts: [{ type: 'tool-call', id: 'a', name: 'g', kind: 'custom', arguments: 'free' }],
    },
    {
      name: 'the deprecated call',
      message: { content: null, function_call: { name: 'f', arguments: '{}' } },
      parts: [{ type: 'tool-call', id: 'call_1_0', name: 'f', kind: 'function', arguments: '{}' }],
    },
    {
      name: 'reasoning_content (bug 49)',
      message: { content: 'a', reasoning_content: 'hm' },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'reasoning',
      message: { content: 'a', reasoning: 'hm' },
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'thinking_blocks before reasoning_content',
      message: {
        content: 'a',
        reasoning_content: 'hm',
        thinking_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'secret' },
          { type: 'thinking', thinking: '', signature: '' },
        ],
      },
      parts: [
        { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' } },
        { type: 'reasoning', text: '', opaque: { provider: 'anthropic', kind: 'redacted', value: 'secret' } },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'thinking_blocks with an envelope',
      message: {
        content: 'a',
        thinking_blocks: [
          {
            type: 'thinking',
            thinking: 'hm',
            signature: wrapOpaque({ provider: 'openai', model: 'gpt', kind: 'encrypted', value: 'x', itemId: 'rs_1' }),
          },
        ],
      },
      parts: [
        {
          type: 'reasoning',
          text: 'hm',
          opaque: { provider: 'openai', model: 'gpt', kind: 'encrypted', value: 'x', itemId: 'rs_1' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'reasoning_details',
      message: {
        content: 'a',
        reasoning_details: [
          { type: 'reasoning.text', text: 'h', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.text', text: 'm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'enc', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
        ],
      },
      parts: [
        { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'sig' } },
        {
          type: 'reasoning',
          text: '',
          opaque: { provider: 'openai', kind: 'encrypted', value: 'enc', itemId: 'rs_1' },
        },
        { type: 'text', text: 'a' },
      ],
    },
    {
      name: 'Google’s signature on a call',
      message: { tool_calls: [{ ...call('a'), extra_content: { google: { thought_signature: 'sig' } } }] },
      parts: [
        {
          type: 'tool-call',
          id: 'a',
          name: 'f',
          kind: 'function',
          arguments: '{}',
          opaque: { provider: 'gemini', kind: 'signature', value: 'sig' },
        },
      ],
    },
  ])('assistant: $name', ({ message, parts }) => {
    const request = decodeRequest(messages(user, { role: 'assistant', ...message }));
    expect(withoutPlaces(request.turns[1]?.parts)).toEqual(parts);
  });

  it.each<{ name: string; content: Json; decoded: object[] }>([
    { name: 'text', content: 'r', decoded: [{ type: 'text', text: 'r' }] },
    { name: 'nothing', content: '', decoded: [] },
    { name: 'null', content: null, decoded: [] },
    {
      name: 'parts',
      content: [
        { type: 'text', text: 'r' },
        { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      ],
      decoded: [
        { type: 'text', text: 'r' },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png', mime: 'image/png' } },
      ],
    },
    { name: 'an object', content: { ok: true }, decoded: [{ type: 'text', text: '{"ok":true}' }] },
  ])('tool result of $name knows its call', ({ content, decoded }) => {
    const request = decodeRequest(
      messages(
        user,
        { role: 'assistant', tool_calls: [call('a', 'weather')] },
        { role: 'tool', tool_call_id: 'a', content },
      ),
    );
    expect(withoutPlaces(request.turns[2]?.parts)).toEqual([
      { type: 'tool-result', callId: 'a', name: 'weather', content: decoded },
    ]);
  });

  it('bug 13: a result without id is matched only when one call is open', () => {
    const one = decodeRequest(messages({ role: 'assistant', tool_calls: [call('a')] }, { role: 'tool', content: 'r' }));
    expect(one.turns[1]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'a' });
    expect(() =>
      decodeRequest(
        messages({ role: 'assistant', tool_calls: [call('a'), call('b')] }, { role: 'tool', content: 'r' }),
      ),
    ).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param: 'messages[1].tool_call_id' } }));
  });

  it('the deprecated role function answers by name', () => {
    const request = decodeRequest(
      messages(
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'r' },
      ),
    );
    expect(request.turns[1]?.parts[0]).toMatchObject({ callId: 'call_0_0', name: 'f' });
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, UserPart } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import {
  assistant,
  call,
  encode,
  messagesOf,
  OPENAI,
  OTHER,
  result,
  text,
  user,
  wireCall,
} from './testing/requests.ts';

const IMAGE: UserPart & { type: 'image' } = {
  type: 'image',
  source: { type: 'base64', mime: 'image/png', data: 'AAAA' },
  place: 'messages[1].content[0]',
};

describe('messages', () => {
  it.each<{ name: string; fields: Partial<ChatRequest>; target?: Target; messages: unknown[]; dropped?: string[] }>([
    {
      name: 'one instruction is a string, several are parts in one message',
      fields: { system: [text('a'), text('b')], turns: [user(text('hi'))] },
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: 'hi' },
      ],
    },
    {
      name: 'joined by a blank line for vendors without parts',
      fields: { system: [text('a'), text('b')], turns: [] },
      target: { ...OTHER, quirks: { text_parts: false, system_role: 'developer' } },
      messages: [{ role: 'developer', content: 'a\n\nb' }],
    },
    {
      name: 'a later instruction stays where it is',
      fields: { turns: [user(text('hi')), { role: 'system', parts: [text('now')] }, user(text('go'))] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'now' },
        { role: 'user', content: 'go' },
      ],
    },
    {
      name: 'images, audio, documents and text',
      fields: {
        turns: [
          user(
            text('see'),
            text(''),
            { ...IMAGE, detail: 'high' },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
            { type: 'audio', source: { type: 'base64', mime: 'audio/mpeg', data: 'AAAA' } },
            { type: 'document', source: { type: 'base64', mime: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
            { type: 'document', source: { type: 'text', text: 'words' }, title: 'notes' },
          ),
        ],
      },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
            { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
            { type: 'text', text: 'notes\n\nwords' },
          ],
        },
      ],
    },
    {
      name: 'bug 48: null content beside calls, nothing of an empty turn, "" for an answer without words',
      fields: {
        turns: [
          user(text('a')),
          assistant(call('c')),
          user(result('c', text('r'))),
          assistant({ type: 'reasoning', text: 'hm' }),
          user(text('b')),
        ],
      },
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, tool_calls: [wireCall('c')] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'user', content: 'b' },
      ],
      dropped: ['messages'],
    },
    {
      name: 'text stays beside calls; calls of neighbouring turns are one message',
      fields: {
        turns: [
          assistant(text('let me see'), call('a')),
          assistant(call('b')),
          user(result('b', text('2')), result('a', text('1')), text('and?')),
        ],
      },
      messages: [
        { role: 'assistant', content: 'let me see', tool_calls: [wireCall('a'), wireCall('b')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'user', content: 'and?' },
      ],
    },
    {
      name: 'bug 14, bug 45: images of results follow after all results, in one user message',
      fields: {
        turns: [
          assistant(call('a', 'shot'), call('b')),
          user({ ...result('a', IMAGE), place: 'messages[1].content[0]' }, result('b', text('2')), text('which?')),
        ],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a', 'shot'), wireCall('b')] },
        { role: 'tool', tool_call_id: 'a', content: 'See the next user message.' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Attached to the result of shot (a):' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'text', text: 'which?' },
          ],
        },
      ],
      dropped: ['messages[1].content[0]'],
    },
    {
      name: 'images of results before the model’s next turn',
      fields: { turns: [assistant(call('a')), user(result('a', IMAGE)), assistant(text('nice'))] },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: 'See the next user message.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Attached to the result of f (a):' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: 'nice' },
      ],
      dropped: ['messages'],
    },
    {
      name: 'an error is said in words (bug 15: also an empty one)',
      fields: {
        turns: [
          assistant(call('a'), call('b'), call('c')),
          user(
            { ...result('a', text('no such file')), isError: true } as UserPart,
            { ...result('b'), isError: true } as UserPart,
            result('c'),
          ),
        ],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a'), wireCall('b'), wireCall('c')] },
        { role: 'tool', tool_call_id: 'a', content: 'Error: no such file' },
        { role: 'tool', tool_call_id: 'b', content: 'Error' },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
      dropped: ['messages.is_error'],
    },
    {
      name: 'a structured result without text',
      fields: {
        turns: [assistant(call('a')), user({ type: 'tool-result', callId: 'a', content: [], data: { ok: true } })],
      },
      messages: [
        { role: 'assistant', content: null, tool_calls: [wireCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: '{"ok":true}' },
      ],
    },
    {
      name: 'no arguments are {}, invalid ones travel as they are (bug 35), long ids are shortened on both sides',
      fields: {
        turns: [
          assistant(call('a', 'f', ''), call('b', 'f', '{"x":'), call('x'.repeat(41))),
          user(result('a', text('1')), result('b', text('2')), result('x'.repeat(41), text('3'))),
        ],
      },
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            wireCall('a'),
            wireCall('b', 'f', '{"x":'),
            expect.objectContaining({ id: 'call_3164596df4fdd018b2c567ec' }),
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'call_3164596df4fdd018b2c567ec', content: '3' },
      ],
    },
    {
      name: 'a refusal and a custom call',
      fields: {
        turns: [
          assistant({ type: 'refusal', text: 'no' }),
          user(text('why')),
          assistant({ ...call('a', 'g', 'free'), kind: 'custom' }),
          user(result('a', text('r'))),
        ],
      },
      messages: [
        { role: 'assistant', content: null, refusal: 'no' },
        { role: 'user', content: 'why' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'g', input: 'free' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
      ],
    },
    {
      name: 'another vendor’s searches cannot be replayed; its pictures go along with what the user says next',
      fields: {
        turns: [
          assistant(
            {
              type: 'server-tool',
              provider: 'anthropic',
              name: 'web_search',
              phase: 'call',
              raw: {},
              place: 'messages[0].content[0]',
            },
            {
              type: 'image',
              source: { type: 'base64', mime: 'image/png', data: 'AAAA' },
              place: 'messages[0].content[1]',
            },
            text('found'),
          ),
        ],
      },
      messages: [
        { role: 'assistant', content: 'found' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      ],
      dropped: ['messages[0].content[0]', 'messages[0].content[1]'],
    },
  ])('$name', ({ fields, target, messages, dropped = [] }) => {
    const encoded = encode(fields, target);
    expect(messagesOf(encoded)).toEqual(messages);
    expect([...new Set(encoded.dropped.map(({ field }) => field))]).toEqual(dropped);
  });

  it('cache marks: OpenAI’s own with its lifetimes, four at most; none elsewhere; all of it reported', () => {
    const marked = [1, 2, 3, 4, 5].map((number) => ({
      ...text(String(number)),
      cache: { ttl: '1h' },
      place: `system[${number - 1}]`,
    }));
    const openAi = encode({ system: marked });
    const parts = (messagesOf(openAi) as { content: JsonObject[] }[])[0]?.content ?? [];
    expect(parts.map((part) => part['prompt_cache_breakpoint'])).toEqual([
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      { mode: 'explicit', ttl: '12h' },
      undefined,
    ]);
    expect(openAi.dropped.map(({ field }) => field)).toEqual(['system[4].cache_control']);
    const other = encode({ system: marked.slice(0, 1) }, OTHER);
    expect(messagesOf(other)).toEqual([{ role: 'system', content: '1' }]);
    expect(other.dropped.map(({ field }) => field)).toEqual(['system[0].cache_control']);
    const relative = encode({ system: marked.slice(0, 1) }, { ...OTHER, quirks: { cache_marks: 'cache_control' } });
    expect(messagesOf(relative)).toEqual([
      { role: 'system', content: [{ type: 'text', text: '1', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ]);
  });

  it.each<{ name: string; part: UserPart; target?: Target; message: RegExp }>([
    {
      name: 'an image for a model without',
      part: IMAGE,
      target: { ...OPENAI, inputs: ['text'] },
      message: /takes no image input/,
    },
    {
      name: 'video for OpenAI',
      part: { type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4' }, place: IMAGE.place! },
      message: /video/,
    },
    {
      name: 'a document by URL',
      part: { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' }, place: IMAGE.place! },
      message: /base64/,
    },
    {
      name: 'a file of another vendor',
      part: { type: 'document', source: { type: 'file', provider: 'anthropic', id: 'file_1' }, place: IMAGE.place! },
      message: /kept by anthropic/,
    },
    {
      name: 'an image kept by another vendor',
      part: { type: 'image', source: { type: 'file', provider: 'anthropic', id: 'file_1' }, place: IMAGE.place! },
      message: /kept by anthropic/,
    },
    {
      name: 'audio of a type without a word',
      part: { type: 'audio', source: { type: 'base64', mime: 'audio/midi', data: 'AAAA' }, place: IMAGE.place! },
      message: /audio\/midi/,
    },
    {
      name: 'an orphan tool result (bug 15)',
      part: { type: 'tool-result', callId: 'x', content: [], place: IMAGE.place! },
      message: /no open call/,
    },
  ])('refuses $name and says where', ({ part, target, message }) => {
    const attempt = (): unknown => encode({ turns: [user(text('a')), user(part)] }, target);
    expect(attempt).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'messages[1].content[0]' } }),
    );
    expect(attempt).toThrow(message);
  });

  it('video for vendors that see it', () => {
    const encoded = encode(
      { turns: [user({ type: 'video', source: { type: 'url', url: 'https://x.test/v.mp4' } })] },
      OTHER,
    );
    expect(messagesOf(encoded)).toEqual([
      { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://x.test/v.mp4' } }] },
    ]);
  });
});

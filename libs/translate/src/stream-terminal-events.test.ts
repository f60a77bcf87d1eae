/** A translated stream has one terminal event, which comes last and holds what was streamed. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, isJsonObject, type ChatFormat, type JsonObject } from '@model-gateway/contracts';
import { createSseParser, dialects, type Encoded, type ReplyContext } from './index.ts';

const STREAM = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'Let me ' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'look.' }, finish_reason: null }] },
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":' } }],
        },
        finish_reason: null,
      },
    ],
  },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, finish_reason: null }],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
].map((piece) =>
  JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...piece }),
);

/** What a caller of `to` hears of that chat-completions stream. */
function heard(to: ChatFormat): { readonly event: string; readonly data: string }[] {
  const body = { model: 'code', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const request = dialects['openai-chat'].decodeRequest(body);
  const context: ReplyContext = { model: 'code', request, body, id: 'abc', now: 1, requestId: 'req_1' };
  const sent: Encoded = { body: {}, dropped: [] };
  const decoder = dialects['openai-chat'].streamDecoder(sent);
  const encoder = dialects[to].streamEncoder(context);
  const events = [...STREAM, '[DONE]'].flatMap((data) => decoder.push({ event: '', data }));
  const text = [...events, ...decoder.end()].map((event) => encoder.push(event)).join('');
  const parser = createSseParser();
  return [...parser.push(Buffer.from(text)), ...parser.end()];
}

const parsed = (data: string): JsonObject => {
  const json: unknown = JSON.parse(data);
  if (!isJsonObject(json)) throw new Error('no object');
  return json;
};

describe('bug 50 streamterminalevents', () => {
  const isTerminal: Readonly<Record<ChatFormat, (event: string, data: string) => boolean>> = {
    'openai-chat': (_event, data) => data === '[DONE]',
    'openai-responses': (event) => /^response\.(completed|incomplete|failed)$/.test(event),
    'anthropic-messages': (event) => event === 'message_stop',
    'gemini-generate': (_event, data) => data.includes('"finishReason"'),
  };
  it.each(DIALECT_NAMES)('%s: exactly one, and it is the last', (to) => {
    const events = heard(to);
    const terminal = events.map(({ event, data }) => isTerminal[to](event, data));
    expect(terminal.filter(Boolean)).toHaveLength(1);
    expect(terminal.at(-1)).toBe(true);
  });
});

describe('bug 50 streamcompletedoutput', () => {
  it('the terminal event of Responses holds every item that was streamed, whole, under its own id', () => {
    const events = heard('openai-responses');
    const done = events
      .filter(({ event }) => event === 'response.output_item.done')
      .map(({ data }) => parsed(data)['item']);
    const response = parsed(events.at(-1)?.data ?? '{}')['response'];
    expect(isJsonObject(response) && response['output']).toEqual(done);
    expect(done).toMatchObject([
      { type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Let me look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
    ]);
  });
});

/** Google signs texts; in other dialects the state stands ahead of the words, so that the answer is the last thing said. */
import { expect, it } from 'vitest';
import { dialects } from '../index.ts';
import type { ReplyContext } from '../dialect.ts';
import { createSseParser } from '../shared/sse.ts';

const gemini = dialects['gemini-generate'];
const target = { model: 'gemini-3.1-pro', provider: 'gemini' };
const context: ReplyContext = {
  model: 'm',
  request: { model: 'm', stream: false, system: [], turns: [], tools: [], extra: {} },
  body: {},
  id: 'a1',
  now: 7,
  requestId: 'req_1',
};
const answer = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason !== undefined && { finishReason }), index: 0 }],
});
const sent = { body: {}, dropped: [], target };

const WHOLE = answer([{ text: 'Hello there', thoughtSignature: 'c2lnbmVk' }], 'STOP');
const typesOf = (items: unknown): unknown[] => (items as { type: string }[]).map(({ type }) => type);

it('a whole answer ends with its text, and the state comes back to the part it signed', () => {
  const reply = gemini.decodeReply(WHOLE as never, sent);
  const anthropic = dialects['anthropic-messages'];
  const message = anthropic.encodeReply(reply, context);
  expect(typesOf(message['content'])).toEqual(['redacted_thinking', 'text']);
  const responses = dialects['openai-responses'];
  const response = responses.encodeReply(reply, context);
  expect(typesOf(response['output'])).toEqual(['reasoning', 'message']);

  const signed = [{ role: 'model', parts: [{ text: 'Hello there', thoughtSignature: 'c2lnbmVk' }] }];
  const ask = { role: 'user', content: 'And now?' };
  const asMessages = anthropic.decodeRequest({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: message['content'] as never }, ask],
  });
  const asItems = responses.decodeRequest({
    model: 'm',
    input: [{ role: 'user', content: 'Hi' }, ...(response['output'] as never[]), ask],
  });
  for (const request of [asMessages, asItems]) {
    expect(gemini.encodeRequest(request, target).body['contents']).toEqual(expect.arrayContaining(signed));
  }
});

it('a history of an earlier version, with the state behind the text, is still understood', () => {
  const { opaque } = gemini.decodeReply(WHOLE as never, sent).choices[0]?.parts[0] ?? {};
  const state = Buffer.from(
    `mgwv1:${JSON.stringify({ p: opaque?.provider, m: opaque?.model, k: opaque?.kind, i: 'msg', v: opaque?.value })}`,
  ).toString('base64');
  const request = dialects['openai-responses'].decodeRequest({
    model: 'm',
    input: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there' }] },
      { type: 'reasoning', summary: [], encrypted_content: state },
      { role: 'user', content: 'And now?' },
    ],
  });
  expect(gemini.encodeRequest(request, target).body['contents']).toEqual(
    expect.arrayContaining([{ role: 'model', parts: [{ text: 'Hello there', thoughtSignature: 'c2lnbmVk' }] }]),
  );
});

function streamed(name: 'anthropic-messages' | 'openai-responses', fragments: object[]): string[] {
  const decoder = gemini.streamDecoder(sent);
  const encoder = dialects[name].streamEncoder(context);
  const events = fragments.flatMap((data) => decoder.push({ event: '', data: JSON.stringify(data) }));
  const text = [...events, ...decoder.end()].map((event) => encoder.push(event)).join('');
  return createSseParser()
    .push(Buffer.from(text))
    .flatMap(({ data }) => {
      const {
        type,
        content_block: block,
        item,
      } = JSON.parse(data) as {
        type: string;
        content_block?: { type: string };
        item?: { type: string };
      };
      if (type === 'content_block_start') return [String(block?.type)];
      return type === 'response.output_item.added' ? [String(item?.type)] : [];
    });
}

it('a stream too ends with its text: state that comes with the first words goes ahead of them', () => {
  const fragments = [WHOLE];
  expect(streamed('anthropic-messages', fragments)).toEqual(['redacted_thinking', 'text']);
  expect(streamed('openai-responses', fragments)).toEqual(['reasoning', 'message']);
});

it('state behind words that are out already has no place', () => {
  const fragments = [
    answer([{ text: 'Hello ' }]),
    answer([{ text: 'there' }]),
    answer([{ text: '', thoughtSignature: 'c2lnbmVk' }], 'STOP'),
  ];
  expect(streamed('anthropic-messages', fragments)).toEqual(['text']);
  expect(streamed('openai-responses', fragments)).toEqual(['message']);
});

const thinking = { type: 'thinking', thinking: '', signature: 'c2lnbmVk' };
const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } };
const message = (content: object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

it.each([
  { name: 'a call', parts: ['functionCall'], content: [thinking, call] },
  { name: 'words', parts: ['text'], content: [thinking, { type: 'text', text: 'Hello' }] },
  {
    name: 'words before a call',
    parts: ['text', 'functionCall'],
    content: [thinking, { type: 'text', text: 'a' }, call],
  },
  { name: 'calls', parts: ['functionCall', 'functionCall'], content: [thinking, call, { ...call, id: 'toolu_2' }] },
])('silent thinking of another vendor rides on $name, and comes back ahead of it', ({ parts, content }) => {
  const anthropic = dialects['anthropic-messages'];
  const claude = { model: 'claude-sonnet-5', provider: 'anthropic' };
  const reply = anthropic.decodeReply(message(content) as never, { body: {}, dropped: [], target: claude });
  const [candidate] = gemini.encodeReply(reply, context)['candidates'] as { content: { parts: object[] } }[];
  const said = candidate?.content.parts ?? [];
  expect(said.map((part) => Object.keys(part)[0])).toEqual(parts);
  expect(said.map((part) => 'thoughtSignature' in part)).toEqual(parts.map((_, index) => index === 0));
  // An empty text at the beginning makes Google's ADK forget the turn.
  expect(said.filter((part) => 'text' in part && part.text === '')).toEqual([]);

  const answers = content.flatMap((block) =>
    'id' in block ? [{ functionResponse: { id: block.id, name: 'look', response: { ok: 1 } } }] : [],
  );
  const asked = gemini.decodeRequest({
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: said },
      { role: 'user', parts: answers.length > 0 ? answers : [{ text: 'And now?' }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'look' }] }],
  } as never);
  const { messages } = anthropic.encodeRequest(asked, claude).body as { messages?: { content: object[] }[] };
  expect(messages?.[1]?.content).toMatchObject(content);
});

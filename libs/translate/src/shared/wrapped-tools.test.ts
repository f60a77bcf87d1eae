import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { contextOf, decodeText, encodeEvents, eventsOf, fold, NO_REQUEST } from '../laws.ts';
import { openAiChat } from '../openai-chat/index.ts';
import { openAiResponses } from '../openai-responses/index.ts';

const OTHER: Target = { model: 'm', provider: 'deepseek' };
const request: ChatRequest = {
  ...NO_REQUEST,
  dialect: 'anthropic-messages',
  tools: [
    {
      type: 'custom',
      name: 'my.patch',
      description: 'Edits.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      place: 'tools[0]',
    },
    { type: 'function', name: 'f' },
  ],
  toolChoice: { type: 'tool', name: 'my.patch' },
  turns: [
    {
      role: 'assistant',
      parts: [{ type: 'tool-call', id: 'a', name: 'my.patch', kind: 'custom', arguments: 'x "y"' }],
    },
    { role: 'user', parts: [{ type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'ok' }] }] },
  ],
};

describe.each([openAiChat, openAiResponses])('a free-text tool at a vendor of $name without them', (dialect) => {
  const sent = dialect.encodeRequest(request, OTHER);
  const wire = [...(sent.toolNames ?? [])][0]?.[0] ?? '';

  it('is asked for as a function with one field, in tools, choice and history', () => {
    const body = JSON.stringify(sent.body);
    expect(body).not.toContain('"custom');
    expect(body).toContain('"type":"function"');
    expect(body).toContain(JSON.stringify(JSON.stringify({ input: 'x "y"' })));
    expect(body).toContain('start: \\"x\\"');
    expect(sent.customTools).toEqual(new Set([wire]));
    expect(sent.dropped).toEqual([expect.objectContaining({ field: 'tools[0].format' })]);
  });

  it('is answered as what it is, whole and streamed', () => {
    const call = (name: string, args: string) =>
      ({ type: 'tool-call', id: `id_${name}`, name, kind: 'function', arguments: args }) as const;
    const answer = {
      choices: [{ parts: [call(wire, '{"input":"a\\nb"}'), call('f', '{"input":"c"}')], stop: 'tool-calls' as const }],
    };
    const parts = [
      { type: 'tool-call', id: `id_${wire}`, name: 'my.patch', kind: 'custom', arguments: 'a\nb' },
      { type: 'tool-call', id: 'id_f', name: 'f', kind: 'function', arguments: '{"input":"c"}' },
    ];
    const context = contextOf(NO_REQUEST);
    expect(dialect.decodeReply(dialect.encodeReply(answer, context), sent).choices[0]?.parts).toMatchObject(parts);
    const text = encodeEvents(dialect, eventsOf(answer), context);
    expect(fold(decodeText(dialect, text, sent)).choices[0]?.parts).toMatchObject(parts);
  });

  it('is itself where the vendor has them', () => {
    const quirky = dialect.encodeRequest(request, { ...OTHER, quirks: { custom_tools: true } });
    expect(JSON.stringify(quirky.body)).toContain('"type":"custom"');
    expect(quirky.customTools).toBeUndefined();
  });
});

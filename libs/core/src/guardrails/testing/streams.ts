/** Streams of all formats, written from pieces of text. */
import type { DialectName, JsonObject } from '@model-gateway/contracts';

/** One event of a stream. */
export const event = (data: JsonObject, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A stream of these pieces, with what stands around them; and how its text is read. */
export const FORMATS: Record<
  DialectName,
  { write(pieces: readonly string[]): string; read(data: JsonObject): string }
> = {
  'openai-chat': {
    write: (pieces) =>
      [
        ...pieces.map((content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
        event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        'data: [DONE]\n\n',
      ].join(''),
    read: (data) => (data as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
  },
  'openai-completions': {
    write: (pieces) =>
      [
        ...pieces.map((text) => event({ choices: [{ index: 0, text, finish_reason: null }] })),
        event({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }),
        'data: [DONE]\n\n',
      ].join(''),
    read: (data) => (data as { choices: { text?: string }[] }).choices[0]?.text ?? '',
  },
  'anthropic-messages': {
    write: (pieces) =>
      [
        event(
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          'content_block_start',
        ),
        ...pieces.map((text) =>
          event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta'),
        ),
        event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
        event({ type: 'message_stop' }, 'message_stop'),
      ].join(''),
    read: (data) => (data as { delta?: { text?: string } }).delta?.text ?? '',
  },
  'gemini-generate': {
    write: (pieces) =>
      [
        ...pieces.map((text) => event({ candidates: [{ content: { parts: [{ text }] } }] })),
        event({ candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }] }),
      ].join(''),
    read: (data) =>
      (data as { candidates: { content: { parts: { text: string }[] } }[] }).candidates[0]?.content.parts[0]?.text ??
      '',
  },
  'openai-responses': {
    write: (pieces) =>
      [
        ...pieces.map((delta, sequence_number) =>
          event(
            {
              type: 'response.output_text.delta',
              item_id: 'a',
              output_index: 0,
              content_index: 0,
              delta,
              sequence_number,
            },
            'response.output_text.delta',
          ),
        ),
        event(
          { type: 'response.output_text.done', item_id: 'a', output_index: 0, content_index: 0, text: pieces.join('') },
          'response.output_text.done',
        ),
        event({ type: 'response.completed', response: { output: [{ content: [{ text: pieces.join('') }] }] } }),
      ].join(''),
    read: (data) => (typeof data['delta'] === 'string' ? data['delta'] : ''),
  },
};

/** What is in the events of a stream. */
export const events = (out: string): JsonObject[] =>
  out.split('\n\n').flatMap((block) => {
    const data = /^data: (\{.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as JsonObject];
  });
/** A text in pieces of so many characters. */
export const cutAt = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

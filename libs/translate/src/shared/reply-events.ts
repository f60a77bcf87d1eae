/** A whole reply told as the events of a stream. */
import type { AssistantPart, ChatEvent, ChatReply } from '../conversation.ts';
import { present } from './read.ts';

/** The events that a stream of this reply would have had; `cut` says in which pieces texts come. */
export function replyEvents(reply: ChatReply, cut: (text: string) => readonly string[] = whole): ChatEvent[] {
  const events: ChatEvent[] = [
    {
      type: 'start',
      ...(reply.id !== undefined && { id: reply.id }),
      ...(reply.model !== undefined && { model: reply.model }),
      ...(reply.created !== undefined && { created: reply.created }),
    },
  ];
  let block = 0;
  reply.choices.forEach((choice, index) => {
    for (const part of choice.parts) {
      events.push(...partEvents(part, { block, choice: index, cut }));
      block += 1;
    }
  });
  if (reply.usage !== undefined) events.push({ type: 'usage', usage: reply.usage });
  reply.choices.forEach(({ stop, stopSequence, refusal }, choice) => {
    events.push({
      type: 'finish',
      choice,
      stop,
      ...(stopSequence !== undefined && { stopSequence }),
      ...(refusal !== undefined && { refusal }),
    });
  });
  return [...events, { type: 'end' }];
}

function whole(text: string): readonly string[] {
  return [text];
}

interface Place {
  readonly block: number;
  readonly choice: number;
  readonly cut: (text: string) => readonly string[];
}

function partEvents(part: AssistantPart, { block, choice, cut }: Place): ChatEvent[] {
  const deltas = (text: string): ChatEvent[] =>
    cut(text)
      .filter((piece) => piece !== '')
      .map((piece) => ({ type: 'delta', block, text: piece }));
  const opaque: ChatEvent[] = part.opaque === undefined ? [] : [{ type: 'opaque', block, opaque: part.opaque }];
  const stop: ChatEvent = { type: 'block-stop', block };
  switch (part.type) {
    case 'text': {
      const citations = (part.citations ?? []).map((citation): ChatEvent => ({ type: 'citation', block, citation }));
      return [{ type: 'text-start', block, choice }, ...deltas(part.text), ...citations, ...opaque, stop];
    }
    case 'refusal':
      return [{ type: 'refusal-start', block, choice }, ...deltas(part.text), stop];
    case 'reasoning': {
      const texts = part.summaries ?? [part.text];
      const written = texts.flatMap((text, index) => [
        ...(index === 0 ? [] : [{ type: 'reasoning-break', block } as const]),
        ...deltas(text),
      ]);
      return [{ type: 'reasoning-start', block, choice }, ...written, ...opaque, stop];
    }
    case 'tool-call': {
      const { id, name, kind } = part;
      return [{ type: 'tool-call-start', block, choice, id, name, kind }, ...opaque, ...deltas(part.arguments), stop];
    }
    case 'server-tool':
      return [{ type: 'server-tool', block, choice, part }];
    case 'image':
      return [{ type: 'image', block, choice, part }];
    case 'audio':
      return part.source.type === 'base64'
        ? [
            present({
              type: 'audio-delta' as const,
              block,
              choice,
              id: part.id,
              data: part.source.data,
              transcript: part.transcript,
              expiresAt: part.expiresAt,
            }),
          ]
        : [];
  }
}

import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { named, textsOf, type DialectTexts, type EventTexts, type TextPiece } from '../shared/texts.ts';

const SAID = ['reasoning', 'reasoning_content', 'content', 'refusal'] as const;

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, ['messages', 'prediction']),
  inReply: (body) =>
    listOf(body['choices']).flatMap((choice, index) => textsOf(choice, ['message'], `choices[${index}]`)),
  inEvent(data): EventTexts {
    const pieces: TextPiece[] = [];
    const closes: string[] = [];
    listOf(data['choices']).forEach((choice, at) => {
      const index = named(choice['index'], at);
      pieces.push(...piecesOf(choice['delta'] ?? null).map((piece) => ({ ...piece, lane: index })));
      if ((choice['finish_reason'] ?? null) !== null) closes.push(index);
    });
    return { pieces, wholes: [], closes };
  },
};

function piecesOf(delta: Json): readonly Omit<TextPiece, 'lane'>[] {
  if (!isJsonObject(delta)) return [];
  const said = SAID.filter((name) => isText(delta[name])).map((name) => ({
    in: delta,
    at: name,
    param: name,
    of: name,
  }));
  const calls = listOf(delta['tool_calls']).flatMap((call, at): Omit<TextPiece, 'lane'>[] => {
    const of = `call ${named(call['index'], at)}`;
    const made = call['function'] ?? null;
    const own = call['custom'] ?? null;
    return [
      ...(isJsonObject(made) && isText(made['arguments'])
        ? [{ in: made, at: 'arguments', param: 'tool_calls', of, isJson: true as const }]
        : []),
      ...(isJsonObject(own) && isText(own['input']) ? [{ in: own, at: 'input', param: 'tool_calls', of }] : []),
    ];
  });
  const audio = delta['audio'] ?? null;
  const spoken =
    isJsonObject(audio) && isText(audio['transcript'])
      ? [{ in: audio, at: 'transcript', param: 'audio.transcript', of: 'audio' }]
      : [];
  return [...said, ...calls, ...spoken];
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { named, textsOf, type DialectTexts, type EventTexts, type TextPiece, type TextPlace } from '../shared/texts.ts';

const CALLS = ['functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'];
const ASKED = ['contents', 'systemInstruction', 'system_instruction'];

export const texts: DialectTexts = {
  inRequest(body) {
    const inner = body['generateContentRequest'] ?? null;
    return [...textsOf(body, ASKED), ...(isJsonObject(inner) ? textsOf(inner, ASKED, 'generateContentRequest') : [])];
  },
  inReply: (body) =>
    listOf(body['candidates']).flatMap((candidate, index) => textsOf(candidate, ['content'], `candidates[${index}]`)),
  inEvent(data): EventTexts {
    const pieces: TextPiece[] = [];
    const wholes: TextPlace[] = [];
    const closes: string[] = [];
    listOf(data['candidates']).forEach((candidate, at) => {
      const lane = named(candidate['index'], at);
      for (const part of partsOf(candidate)) {
        if (typeof part['text'] !== 'string') wholes.push(...textsOf(part, CALLS, 'parts'));
        else if (part['text'] !== '')
          pieces.push({
            in: part,
            at: 'text',
            param: 'parts',
            of: part['thought'] === true ? 'thought' : 'text',
            lane,
          });
      }
      if ((candidate['finishReason'] ?? null) !== null) closes.push(lane);
    });
    return { pieces, wholes, closes };
  },
};

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  return isJsonObject(content) ? listOf(content['parts']) : [];
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  named,
  objectsOf,
  SCHEMA,
  textsIn,
  textsOf,
  TOOL,
  type DialectTexts,
  type EventTexts,
  type Place,
  type Shape,
  type TextPiece,
  type TextPlace,
} from '../shared/texts.ts';

const CALL: Shape = { none: ['id', 'name'], in: { args: 'free' } };
const RESULT: Shape = {
  none: ['id', 'name', 'scheduling'],
  in: { response: 'free', parts: (): Place => PART },
};
const CODE: Shape = { none: ['id', 'language', 'outcome'] };
const PART: Shape = {
  none: [
    ...['thoughtSignature', 'thought_signature', 'inlineData', 'inline_data', 'fileData', 'file_data'],
    ...['videoMetadata', 'video_metadata', 'mediaResolution', 'media_resolution'],
  ],
  in: {
    ...{ functionCall: CALL, function_call: CALL, functionResponse: RESULT, function_response: RESULT },
    ...{ executableCode: CODE, executable_code: CODE, codeExecutionResult: CODE, code_execution_result: CODE },
  },
};
const CONTENT: Shape = { none: ['role'], in: { parts: PART } };
const CONVERSATION: Readonly<Record<string, Place>> = {
  ...{ contents: CONTENT, systemInstruction: CONTENT, system_instruction: CONTENT },
};
const FORM: Shape = {
  in: Object.fromEntries(
    ['responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema', '_responseJsonSchema'].map(
      (name) => [name, SCHEMA],
    ),
  ),
  others: 'none',
};
const DECLARED: Readonly<Record<string, Place>> = { tools: TOOL, generationConfig: FORM, generation_config: FORM };
/** What grounds an answer repeats words of it. */
const CANDIDATE: Shape = {
  none: ['finishReason', 'finish_reason', 'safetyRatings', 'logprobsResult'],
  in: { content: CONTENT },
};
const BESIDE_CONTENT: Shape = { ...CANDIDATE, in: { content: 'none' } };

export const texts: DialectTexts = {
  inRequest: (body) => ofRequests(body, CONVERSATION),
  inDeclarations: (body) => ofRequests(body, DECLARED),
  inReply: (body) => textsOf(body, { candidates: CANDIDATE }),
  inEvent(data): EventTexts {
    const pieces: TextPiece[] = [];
    const wholes: TextPlace[] = [];
    const closes: string[] = [];
    objectsOf(data['candidates']).forEach((candidate, at) => {
      const lane = named(candidate['index'], at);
      for (const part of partsOf(candidate)) {
        const of = part['thought'] === true ? 'thought' : 'text';
        for (const place of textsIn(part, PART, 'parts')) {
          if (place.in === part && place.at === 'text') pieces.push({ ...place, of, lane });
          else wholes.push(place);
        }
      }
      wholes.push(...textsIn(candidate, BESIDE_CONTENT, 'candidates'));
      if ((candidate['finishReason'] ?? null) !== null) closes.push(lane);
    });
    return { pieces, wholes, closes };
  },
  dropTokens(data, isChanged) {
    let isDropped = false;
    for (const candidate of objectsOf(data['candidates'])) {
      const result = candidate['logprobsResult'] ?? null;
      if (!isJsonObject(result)) continue;
      const chosen = objectsOf(result['chosenCandidates']).map(({ token }) => named(token));
      const said = partsOf(candidate).map(({ text }) => named(text));
      if (!isChanged && chosen.join('') === said.join('')) continue;
      delete candidate['logprobsResult'];
      isDropped = true;
    }
    return isDropped;
  },
};

/** Of a body, and of the request within one that has its tokens counted. */
function ofRequests(body: JsonObject, places: Readonly<Record<string, Place>>): readonly TextPlace[] {
  const inner = body['generateContentRequest'] ?? null;
  return [...textsOf(body, places), ...(isJsonObject(inner) ? textsOf(inner, places, 'generateContentRequest') : [])];
}

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  return isJsonObject(content) ? objectsOf(content['parts']) : [];
}

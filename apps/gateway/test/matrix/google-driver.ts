import {
  GoogleGenAI,
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  type Part,
} from '@google/genai';
import { ANSWER_SCHEMA, TOOLS, WEATHER_SCHEMA, type Ask, type Driver, type Heard } from './driver.ts';

/** generateContent by the @google/genai package. */
export function googleDriver(url: string, key: string): Driver {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const contentsOf = (ask: Ask): Content[] =>
    ask.after === undefined
      ? [
          {
            role: 'user',
            parts: [
              { text: ask.text },
              ...(ask.image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: ask.image } }]),
            ],
          },
        ]
      : [
          ...contentsOf(ask.after.ask),
          { role: 'model', parts: ask.after.heard.turn as Part[] },
          {
            role: 'user',
            parts: ask.after.heard.calls.map(({ id, name }) => ({
              functionResponse: { ...(id !== '' && { id }), name, response: { output: ask.after?.result ?? '' } },
            })),
          },
        ];
  const hear = (parts: readonly Part[], dropped: string): Heard => ({
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [{ id: functionCall.id ?? '', name: functionCall.name ?? '', args: functionCall.args }],
    ),
    turn: parts,
    dropped,
  });
  return {
    name: 'gemini-generate',
    async ask(model, ask) {
      const config: GenerateContentConfig = {
        ...(ask.system !== undefined && { systemInstruction: ask.system }),
        ...((ask.tools ?? ask.after?.ask.tools) === true && {
          tools: [{ functionDeclarations: TOOLS.map((tool) => ({ ...tool, parametersJsonSchema: WEATHER_SCHEMA })) }],
        }),
        ...(ask.structured === true && { responseMimeType: 'application/json', responseJsonSchema: ANSWER_SCHEMA }),
        ...(ask.think === true && { thinkingConfig: { includeThoughts: true } }),
        ...(ask.signal !== undefined && { abortSignal: ask.signal }),
      };
      const params = { model, contents: contentsOf(ask), config };
      if (ask.stream !== true) {
        const reply = await client.models.generateContent(params);
        return hear(partsOf(reply), reply.sdkHttpResponse?.headers?.['x-gateway-dropped'] ?? '');
      }
      const parts: Part[] = [];
      let finished = false;
      for await (const piece of await client.models.generateContentStream(params)) {
        parts.push(...partsOf(piece));
        finished ||= piece.candidates?.[0]?.finishReason !== undefined;
        ask.onPiece?.();
      }
      // This SDK takes a clean close for an end: a stream that just stops would go unnoticed.
      if (!finished) throw new Error('the stream ended without a finishReason');
      return hear(parts, '');
    },
  };
}

function partsOf(reply: GenerateContentResponse): Part[] {
  return reply.candidates?.[0]?.content?.parts ?? [];
}

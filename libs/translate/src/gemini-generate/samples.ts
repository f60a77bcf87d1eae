import { LINK, PDF, PNG, SCHEMA, WAV, sseEvent, type DialectSamples } from '../samples.ts';

const TOOLS = [{ functionDeclarations: [{ name: 'tide', parametersJsonSchema: SCHEMA }] }];

export const samples: DialectSamples = {
  target: { model: 'vendor-model', provider: 'gemini', maxOutputTokens: 32_000 },
  plain: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  features: {
    'system instruction': { systemInstruction: { parts: [{ text: 'Be brief' }] } },
    'image, Base64': { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }] },
    'image, web address': {
      contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: LINK } }] }],
    },
    PDF: { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data: PDF } }] }] },
    'sound in': { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'audio/wav', data: WAV } }] }] },
    tools: { tools: TOOLS },
    'a tool must be called': { tools: TOOLS, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    'web search': { tools: [{ googleSearch: {} }] },
    'JSON schema of the answer': {
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
    },
    'reasoning effort': { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
    'thinking budget': { generationConfig: { thinkingConfig: { thinkingBudget: 4000 } } },
    temperature: { generationConfig: { temperature: 0.5 } },
    top_p: { generationConfig: { topP: 0.5 } },
    top_k: { generationConfig: { topK: 20 } },
    'stop sequences': { generationConfig: { stopSequences: ['END'] } },
    seed: { generationConfig: { seed: 7 } },
    penalties: { generationConfig: { presencePenalty: 0.5 } },
    'several answers': { generationConfig: { candidateCount: 3 } },
    'log probabilities': { generationConfig: { responseLogprobs: true, logprobs: 2 } },
    'cached content by name': { cachedContent: 'cachedContents/7' },
    'a field nobody knows': { brandNew: 1 },
  },
  textStream: (pieces) =>
    [
      ...pieces.map((text) => sseEvent({ candidates: [{ content: { parts: [{ text }] } }] })),
      sseEvent({ candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }] }),
    ].join(''),
  textOf: (data) =>
    (data as { candidates: { content: { parts: { text: string }[] } }[] }).candidates[0]?.content.parts[0]?.text ?? '',
};

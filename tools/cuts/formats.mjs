/** The four chat formats as a client sees them: how a stream is asked for, and what text is in its events. */
export const FORMATS = {
  'openai-chat': {
    ask: (model, text) => ({
      path: '/v1/chat/completions',
      body: { model, stream: true, messages: [{ role: 'user', content: text }] },
    }),
    textOf: (event) => event.choices?.[0]?.delta?.content ?? '',
  },
  'openai-responses': {
    ask: (model, text) => ({ path: '/v1/responses', body: { model, stream: true, input: text } }),
    textOf: (event) => (event.type === 'response.output_text.delta' ? event.delta : ''),
  },
  'anthropic-messages': {
    ask: (model, text) => ({
      path: '/v1/messages',
      body: { model, stream: true, max_tokens: 8192, messages: [{ role: 'user', content: text }] },
    }),
    textOf: (event) => event.delta?.text ?? '',
  },
  'gemini-generate': {
    ask: (model, text) => ({
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      body: { contents: [{ role: 'user', parts: [{ text }] }] },
    }),
    textOf: (event) => event.candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('') ?? '',
  },
};

/** Characters of output text in whole events. */
export function charactersIn(format, bytes) {
  let characters = 0;
  for (const line of bytes.toString('utf8').split('\n').slice(0, -1)) {
    if (!line.startsWith('data: {')) continue;
    try {
      characters += FORMATS[format].textOf(JSON.parse(line.slice('data: '.length))).length;
    } catch {
      // The last line may be cut.
    }
  }
  return characters;
}

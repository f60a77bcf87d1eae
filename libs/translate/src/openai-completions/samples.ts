import { sseEvent, type DialectSamples } from '../samples.ts';

export const samples: DialectSamples = {
  target: { model: 'vendor-model', provider: 'openai', maxOutputTokens: 32_000 },
  plain: { model: 'm', prompt: 'Hello' },
  features: {},
  textStream: (pieces) =>
    [
      ...pieces.map((text) => sseEvent({ choices: [{ index: 0, text, finish_reason: null }] })),
      sseEvent({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  textOf: (data) => (data as { choices: { text?: string }[] }).choices[0]?.text ?? '',
};

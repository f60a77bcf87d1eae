/** Modalities of Google's usage: text is named too, and none that has nothing in it. */
import { expect, it } from 'vitest';
import type { Usage } from '@model-gateway/contracts';
import { writeUsage } from './usage.ts';

const text = (tokenCount: number) => ({ modality: 'TEXT', tokenCount });
it.each<[string, Usage, unknown, unknown]>([
  ['no details told', { inputTokens: 7, outputTokens: 9 }, undefined, undefined],
  ['zeros told', { inputTokens: 7, inputAudioTokens: 0, outputTokens: 9, outputAudioTokens: 0 }, [text(7)], [text(9)]],
  [
    'a picture',
    { inputTokens: 7, inputImageTokens: 3, outputTokens: 9 },
    [text(4), { modality: 'IMAGE', tokenCount: 3 }],
    undefined,
  ],
  [
    'all of it sound, thoughts apart',
    { inputTokens: 7, inputAudioTokens: 7, outputTokens: 9, reasoningTokens: 4, outputAudioTokens: 5 },
    [{ modality: 'AUDIO', tokenCount: 7 }],
    [{ modality: 'AUDIO', tokenCount: 5 }],
  ],
  ['nothing at all', { inputTokens: 0, inputAudioTokens: 0, outputTokens: 0 }, undefined, undefined],
])('%s', (_name, usage, prompt, candidates) => {
  const written = writeUsage(usage);
  expect(written['promptTokensDetails']).toEqual(prompt);
  expect(written['candidatesTokensDetails']).toEqual(candidates);
});

import { describe, expect, it } from 'vitest';
import type { Usage } from '@model-gateway/contracts';
import { readUsage, writeUsage } from './usage.ts';

interface Written {
  readonly usage: Usage;
  readonly prompt: unknown;
  readonly candidates: unknown;
  /** What is read of it again; the same when absent. */
  readonly back?: Usage;
}

describe('writeUsage', () => {
  it.each<Written & { readonly name: string }>([
    {
      name: 'what is not sound is text, and nothing is named that there is none of',
      usage: { inputTokens: 12, inputAudioTokens: 0, outputTokens: 5, outputAudioTokens: 0 },
      prompt: [{ modality: 'TEXT', tokenCount: 12 }],
      candidates: [{ modality: 'TEXT', tokenCount: 5 }],
      back: { inputTokens: 12, outputTokens: 5 },
    },
    {
      name: 'thoughts are not among the candidates, tools not in the prompt',
      usage: {
        inputTokens: 30,
        toolPromptTokens: 10,
        inputImageTokens: 15,
        outputTokens: 9,
        reasoningTokens: 4,
        outputAudioTokens: 2,
      },
      prompt: [
        { modality: 'TEXT', tokenCount: 5 },
        { modality: 'IMAGE', tokenCount: 15 },
      ],
      candidates: [
        { modality: 'TEXT', tokenCount: 3 },
        { modality: 'AUDIO', tokenCount: 2 },
      ],
    },
    {
      name: 'a picture alone has no text beside it',
      usage: { inputTokens: 3, outputTokens: 1290, outputImageTokens: 1290 },
      prompt: undefined,
      candidates: [{ modality: 'IMAGE', tokenCount: 1290 }],
    },
    {
      name: 'nothing is known by medium',
      usage: { inputTokens: 3, outputTokens: 1 },
      prompt: undefined,
      candidates: undefined,
    },
  ])('$name', ({ usage, prompt, candidates, back = usage }: Written) => {
    const written = writeUsage(usage);
    expect(written['promptTokensDetails']).toEqual(prompt);
    expect(written['candidatesTokensDetails']).toEqual(candidates);
    expect(readUsage({ usageMetadata: written })).toEqual(back);
  });
});

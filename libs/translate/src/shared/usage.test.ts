import { describe, expect, it } from 'vitest';
import { mergeUsage, readOpenAiUsage, toChatUsage, toResponsesUsage } from './usage.ts';

describe('readOpenAiUsage', () => {
  it.each([
    { name: 'nothing', usage: null, reads: undefined },
    { name: 'no counts', usage: {}, reads: undefined },
    {
      name: 'zero is zero',
      usage: { prompt_tokens: 0, completion_tokens: 0 },
      reads: { inputTokens: 0, outputTokens: 0 },
    },
    {
      name: 'the Responses names',
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
      },
      reads: { inputTokens: 9, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 3, reasoningTokens: 1 },
    },
    {
      name: 'DeepSeek’s cache hits',
      usage: { prompt_tokens: 9, prompt_cache_hit_tokens: 5, completion_tokens: 1 },
      reads: { inputTokens: 9, cachedInputTokens: 5, outputTokens: 1 },
    },
    {
      name: 'reasoning counted outside the completion',
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 115,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
      reads: { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    },
    {
      name: 'reasoning inside the completion',
      usage: {
        prompt_tokens: 10,
        completion_tokens: 105,
        total_tokens: 115,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
      reads: { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    },
    {
      name: 'a negative count',
      usage: { prompt_tokens: -3, completion_tokens: 1.9 },
      reads: { outputTokens: 1 },
    },
    {
      name: 'counts that are no numbers',
      usage: { prompt_tokens: '3', completion_tokens: 1 },
      reads: { outputTokens: 1 },
    },
  ])('$name', ({ usage, reads }) => {
    expect(readOpenAiUsage(usage)).toEqual(reads);
  });
});

describe('writing', () => {
  const usage = { inputTokens: 10, cachedInputTokens: 4, cacheWriteTokens: 1, outputTokens: 7, reasoningTokens: 5 };

  it('chat: totals inclusive, every detail of docs/service.md', () => {
    expect(toChatUsage(usage)).toEqual({
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0, cache_write_tokens: 1 },
      completion_tokens_details: {
        reasoning_tokens: 5,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    });
  });

  it('Responses: both sets of names', () => {
    expect(toResponsesUsage(usage)).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 17,
      prompt_tokens: 10,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 4, text_tokens: 10, audio_tokens: 0, image_tokens: 0 },
      completion_tokens_details: { text_tokens: 2, audio_tokens: 0, reasoning_tokens: 5 },
    });
  });

  it('never shows a negative remainder (bug 20)', () => {
    const shown = toResponsesUsage({ inputTokens: 1, inputAudioTokens: 5, outputTokens: 1, reasoningTokens: 9 });
    expect(shown).toMatchObject({
      prompt_tokens_details: { text_tokens: 0 },
      completion_tokens_details: { text_tokens: 0 },
    });
  });
});

it('a later count replaces, never adds', () => {
  expect(mergeUsage({ inputTokens: 5, outputTokens: 1 }, { outputTokens: 3 })).toEqual({
    inputTokens: 5,
    outputTokens: 3,
  });
  expect(mergeUsage(undefined, { outputTokens: 3 })).toEqual({ outputTokens: 3 });
  expect(mergeUsage({ outputTokens: 3 }, undefined)).toEqual({ outputTokens: 3 });
});

it('parts of the input are never more than the whole: hits that count what is written too are told apart', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 60 },
  };
  expect(readOpenAiUsage(usage)).toMatchObject({ inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 60 });
  const absurd = { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 9 } };
  expect(readOpenAiUsage(absurd)).toMatchObject({ inputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 5 });
});

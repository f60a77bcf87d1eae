/** Counting tokens in OpenAI's words, both sets of them; and what every dialect's counting needs (docs/wire/chat-translation.md#usage). */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import { numberOf, objectOf, present } from './read.ts';

/** A whole count; undefined for what is none: no number, or one below zero, which is not the zero of an answer that costs nothing. */
export function countOf(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  return number === undefined || number < 0 ? undefined : Math.trunc(number);
}

/** Cumulative counts: what `next` names replaces, the rest stays (maximhq/bifrost#5354: never add). */
export function mergeUsage(before: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  return { ...before, ...next };
}

/** `usage` of chat-completions or Responses, in either set of names; undefined when it is no object or counts nothing. */
export function readOpenAiUsage(value: Json | undefined): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const input = eitherOf(usage['prompt_tokens_details'], usage['input_tokens_details']);
  const output = eitherOf(usage['completion_tokens_details'], usage['output_tokens_details']);
  const told = countOf(usage['prompt_tokens'] ?? usage['input_tokens']);
  // Perplexity's research counts what it read, its reasoning and its searches beside the rest, at the prices of the usual ones.
  const researched = countOf(usage['citation_tokens']);
  const inputTokens = told === undefined ? undefined : told + (researched ?? 0);
  // DeepSeek counts hits beside, not in the details.
  const hits = countOf(input['cached_tokens'] ?? usage['prompt_cache_hit_tokens']);
  const cacheWriteTokens = within(countOf(input['cache_write_tokens']), inputTokens);
  const reasoningBeside = researched === undefined ? undefined : countOf(usage['reasoning_tokens']);
  const reasoningTokens = countOf(output['reasoning_tokens']) ?? reasoningBeside;
  const result = present({
    inputTokens,
    // Some count what they write as hits too: the parts are never more than the whole.
    cachedInputTokens: within(hits, inputTokens === undefined ? undefined : inputTokens - (cacheWriteTokens ?? 0)),
    cacheWriteTokens,
    outputTokens: outputTokens(usage, { input: told, reasoning: reasoningTokens, beside: reasoningBeside }),
    reasoningTokens,
    inputAudioTokens: countOf(input['audio_tokens']),
    outputAudioTokens: countOf(output['audio_tokens']),
    inputImageTokens: countOf(input['image_tokens']),
    outputImageTokens: countOf(output['image_tokens']),
    toolPromptTokens: researched,
    webSearches: researched === undefined ? undefined : countOf(usage['num_search_queries']),
  });
  return Object.keys(result).length === 0 ? undefined : result;
}

/** A part of a whole; either may be unknown. */
function within(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? part : Math.min(part, whole);
}

/** The members of both; of a name in both the first's. */
function eitherOf(first: Json | undefined, second: Json | undefined): JsonObject {
  const [one, other] = [objectOf(first), objectOf(second)];
  return one !== undefined && other !== undefined ? { ...other, ...one } : (one ?? other ?? {});
}

/** Some vendors count reasoning beside the completion (vercel/ai#17923); their total tells. */
function outputTokens(
  usage: JsonObject,
  { input, reasoning, beside }: Readonly<Record<'input' | 'reasoning' | 'beside', number | undefined>>,
): number | undefined {
  const output = countOf(usage['completion_tokens'] ?? usage['output_tokens']);
  if (output !== undefined && beside !== undefined) return output + beside;
  const total = countOf(usage['total_tokens']);
  if (output === undefined || reasoning === undefined || reasoning === 0) return output;
  const outside = total !== undefined && input !== undefined && total === input + output + reasoning;
  return outside || reasoning > output ? output + reasoning : output;
}

/** `usage` of a chat completion, as docs/service.md shows it: every count there, zero when nobody reported it. */
export function toChatUsage(usage: Usage): JsonObject {
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      audio_tokens: usage.inputAudioTokens ?? 0,
      ...(usage.cacheWriteTokens !== undefined && { cache_write_tokens: usage.cacheWriteTokens }),
      ...(usage.inputImageTokens !== undefined && { image_tokens: usage.inputImageTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: usage.outputAudioTokens ?? 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
      ...(usage.outputImageTokens !== undefined && { image_tokens: usage.outputImageTokens }),
    },
  };
}

/** `usage` of a Responses object: the SDK's names and docs/service.md's, side by side. */
export function toResponsesUsage(usage: Usage): JsonObject {
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  const cached = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const reasoning = usage.reasoningTokens ?? 0;
  const inputAudio = usage.inputAudioTokens ?? 0;
  const inputImage = usage.inputImageTokens ?? 0;
  const outputAudio = usage.outputAudioTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: {
      cached_tokens: cached,
      text_tokens: Math.max(0, input - inputAudio - inputImage),
      audio_tokens: inputAudio,
      image_tokens: inputImage,
    },
    completion_tokens_details: {
      text_tokens: Math.max(0, output - outputAudio - reasoning),
      audio_tokens: outputAudio,
      reasoning_tokens: reasoning,
    },
  };
}

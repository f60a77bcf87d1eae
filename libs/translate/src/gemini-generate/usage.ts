/** Counts, both ways: the wire counts thoughts and tool prompts beside the rest, ours include them (docs/wire/chat-translation.md#usage). */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import { objectOf, objectsOf, present } from '../shared/read.ts';
import { countOf } from '../shared/usage.ts';

/** The counts of a whole reply or of one stream event; a running total on streams. */
export function readUsage(body: Json): Usage | undefined {
  const whole = Array.isArray(body) ? body.at(-1) : body;
  return readWireUsage(objectOf(objectOf(whole)?.['usageMetadata']));
}

export function readWireUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const prompt = countOf(usage['promptTokenCount']);
  const tools = countOf(usage['toolUsePromptTokenCount']);
  const thoughts = countOf(usage['thoughtsTokenCount']);
  const result = present({
    inputTokens: prompt === undefined ? undefined : prompt + (tools ?? 0),
    cachedInputTokens: countOf(usage['cachedContentTokenCount']),
    outputTokens: outputTokens(usage, (prompt ?? 0) + (tools ?? 0), thoughts),
    reasoningTokens: thoughts,
    toolPromptTokens: tools,
    inputImageTokens: modality(usage['promptTokensDetails'], 'IMAGE'),
    inputAudioTokens: modality(usage['promptTokensDetails'], 'AUDIO'),
    outputImageTokens: modality(usage['candidatesTokensDetails'], 'IMAGE'),
    outputAudioTokens: modality(usage['candidatesTokensDetails'], 'AUDIO'),
  });
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Nothing written yet (or a blocked prompt) leaves the candidates' count out; the total then says so. */
function outputTokens(usage: JsonObject, input: number, thoughts: number | undefined): number | undefined {
  const candidates = countOf(usage['candidatesTokenCount']);
  if (candidates !== undefined || thoughts !== undefined) return (candidates ?? 0) + (thoughts ?? 0);
  const total = countOf(usage['totalTokenCount']);
  return total === undefined ? undefined : Math.max(0, total - input);
}

function modality(details: Json | undefined, name: string): number | undefined {
  const found = objectsOf(details).find((detail) => detail['modality'] === name);
  return found === undefined ? undefined : countOf(found['tokenCount']);
}

/** `usageMetadata`: the total is the sum of what is shown. */
export function writeUsage(usage: Usage | undefined): JsonObject {
  const input = usage?.inputTokens ?? 0;
  const output = usage?.outputTokens ?? 0;
  const tools = Math.min(input, usage?.toolPromptTokens ?? 0);
  const thoughts = Math.min(output, usage?.reasoningTokens ?? 0);
  return {
    promptTokenCount: input - tools,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: input + output,
    ...(tools > 0 && { toolUsePromptTokenCount: tools }),
    ...(usage?.reasoningTokens !== undefined && { thoughtsTokenCount: thoughts }),
    ...(usage?.cachedInputTokens !== undefined && { cachedContentTokenCount: usage.cachedInputTokens }),
    ...details('promptTokensDetails', input - tools, {
      image: usage?.inputImageTokens,
      audio: usage?.inputAudioTokens,
    }),
    ...details('candidatesTokensDetails', output - thoughts, {
      image: usage?.outputImageTokens,
      audio: usage?.outputAudioTokens,
    }),
  };
}

interface Modalities {
  readonly image: number | undefined;
  readonly audio: number | undefined;
}

/** The parts of a count, text being what is left; none where the vendor told none. Google names no modality with nothing in it. */
function details(key: string, whole: number, { image, audio }: Modalities): JsonObject {
  if (image === undefined && audio === undefined) return {};
  const text = Math.max(0, whole - (image ?? 0) - (audio ?? 0));
  const list = [
    { modality: 'TEXT', tokenCount: text },
    { modality: 'IMAGE', tokenCount: image ?? 0 },
    { modality: 'AUDIO', tokenCount: audio ?? 0 },
  ].filter(({ tokenCount }) => tokenCount > 0);
  return list.length === 0 ? {} : { [key]: list };
}

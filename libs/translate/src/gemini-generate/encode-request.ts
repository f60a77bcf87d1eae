/** POST …/models/{model}:generateContent, written (docs/wire/chat-translation.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { withSomethingSaid } from '../shared/history.ts';
import { carriedExtra, quirk } from '../shared/translation.ts';
import { createDropped, type DroppedList } from '../shared/dropped.ts';
import type { Setting } from '../facts.ts';
import { fieldName } from '../shared/field-names.ts';
import { requireDistinctTools, requirePossible } from '../shared/possible-settings.ts';
import { at, present } from '../shared/read.ts';
import { encodeContents } from './contents.ts';
import { toOpenApi } from './schema.ts';
import { encodeThinking } from './thinking.ts';
import { encodeTools } from './tools.ts';

const TIERS = new Set(['flex', 'standard', 'priority']);

/** The body for a target, and what it could not carry. Throws `invalid_request` where a loss would change the meaning. */
export function encodeRequest(given: ChatRequest, target: Target): Encoded {
  const request = withSomethingSaid(given, 'gemini-generate');
  const dropped = createDropped();
  const extra = carriedExtra(request, 'gemini-generate', dropped);
  requirePossible(request, 'gemini-generate');
  requireDistinctTools(request);
  const tools = encodeTools(request, target, dropped);
  const contents = encodeContents({ request, target, dropped, names: tools.names });
  const config = encodeConfig(request, target, dropped);
  const system = encodeSystem(request, dropped);
  const tier = request.serviceTier === 'default' ? 'standard' : request.serviceTier;
  const tierKnown = tier !== undefined && TIERS.has(tier);
  if (tier !== undefined && tier !== 'auto' && !tierKnown) {
    dropped.add(fieldName(request, 'serviceTier'), 'no such tier in gemini-generate');
  }
  reportTheRest(request, dropped);
  const body: JsonObject = {
    contents: contents.map(({ role, parts }) => ({ role, parts })),
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...(tools.tools.length > 0 && { tools: tools.tools }),
    ...(tools.toolConfig !== undefined && { toolConfig: tools.toolConfig }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(tierKnown && { serviceTier: tier }),
    ...extra,
    ...(request.continuation !== undefined && { continuationToken: request.continuation }),
  };
  return {
    body,
    dropped: dropped.list,
    target,
    ...(tools.names.undo.size > 0 && { toolNames: tools.names.undo }),
    ...(tools.customTools.size > 0 && { customTools: tools.customTools }),
  };
}

function encodeSystem(request: ChatRequest, dropped: DroppedList): JsonObject[] {
  return request.system.flatMap((part) => {
    if (part.cache !== undefined) dropped.add(at(part.place ?? 'system', 'cache_control'), 'caches are implicit here');
    return part.text === '' ? [] : [{ text: part.text }];
  });
}

function encodeConfig(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject {
  return present({
    temperature: encodeTemperature(request, target, dropped),
    topP: request.topP,
    topK: request.topK,
    candidateCount: request.count,
    maxOutputTokens: encodeCap(request, target, dropped),
    stopSequences: request.stop === undefined || request.stop.length === 0 ? undefined : [...request.stop],
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    responseLogprobs: request.logprobs,
    logprobs: request.topLogprobs,
    ...encodeFormat(request, target),
    responseModalities: encodeModalities(request),
    speechConfig: encodeSpeech(request, dropped),
    imageConfig:
      request.image === undefined
        ? undefined
        : present({ aspectRatio: request.image.aspectRatio, imageSize: request.image.size }),
    thinkingConfig: encodeThinking(request, target, dropped),
  });
}

function encodeTemperature(request: ChatRequest, target: Target, dropped: DroppedList): number | undefined {
  if (request.temperature === undefined || quirk(target, 'sampling') !== false) return request.temperature;
  dropped.add(fieldName(request, 'temperature'), 'this model takes no sampling settings');
  return undefined;
}

function encodeCap(request: ChatRequest, target: Target, dropped: DroppedList): number | undefined {
  const { maxOutputTokens: wish } = request;
  if (wish === undefined || target.maxOutputTokens === undefined || wish <= target.maxOutputTokens) return wish;
  dropped.add(fieldName(request, 'maxOutputTokens'), `this model gives at most ${target.maxOutputTokens} tokens`);
  return target.maxOutputTokens;
}

/** Structured output (docs/wire/chat-translation.md#structured-output); the name and the description live on in the schema. */
function encodeFormat(
  { format }: ChatRequest,
  target: Target,
): { responseMimeType?: string; responseJsonSchema?: JsonObject; responseSchema?: JsonObject } {
  if (format === undefined || format.type === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.type === 'json-object') return { responseMimeType };
  const named = {
    ...(format.name !== undefined && { title: format.name }),
    ...(format.description !== undefined && { description: format.description }),
    ...format.schema,
  };
  return quirk(target, 'json_schema') === false
    ? { responseMimeType, responseSchema: toOpenApi(named) }
    : { responseMimeType, responseJsonSchema: named };
}

/** Image models answer in both; speech models in audio alone. */
function encodeModalities({ modalities }: ChatRequest): string[] | undefined {
  if (modalities === undefined) return undefined;
  const words = modalities.map((modality) => modality.toUpperCase());
  return words.includes('AUDIO') ? words : ['TEXT', ...words];
}

function encodeSpeech(request: ChatRequest, dropped: DroppedList): JsonObject | undefined {
  const { audio } = request;
  if (audio === undefined) return undefined;
  if (audio.format !== undefined && audio.format !== 'pcm16') {
    dropped.add(at(fieldName(request, 'audio'), 'format'), 'audio comes as PCM here');
  }
  const { voice } = audio;
  if (typeof voice === 'string') return { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } };
  const native = request.dialect === 'gemini-generate' && typeof voice === 'object' && !Array.isArray(voice);
  if (native) return voice ?? undefined;
  if (voice !== undefined) dropped.add(at(fieldName(request, 'audio'), 'voice'), 'only named voices exist here');
  return undefined;
}

// No word of `autoCache`: caches are implicit here.
const NOWHERE = ['logitBias', 'verbosity', 'user', 'metadata', 'cacheKey'] as const satisfies readonly Setting[];

function reportTheRest(request: ChatRequest, dropped: DroppedList): void {
  for (const setting of NOWHERE) {
    if (request[setting] !== undefined) dropped.add(fieldName(request, setting), 'no such setting in gemini-generate');
  }
}

/** POST …:countTokens: the whole request inside, so that tools and instructions are counted too. */
export function encodeCountRequest(request: ChatRequest, target: Target): Encoded {
  const encoded = encodeRequest(request, target);
  const model = target.model.includes('/') ? target.model : `models/${target.model}`;
  return { ...encoded, body: { generateContentRequest: { model, ...encoded.body } } };
}

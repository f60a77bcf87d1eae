/** POST /v1/messages, written (docs/wire/chat-translation.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { withSomethingSaid } from '../shared/history.ts';
import { carriedExtra, quirk } from '../shared/translation.ts';
import { createDropped, type DroppedList } from '../shared/dropped.ts';
import type { Setting } from '../facts.ts';
import { fieldName } from '../shared/field-names.ts';
import { requireDistinctTools, requirePossible } from '../shared/possible-settings.ts';
import { invalid } from '../shared/read.ts';
import { limitCacheMarks, writeCacheMark } from './cache.ts';
import { encodeMessages, encodeText, lacksThinking } from './messages.ts';
import { structuredSchema, toolSchema } from './schema.ts';
import { planThinking, type ThinkingPlan } from './thinking.ts';
import { encodeTools } from './tools.ts';

/** The body for a target, and what it could not carry. Throws `invalid_request` where a loss would change the meaning. */
export function encodeRequest(given: ChatRequest, target: Target): Encoded {
  const request = withSomethingSaid(given, 'anthropic-messages');
  const dropped = createDropped();
  const extra = carriedExtra(request, 'anthropic-messages', dropped);
  requirePossible(request, 'anthropic-messages');
  requireDistinctTools(request);
  refuseWhatMatters(request);
  refusePrefill(request, target);
  const format = planFormat(request, target, dropped);
  const tools = encodeTools(request, target, dropped, format.toolSchema);
  const messages = encodeMessages({ request, target, dropped, names: tools.names });
  const plan = planThinking(request, target, { forced: tools.forced, historyLacks: lacksThinking(messages) }, dropped);
  const system = encodeSystem(request, format.instruction, dropped);
  const outputConfig = { ...(plan.effort !== undefined && { effort: plan.effort }), ...format.config };
  const body: JsonObject = {
    model: target.model,
    max_tokens: plan.maxTokens,
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(system.length > 0 && { system }),
    ...(tools.tools.length > 0 && { tools: tools.tools }),
    ...(tools.toolChoice !== undefined && { tool_choice: tools.toolChoice }),
    ...(plan.thinking !== undefined && { thinking: plan.thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...encodeStop(request, dropped),
    ...encodeSampling(request, target, plan, dropped),
    ...encodeAccount(request, dropped),
    ...(request.stream && { stream: true }),
    ...extra,
  };
  reportTheRest(request, dropped);
  const marked = [...tools.tools, ...system, ...messages.flatMap(({ content }) => marksWithin(content))];
  limitCacheMarks(marked, request.autoCache === undefined ? 4 : 3, dropped);
  return {
    body,
    dropped: dropped.list,
    target,
    ...(tools.names.undo.size > 0 && { toolNames: tools.names.undo }),
    ...(tools.customTools.size > 0 && { customTools: tools.customTools }),
    ...(tools.jsonTool !== undefined && { jsonTool: tools.jsonTool }),
  };
}

/** Models that answer anew would refuse the beginning of their own answer; a turn that the vendor broke off itself goes on. */
function refusePrefill({ turns }: ChatRequest, target: Target): void {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || quirk(target, 'prefill') !== false) return;
  if (last.parts.length === 0 || last.parts.some(({ type }) => type === 'server-tool')) return;
  const place = last.place ?? 'messages';
  throw invalid(place, 'this model does not go on with a message of the assistant; end with one of the user');
}

/** Blocks, and those inside tool results. */
function marksWithin(content: readonly JsonObject[]): JsonObject[] {
  return content.flatMap((block) => {
    const inner = block['type'] === 'tool_result' && Array.isArray(block['content']) ? block['content'] : [];
    return [...(inner as JsonObject[]), block];
  });
}

function refuseWhatMatters(request: ChatRequest): void {
  const refuse = (setting: Setting, why: string): never => {
    throw invalid(fieldName(request, setting), why);
  };
  if (request.count !== undefined && request.count > 1) {
    refuse('count', 'this model gives one answer to a request; send the request several times');
  }
  if (request.logprobs === true) refuse('logprobs', 'this model reports no log probabilities; leave it out');
  if (request.topLogprobs !== undefined && request.topLogprobs > 0) {
    refuse('topLogprobs', 'this model reports no log probabilities; leave it out');
  }
  const modality = request.modalities?.[0];
  if (modality !== undefined) refuse('modalities', `this model writes no ${modality}; ask for text only`);
}

interface FormatPlan {
  readonly config: JsonObject;
  /** Set when the answer must come as the input of a tool. */
  readonly toolSchema: JsonObject | undefined;
  readonly instruction: string | undefined;
}

/** Structured output, as far as the model has it (docs/wire/chat-translation.md#structured-output). */
function planFormat(request: ChatRequest, target: Target, dropped: DroppedList): FormatPlan {
  const { format } = request;
  const none: FormatPlan = { config: {}, toolSchema: undefined, instruction: undefined };
  if (format === undefined || format.type === 'text') return none;
  const field = fieldName(request, 'format');
  if (format.type === 'json-object') {
    dropped.add(field, 'no JSON mode here: asked for in the instructions');
    return { ...none, instruction: 'Answer with one JSON object and nothing else.' };
  }
  // The wire has no place for the name and the description; the model reads them in the schema.
  const named = {
    ...(format.name !== undefined && { title: format.name }),
    ...(format.description !== undefined && { description: format.description }),
    ...format.schema,
  };
  if (quirk(target, 'structured_output') !== false) {
    return { ...none, config: { format: { type: 'json_schema', schema: structuredSchema(named) } } };
  }
  const found = toolSchema(named);
  if (found !== undefined && !found.changed) {
    return { ...none, toolSchema: found.schema };
  }
  dropped.add(field, 'this model takes no such schema: asked for in the instructions');
  const schema = JSON.stringify(format.schema);
  return { ...none, instruction: `Answer with one JSON value of this JSON Schema and nothing else:\n${schema}` };
}

function encodeSystem(request: ChatRequest, instruction: string | undefined, dropped: DroppedList): JsonObject[] {
  const blocks = request.system.flatMap((part) => encodeText(part, { dropped }));
  return instruction === undefined ? blocks : [...blocks, { type: 'text', text: instruction }];
}

function encodeStop(request: ChatRequest, dropped: DroppedList): JsonObject {
  if (request.stop === undefined) return {};
  const kept = request.stop.filter((text) => text.trim() !== '');
  if (kept.length < request.stop.length) {
    dropped.add(fieldName(request, 'stop'), 'a stop text of white space only is refused here');
  }
  return kept.length === 0 ? {} : { stop_sequences: kept };
}

/** Temperature and its kin: only older models on the older version take them, and not while thinking (docs/wire/anthropic-messages.md#request-fields). */
function encodeSampling(request: ChatRequest, target: Target, plan: ThinkingPlan, dropped: DroppedList): JsonObject {
  const drop = (setting: Setting, reason: string): void => {
    if (request[setting as 'topP'] !== undefined) dropped.add(fieldName(request, setting), reason);
  };
  const taken = takesSampling(target);
  if (!taken || plan.on) {
    const reason = taken ? 'not together with thinking' : 'this model takes no sampling settings';
    for (const setting of ['temperature', 'topP', 'topK'] as const) drop(setting, reason);
    return {};
  }
  const { temperature, topP, topK } = request;
  if (temperature !== undefined) drop('topP', 'not together with temperature');
  if (temperature !== undefined && temperature > 1) drop('temperature', 'the highest here is 1: sent as 1');
  return {
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(temperature === undefined && topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** Models that must be told a budget, and those that do not think, are older than the refusal. */
function takesSampling(target: Target): boolean {
  if (quirk(target, 'api_version') === '2026-10-21') return false;
  const thinking = quirk(target, 'thinking');
  return (quirk(target, 'sampling') ?? (thinking === 'budget' || thinking === 'none')) === true;
}

/** User, tier and the automatic cache mark. */
function encodeAccount(request: ChatRequest, dropped: DroppedList): JsonObject {
  const tier = request.serviceTier === 'default' ? 'standard_only' : request.serviceTier;
  const known = tier === undefined || tier === 'auto' || tier === 'standard_only';
  if (!known) dropped.add(fieldName(request, 'serviceTier'), 'no such tier in anthropic-messages');
  return {
    ...(request.user !== undefined && { metadata: { user_id: request.user } }),
    ...(known && tier !== undefined && { service_tier: tier }),
    ...writeCacheMark(request.autoCache, '', dropped),
  };
}

const NOWHERE = [
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'logitBias',
  'verbosity',
  'audio',
  'image',
  'metadata',
  'cacheKey',
] as const satisfies readonly Setting[];

function reportTheRest(request: ChatRequest, dropped: DroppedList): void {
  for (const setting of NOWHERE) {
    if (request[setting] !== undefined)
      dropped.add(fieldName(request, setting), 'no such setting in anthropic-messages');
  }
}

/** What counting looks at: the rest is refused there. */
const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'];

/** POST /v1/messages/count_tokens. */
export function encodeCountRequest(request: ChatRequest, target: Target): Encoded {
  const encoded = encodeRequest(request, target);
  const body = Object.fromEntries(Object.entries(encoded.body).filter(([key]) => COUNTED.includes(key)));
  return { ...encoded, body };
}

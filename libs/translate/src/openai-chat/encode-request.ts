/** The middle form to a chat-completions request body (docs/wire/openai-chat.md#request-fields, docs/wire/chat-translation.md). */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, OutputFormat, Tool, ToolChoice } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { carriedExtra, effortOfBudget, foreignTool, quirk } from '../shared/translation.ts';
import { describeCustom, FREE_TEXT } from '../shared/custom-tools.ts';
import { createDropped, type DroppedList } from '../shared/dropped.ts';
import type { Setting } from '../facts.ts';
import { fieldName } from '../shared/field-names.ts';
import { objectSchema, openAiTier, without } from '../shared/openai-words.ts';
import { requirePossible } from '../shared/possible-settings.ts';
import { invalid, present } from '../shared/read.ts';
import { createToolNames, namesOf, type ToolNames } from '../shared/tool-names.ts';
import { wrappedTools, wrapsCustom } from '../shared/wrapped-tools.ts';
import { encodeMessages } from './encode-messages.ts';

/** Throws GatewayError `invalid_request` where the target lacks something the answer would not be the same without. */
export function encodeRequest(asked: ChatRequest, target: Target): Encoded {
  const dropped = createDropped();
  const request = schemaInWords(asked, target, dropped);
  const extra = carriedExtra(request, 'openai-chat', dropped);
  requirePossible(request, 'openai-chat');
  const names = createToolNames(namesOf(request));
  const native = request.dialect === 'openai-chat';
  const stream = request.stream
    ? present({
        stream: true,
        stream_options: quirk(target, 'stream_options') === false ? undefined : { include_usage: true },
      })
    : {};
  const body: JsonObject = {
    ...(native || extra['store'] !== false ? extra : withoutStore(extra)),
    model: target.model,
    messages: encodeMessages(request, target, names, dropped),
    ...stream,
    ...encodeTools(request, target, names, dropped),
    ...encodeSampling(request, target, dropped),
    ...encodeReasoning(request, target, dropped),
    ...encodeOutput(request, target, dropped),
    ...present({
      user: request.user,
      service_tier: openAiTier(request.serviceTier, fieldName(request, 'serviceTier'), dropped),
      prompt_cache_key: native || quirk(target, 'prompt_cache_key') === true ? request.cacheKey : undefined,
      metadata: metadataOf(request, extra, dropped),
    }),
  };
  if (request.cacheKey !== undefined && body['prompt_cache_key'] === undefined) {
    dropped.add(fieldName(request, 'cacheKey'), 'this vendor has no cache keys');
  }
  return {
    body,
    dropped: dropped.list,
    toolNames: names.undo,
    target,
    ...(!native && wrappedTools(request, target, names)),
  };
}

/** Nothing is stored on this wire unless it is asked for, and not every vendor knows the word. */
function withoutStore({ store: _store, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Vendors without schemas take JSON objects at least; the schema is told in words, after all other instructions. */
function schemaInWords(request: ChatRequest, target: Target, dropped: DroppedList): ChatRequest {
  const { format } = request;
  if (format?.type !== 'json-schema' || request.dialect === 'openai-chat') return request;
  if (quirk(target, 'structured_output') !== false) return request;
  dropped.add(fieldName(request, 'format'), 'this model takes no schema; it is told in an instruction');
  const text = `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(format.schema)}`;
  return { ...request, format: { type: 'json-object' }, system: [...request.system, { type: 'text', text }] };
}

/** OpenAI takes metadata only for answers it stores. */
function metadataOf(request: ChatRequest, extra: JsonObject, dropped: DroppedList): JsonObject | undefined {
  if (request.metadata === undefined || request.dialect === 'openai-chat' || extra['store'] === true)
    return request.metadata;
  if (Object.keys(request.metadata).length > 0) {
    dropped.add(fieldName(request, 'metadata'), 'kept only with stored answers');
  }
  return undefined;
}

function encodeSampling(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject {
  const give = (setting: Setting, reason: string): undefined => {
    dropped.add(fieldName(request, setting), reason);
    return undefined;
  };
  const samples = quirk(target, 'sampling') !== false;
  const sampling = <T>(setting: Setting, value: T | undefined): T | undefined =>
    value === undefined || samples ? value : give(setting, 'this model samples in its own way');
  if (request.stop !== undefined && request.dialect !== 'openai-chat' && request.stop.length > maxStops(target)) {
    throw invalid(fieldName(request, 'stop'), `this model takes at most ${maxStops(target)} stop sequences`);
  }
  const wantsLogprobs = request.logprobs === true || request.topLogprobs !== undefined;
  if (wantsLogprobs && quirk(target, 'logprobs') === false) {
    throw invalid(fieldName(request, 'logprobs'), 'this model does not return log probabilities; leave it out');
  }
  if ((request.count ?? 1) > 1 && quirk(target, 'several_answers') === false) {
    throw invalid(fieldName(request, 'count'), 'this model gives one answer at a time; leave it out or send 1');
  }
  const native = request.dialect === 'openai-chat';
  const topK = request.topK === undefined || native || quirk(target, 'top_k') === true;
  return present({
    [capField(target)]: request.maxOutputTokens,
    temperature: sampling('temperature', request.temperature),
    top_p: sampling('topP', request.topP),
    top_k: topK ? request.topK : give('topK', 'no such setting in openai-chat'),
    presence_penalty: sampling('presencePenalty', request.presencePenalty),
    frequency_penalty: sampling('frequencyPenalty', request.frequencyPenalty),
    seed: request.seed,
    n: request.count,
    stop: request.stop === undefined ? undefined : [...request.stop],
    logprobs: request.logprobs ?? (request.topLogprobs === undefined || native ? undefined : true),
    top_logprobs: request.topLogprobs,
    logit_bias: request.logitBias,
  }) as JsonObject;
}

function maxStops(target: Target): number {
  const most = quirk(target, 'max_stop');
  return typeof most === 'number' ? most : 4;
}

/** Most compatible vendors know only the older name (docs/wire/openai-chat.md#request-fields). */
function capField(target: Target): string {
  const asked = quirk(target, 'max_tokens_field');
  return typeof asked === 'string' ? asked : 'max_tokens';
}

/** Where no largest output is known, budgets are measured against this. */
const USUAL_CAP = 32_768;

function encodeReasoning(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject {
  const { reasoning } = request;
  if (reasoning === undefined) return {};
  if (request.dialect === 'openai-chat') {
    const thinking = present({ type: reasoning.mode, budget_tokens: reasoning.budgetTokens });
    return present({
      reasoning_effort: reasoning.effort,
      thinking: Object.keys(thinking).length === 0 ? undefined : thinking,
      include_reasoning: reasoning.visible,
    });
  }
  const cap = target.maxOutputTokens ?? request.maxOutputTokens ?? USUAL_CAP;
  const off = reasoning.mode === 'disabled' || reasoning.budgetTokens === 0;
  const budgeted = reasoning.budgetTokens === undefined ? undefined : effortOfBudget(reasoning.budgetTokens, cap);
  const effort = reasoning.effort ?? (off ? 'none' : budgeted);
  const style =
    quirk(target, 'thinking') === 'none' ? 'none' : (quirk(target, 'reasoning_field') ?? 'reasoning_effort');
  switch (style) {
    case 'reasoning_effort':
      if (reasoning.effort === undefined && budgeted !== undefined && !off) {
        dropped.add(fieldName(request, 'budget'), `sent as the nearest effort, ${budgeted}`);
      }
      if (reasoning.visible === true) {
        dropped.add(fieldName(request, 'reasoningText'), 'this model shows its reasoning or not by itself');
      }
      return present({ reasoning_effort: effort });
    case 'thinking':
      return {
        thinking: present({
          type: off || effort === 'none' ? 'disabled' : 'enabled',
          budget_tokens: budgetOf(request),
        }),
      };
    case 'enable_thinking':
      return present({ enable_thinking: !off && effort !== 'none', thinking_budget: budgetOf(request) });
    case 'reasoning':
      return {
        reasoning: present({
          effort: reasoning.budgetTokens === undefined ? effort : undefined,
          max_tokens: budgetOf(request),
          exclude: reasoning.visible === false ? true : undefined,
        }),
      };
    default:
      if (!off && effort !== 'none') dropped.add(fieldName(request, 'effort'), 'this model takes no reasoning effort');
      return {};
  }
}

function budgetOf({ reasoning }: ChatRequest): number | undefined {
  const budget = reasoning?.budgetTokens;
  return budget === undefined || budget <= 0 ? undefined : budget;
}

function encodeOutput(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject {
  const unwritten = request.modalities?.find(
    (word) => word === 'video' || (word === 'image' && quirk(target, 'image_output') === false),
  );
  if (unwritten !== undefined) {
    throw invalid(fieldName(request, 'modalities'), `this model writes no ${unwritten}; ask for text only`);
  }
  const { image, audio } = request;
  if (
    request.modalities?.includes('audio') === true &&
    audio?.voice === undefined &&
    request.dialect !== 'openai-chat'
  ) {
    throw invalid(fieldName(request, 'audio'), 'must name the voice of the answer when audio is asked for');
  }
  const draws = request.modalities?.includes('image') === true || request.dialect === 'openai-chat';
  if (image !== undefined && !draws) dropped.add(fieldName(request, 'image'), 'no image is asked for');
  return present({
    response_format: encodeFormat(request.format),
    verbosity: request.verbosity,
    modalities: request.modalities === undefined ? undefined : ['text', ...request.modalities],
    audio: audio === undefined ? undefined : present({ format: audio.format, voice: audio.voice }),
    image_config:
      image === undefined || !draws ? undefined : present({ aspect_ratio: image.aspectRatio, image_size: image.size }),
  });
}

function encodeFormat(format: OutputFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json-object':
      return { type: 'json_object' };
    case 'json-schema':
      return {
        type: 'json_schema',
        json_schema: present({
          name: format.name ?? 'answer',
          description: format.description,
          schema: format.schema,
          strict: format.strict,
        }),
      };
  }
}

function encodeTools(request: ChatRequest, target: Target, names: ToolNames, dropped: DroppedList): JsonObject {
  const tools: JsonObject[] = [];
  let search: JsonObject | undefined;
  for (const tool of request.tools) {
    if (tool.type === 'web-search') search = encodeWebSearch(request, tool, target, dropped);
    else tools.push(encodeTool(request, target, tool, { names, dropped }));
  }
  const choosable = tools.length > 0;
  return present({
    tools: choosable ? tools : undefined,
    web_search_options: search,
    tool_choice:
      choosable && request.toolChoice !== undefined
        ? encodeToolChoice(request, target, request.toolChoice, names)
        : undefined,
    parallel_tool_calls: choosable || request.dialect === 'openai-chat' ? request.parallelToolCalls : undefined,
  });
}

function encodeTool(
  request: ChatRequest,
  target: Target,
  tool: Exclude<Tool, { type: 'web-search' }>,
  { names, dropped }: { readonly names: ToolNames; readonly dropped: DroppedList },
): JsonObject {
  const native = request.dialect === 'openai-chat';
  const place = tool.place ?? 'tools';
  switch (tool.type) {
    case 'function': {
      if (tool.cache !== undefined && !native)
        dropped.add(`${place}.cache_control`, 'no cache marks on tools in openai-chat');
      const parameters = tool.parameters;
      return present({
        type: 'function',
        function: present({
          name: names.toWire(tool.name),
          description: tool.description,
          parameters: parameters === undefined || native ? parameters : objectSchema(parameters, place),
          strict: tool.strict,
        }),
        cache_control:
          native && tool.cache !== undefined ? present({ type: 'ephemeral', ttl: tool.cache.ttl }) : undefined,
      });
    }
    case 'custom':
      if (!native && wrapsCustom(target)) {
        const description = describeCustom(tool, place, dropped);
        return { type: 'function', function: { name: names.toWire(tool.name), description, parameters: FREE_TEXT } };
      }
      return {
        type: 'custom',
        custom: present({
          name: names.toWire(tool.name),
          description: tool.description,
          format: nestedGrammar(tool.format),
        }),
      };
    case 'hosted':
      if (native) return tool.raw;
      throw foreignTool(tool.name, place);
  }
}

function nestedGrammar(format: JsonObject | undefined): JsonObject | undefined {
  return format?.['type'] === 'grammar' ? { type: 'grammar', grammar: without(format, 'type') } : format;
}

function encodeWebSearch(
  request: ChatRequest,
  tool: Extract<Tool, { type: 'web-search' }>,
  target: Target,
  dropped: DroppedList,
): JsonObject {
  const place = tool.place ?? 'tools';
  if (quirk(target, 'web_search') === false)
    throw invalid(place, 'this model does not search the web; leave the tool out');
  if (request.dialect !== 'openai-chat' || tool.allowedDomains !== undefined || tool.blockedDomains !== undefined) {
    const lost = { allowed_domains: tool.allowedDomains, blocked_domains: tool.blockedDomains, max_uses: tool.maxUses };
    for (const [name, value] of Object.entries(lost)) {
      if (value !== undefined) dropped.add(`${place}.${name}`, 'no such search setting in openai-chat');
    }
  }
  return present({
    search_context_size: tool.contextSize,
    user_location:
      tool.location === undefined ? undefined : { type: 'approximate', approximate: without(tool.location, 'type') },
  });
}

function encodeToolChoice(
  request: ChatRequest,
  target: Target,
  choice: ToolChoice,
  names: ToolNames,
): string | JsonObject {
  const wraps = request.dialect !== 'openai-chat' && wrapsCustom(target);
  const kindOf = (name: string): 'function' | 'custom' =>
    !wraps && request.tools.some((tool) => tool.type === 'custom' && tool.name === name) ? 'custom' : 'function';
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool': {
      const kind = kindOf(choice.name);
      return { type: kind, [kind]: { name: names.toWire(choice.name) } };
    }
    case 'subset':
      return {
        type: 'allowed_tools',
        allowed_tools: {
          mode: choice.mode,
          tools: choice.names.map((name) => ({ type: kindOf(name), [kindOf(name)]: { name: names.toWire(name) } })),
        },
      };
  }
}

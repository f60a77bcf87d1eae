/** The middle form to a Responses request body (docs/wire/openai-responses.md#request-fields, docs/wire/chat-translation.md). */
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
import { arrayOf, invalid, present } from '../shared/read.ts';
import { createToolNames, namesOf, type ToolNames } from '../shared/tool-names.ts';
import { wrappedTools, wrapsCustom } from '../shared/wrapped-tools.ts';
import { encodeInput } from './encode-items.ts';
import { callName } from './group-names.ts';

/** Throws GatewayError `invalid_request` where the wire lacks something the answer would not be the same without. */
export function encodeRequest(request: ChatRequest, target: Target): Encoded {
  const dropped = createDropped();
  const extra = carriedExtra(request, 'openai-responses', dropped);
  requirePossible(request, 'openai-responses');
  refuse(request, target);
  lose(request, dropped);
  const names = createToolNames(namesOf(request));
  const native = request.dialect === 'openai-responses';
  const { instructions, input } = encodeInput(request, target, names, dropped);
  const reasoning = encodeReasoning(request, target, dropped);
  const samples = quirk(target, 'sampling') !== false;
  const sampling = (setting: Setting, value: number | undefined): number | undefined => {
    if (value === undefined || samples) return value;
    dropped.add(fieldName(request, setting), 'this model samples in its own way');
    return undefined;
  };
  const text = present({ format: encodeFormat(request.format), verbosity: request.verbosity });
  const body: JsonObject = {
    ...extra,
    // The vendor stores answers unless told otherwise; callers of stateless wires did not ask for that
    // (docs/wire/chat-translation.md#stored-state-of-responses).
    ...(!native && extra['store'] === undefined && { store: false }),
    ...present({
      model: target.model,
      instructions,
      input,
      stream: request.stream ? true : undefined,
      max_output_tokens: request.maxOutputTokens,
      temperature: sampling('temperature', request.temperature),
      top_p: sampling('topP', request.topP),
      top_logprobs: request.topLogprobs,
      // A model told not to reason may be one that cannot.
      include: encodeInclude(request, extra, !native && reasoning !== undefined && reasoning['effort'] !== 'none'),
      reasoning,
      text: Object.keys(text).length === 0 ? undefined : text,
      user: request.user,
      metadata: request.metadata,
      service_tier: openAiTier(request.serviceTier, fieldName(request, 'serviceTier'), dropped),
      prompt_cache_key: request.cacheKey,
    }),
    ...encodeTools(request, target, names, dropped),
  };
  const stops = request.stop;
  return {
    body,
    dropped: dropped.list,
    toolNames: names.undo,
    target,
    ...(stops !== undefined && { stops }),
    ...(!native && wrappedTools(request, target, names)),
  };
}

/** What would change the meaning if it were left out. */
function refuse(request: ChatRequest, target: Target): void {
  const refusal = (setting: Setting, reason: string): Error => invalid(fieldName(request, setting), reason);
  if ((request.count ?? 1) > 1) {
    throw refusal('count', 'this model gives one answer at a time; leave it out or send 1');
  }
  if ((request.logprobs === true || request.topLogprobs !== undefined) && quirk(target, 'logprobs') === false) {
    throw refusal('logprobs', 'this model does not return log probabilities; leave it out');
  }
  const modality = request.modalities?.find((word) => word !== 'text');
  if (modality !== undefined) throw refusal('modalities', `this model writes no ${modality}; ask for text only`);
}

/** What the wire has no word for. */
function lose(request: ChatRequest, dropped: DroppedList): void {
  if (request.stop !== undefined) {
    const reason = 'cut by the gateway: what the model writes after it is billed, not shown';
    dropped.add(fieldName(request, 'stop'), reason);
  }
  const settings = {
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    logitBias: request.logitBias,
    audio: request.audio,
    image: request.image,
  } satisfies Partial<Record<Setting, unknown>>;
  for (const [setting, value] of Object.entries(settings)) {
    if (value !== undefined) dropped.add(fieldName(request, setting as Setting), 'no such setting in openai-responses');
  }
}

function encodeInclude(request: ChatRequest, extra: JsonObject, encrypted: boolean): string[] | undefined {
  const words = arrayOf(extra['include']).filter((word) => typeof word === 'string');
  if (encrypted) words.push('reasoning.encrypted_content');
  if (request.logprobs === true) words.push('message.output_text.logprobs');
  return words.length === 0 ? undefined : words;
}

/** Where no largest output is known, budgets are measured against this. */
const USUAL_CAP = 32_768;
const SUMMARIES: ReadonlySet<string | undefined> = new Set(['auto', 'concise', 'detailed']);

function encodeReasoning(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject | undefined {
  const { reasoning } = request;
  if (reasoning === undefined) return undefined;
  if (request.dialect === 'openai-responses') return present({ effort: reasoning.effort, summary: reasoning.summary });
  const off = reasoning.mode === 'disabled' || reasoning.budgetTokens === 0;
  if (quirk(target, 'thinking') === 'none') {
    if (!off && reasoning.effort !== 'none')
      dropped.add(fieldName(request, 'effort'), 'this model takes no reasoning effort');
    return undefined;
  }
  const cap = target.maxOutputTokens ?? request.maxOutputTokens ?? USUAL_CAP;
  const budgeted = reasoning.budgetTokens === undefined ? undefined : effortOfBudget(reasoning.budgetTokens, cap);
  if (reasoning.effort === undefined && budgeted !== undefined && !off) {
    dropped.add(fieldName(request, 'budget'), `sent as the nearest effort, ${budgeted}`);
  }
  const word = SUMMARIES.has(reasoning.summary) ? reasoning.summary : 'auto';
  const result = present({
    effort: reasoning.effort ?? (off ? 'none' : budgeted),
    summary: reasoning.visible === true && !off ? word : undefined,
  });
  return Object.keys(result).length === 0 ? undefined : result;
}

function encodeFormat(format: OutputFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json-object':
      return { type: 'json_object' };
    case 'json-schema':
      return present({
        type: 'json_schema',
        name: format.name ?? 'answer',
        description: format.description,
        schema: format.schema,
        strict: format.strict,
      });
  }
}

function encodeTools(request: ChatRequest, target: Target, names: ToolNames, dropped: DroppedList): JsonObject {
  const native = request.dialect === 'openai-responses';
  let group: JsonObject | undefined;
  const tools = request.tools.flatMap((tool): JsonObject[] => {
    const raw = native && (tool.type === 'function' || tool.type === 'custom') ? tool.group?.raw : undefined;
    if (raw === undefined) return [encodeTool(request, tool, names, dropped, target)];
    // A group goes back whole, once.
    const known = raw === group;
    group = raw;
    return known ? [] : [raw];
  });
  if (tools.length === 0) return {};
  return present({
    tools,
    tool_choice:
      request.toolChoice === undefined ? undefined : encodeToolChoice(request, target, request.toolChoice, names),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

function encodeTool(
  request: ChatRequest,
  tool: Tool,
  names: ToolNames,
  dropped: DroppedList,
  target: Target,
): JsonObject {
  const native = request.dialect === 'openai-responses';
  const place = tool.place ?? 'tools';
  switch (tool.type) {
    case 'function': {
      if (tool.cache !== undefined)
        dropped.add(`${place}.cache_control`, 'no cache marks on tools in openai-responses');
      const schema = tool.parameters ?? (native ? undefined : {});
      return present({
        type: 'function',
        name: names.toWire(tool.name),
        description: tool.description,
        parameters: schema === undefined || native ? schema : objectSchema(schema, place),
        // Left out, this wire would try strict first; the others would not (docs/wire/openai-responses.md#request-fields).
        strict: native ? tool.strict : (tool.strict ?? false),
      });
    }
    case 'custom':
      if (!native && wrapsCustom(target)) {
        const description = describeCustom(tool, place, dropped);
        return { type: 'function', name: names.toWire(tool.name), description, parameters: FREE_TEXT, strict: false };
      }
      return present({
        type: 'custom',
        name: names.toWire(tool.name),
        description: tool.description,
        format: tool.format,
      });
    case 'web-search':
      return encodeWebSearch(tool, target, dropped, place);
    case 'hosted':
      if (native || tool.provider === target.provider) return tool.raw;
      throw foreignTool(tool.name, place);
  }
}

function encodeWebSearch(
  tool: Extract<Tool, { type: 'web-search' }>,
  target: Target,
  dropped: DroppedList,
  place: string,
): JsonObject {
  if (quirk(target, 'web_search') === false)
    throw invalid(place, 'this model does not search the web; leave the tool out');
  if (tool.maxUses !== undefined) dropped.add(`${place}.max_uses`, 'no such search setting in openai-responses');
  const filters = present({
    allowed_domains: tool.allowedDomains === undefined ? undefined : [...tool.allowedDomains],
    blocked_domains: tool.blockedDomains === undefined ? undefined : [...tool.blockedDomains],
  });
  return present({
    type: 'web_search',
    search_context_size: tool.contextSize,
    user_location: tool.location === undefined ? undefined : { type: 'approximate', ...without(tool.location, 'type') },
    filters: Object.keys(filters).length === 0 ? undefined : filters,
  });
}

function encodeToolChoice(
  request: ChatRequest,
  target: Target,
  choice: ToolChoice,
  names: ToolNames,
): string | JsonObject {
  const wraps = request.dialect !== 'openai-responses' && wrapsCustom(target);
  const named = (name: string): JsonObject => ({
    type: !wraps && request.tools.some((tool) => tool.type === 'custom' && tool.name === name) ? 'custom' : 'function',
    ...(request.dialect === 'openai-responses' ? callName(request, name) : { name: names.toWire(name) }),
  });
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool':
      return named(choice.name);
    case 'subset':
      return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map(named) };
  }
}

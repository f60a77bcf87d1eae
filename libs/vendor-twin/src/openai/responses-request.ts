import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { bracketed, type Reader } from '../core/reader.ts';
import type { Stage } from '../core/stage.ts';
import type { Talk, TalkTool } from '../chat/talk.ts';
import { badRequest, refuseAsOpenAi, refuseUnknownModel } from './errors.ts';
import { memoryOf, readInput, type Conversation, type StoredResponse } from './responses-items.ts';
import { requireObjectSchema, requireStrictSchema, TOOL_NAME } from './schema-rules.ts';

const FIELDS = new Set(
  (
    'model input instructions previous_response_id conversation store background context_management prompt max_tool_calls ' +
    'truncation access_programs image moderation max_output_tokens temperature top_p top_logprobs metadata user ' +
    'safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention service_tier reasoning text tools ' +
    'tool_choice parallel_tool_calls include stream stream_options client_metadata'
  ).split(' '),
);
const HOSTED_TOOLS =
  /^(web_search(_preview)?(_\d{4}_\d\d_\d\d)?|file_search|mcp|code_interpreter|image_generation|local_shell|shell|apply_patch|computer\w*|namespace|tool_search|programmatic_tool_calling)$/;
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export interface ResponsesOrder {
  readonly talk: Talk;
  readonly calls: Conversation['calls'];
  readonly stream: boolean;
  readonly store: boolean;
  /** Reasoning text is shown in summaries. */
  readonly summaries: boolean;
  readonly custom: ReadonlySet<string>;
  /** The request fields the answer repeats. */
  readonly echo: Record<string, unknown>;
}

/** Reads `POST /responses` as strictly as the vendor does; `own` finds what is remembered for the connection alone. */
export function readResponses(
  body: Reader,
  stage: Stage,
  own: (id: string) => StoredResponse | undefined = () => undefined,
): ResponsesOrder {
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const previous = body.optionalString('previous_response_id');
  if (previous !== undefined && body.has('conversation')) {
    throw badRequest("'previous_response_id' and 'conversation' exclude each other.", 'previous_response_id');
  }
  const before = previous === undefined ? undefined : (own(previous) ?? memoryOf(stage).responses.get(previous));
  if (previous !== undefined && before === undefined) {
    throw badRequest(
      `Previous response with id '${previous}' not found.`,
      'previous_response_id',
      'previous_response_not_found',
    );
  }
  refuseUnknownConversation(body);
  const conversation = readInput(body, before, stage);
  const { tools, custom, search } = readTools(body);
  const reasoning = readReasoning(body, model);
  const format = readFormat(body);
  const cap = body.optionalInteger('max_output_tokens', 16);
  const instructions = body.optionalString('instructions');
  const system = [instructions ?? '', conversation.system].filter((text) => text !== '').join('\n\n');
  const store = body.optionalBoolean('store') ?? true;
  body.strings('include');
  return {
    talk: {
      model,
      system,
      turns: conversation.turns,
      tools,
      choice: readChoice(body, tools),
      parallel: body.optionalBoolean('parallel_tool_calls') ?? true,
      format: format.wanted,
      thinks: reasoning.thinks,
      ...(cap !== undefined && { mostTokens: cap }),
      stop: [],
      search,
    },
    calls: conversation.calls,
    stream: body.optionalBoolean('stream') ?? false,
    store,
    summaries: reasoning.summary !== null,
    custom,
    echo: {
      instructions: instructions ?? null,
      max_output_tokens: cap ?? null,
      max_tool_calls: body.optionalInteger('max_tool_calls') ?? null,
      parallel_tool_calls: body.optionalBoolean('parallel_tool_calls') ?? true,
      presence_penalty: 0,
      frequency_penalty: 0,
      previous_response_id: previous ?? null,
      prompt_cache_key: body.optionalString('prompt_cache_key') ?? null,
      reasoning: { effort: reasoning.effort, summary: reasoning.summary },
      safety_identifier: body.optionalString('safety_identifier') ?? null,
      service_tier: 'default',
      store,
      temperature: body.optionalNumber('temperature', 0, 2) ?? 1,
      text: { format: format.echo, verbosity: body.optionalObject('text')?.optionalString('verbosity') ?? 'medium' },
      tool_choice: body.value['tool_choice'] ?? 'auto',
      tools: body
        .objects('tools')
        .map(({ value }) => (value['type'] === 'function' ? { description: null, strict: true, ...value } : value)),
      top_logprobs: body.optionalInteger('top_logprobs', 0, 20) ?? 0,
      top_p: body.optionalNumber('top_p', 0, 1) ?? 1,
      truncation: body.optionalOneOf('truncation', ['auto', 'disabled'] as const) ?? 'disabled',
      user: body.optionalString('user') ?? null,
      metadata: body.optionalObject('metadata')?.value ?? {},
    },
  };
}

/** Nobody makes conversations at the twin: a name of one is the name of nobody's. */
function refuseUnknownConversation(body: Reader): void {
  const { conversation } = body.value;
  const id = isJsonObject(conversation) ? conversation['id'] : conversation;
  if (typeof id === 'string') throw refuseAsOpenAi(404, { message: `Conversation with id '${id}' not found.` });
}

/** Nor containers: those that a tool makes for itself have no name. */
function refuseUnknownContainer(tool: Reader): void {
  const { container, environment } = tool.value;
  const id = isJsonObject(environment) ? environment['container_id'] : container;
  if (typeof id === 'string') throw refuseAsOpenAi(404, { message: `Container with id '${id}' not found.` });
}

function readTools(body: Reader): { tools: TalkTool[]; custom: Set<string>; search: boolean } {
  const tools: TalkTool[] = [];
  const custom = new Set<string>();
  let search = false;
  for (const tool of body.objects('tools')) {
    const type = tool.string('type');
    if (type === 'function' || type === 'custom') {
      // Chat-completions' nested form is the usual mistake.
      const name = tool.string('name');
      if (!TOOL_NAME.test(name)) tool.fail('name', 'letters, digits, _ and -, at most 64 of them');
      if (type === 'custom') custom.add(name);
      tools.push({ name, schema: type === 'custom' ? CUSTOM_SCHEMA : readParameters(tool, name) });
    } else if (HOSTED_TOOLS.test(type)) {
      search ||= type.startsWith('web_search');
      refuseUnknownContainer(tool);
    } else {
      tool.fail('type', 'a known kind of tool');
    }
  }
  return { tools, custom, search };
}

const CUSTOM_SCHEMA: JsonObject = { type: 'object', properties: { input: { type: 'string' } } };

function readParameters(tool: Reader, name: string): JsonObject {
  const at = `${bracketed(tool.path)}.parameters`;
  const { parameters } = tool.value;
  requireObjectSchema(parameters, at, name);
  if (!isJsonObject(parameters)) return {};
  if (tool.optionalBoolean('strict') === true) requireStrictSchema(parameters, at, name);
  return parameters;
}

function readChoice(body: Reader, tools: readonly TalkTool[]): Talk['choice'] {
  const choice = body.value['tool_choice'];
  if (choice === undefined || choice === null) return 'auto';
  if (typeof choice === 'string') return body.oneOf('tool_choice', ['none', 'auto', 'required'] as const);
  const named = body.object('tool_choice');
  const type = named.string('type');
  if (type === 'allowed_tools') {
    const names = named.objects('tools').map((tool) => tool.optionalString('name') ?? '');
    return named.oneOf('mode', ['auto', 'required'] as const) === 'required' ? names : 'auto';
  }
  if (type !== 'function' && type !== 'custom') return 'auto';
  const name = named.string('name');
  if (!tools.some((tool) => tool.name === name)) {
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice');
  }
  return [name];
}

function readFormat(body: Reader): { wanted: Talk['format']; echo: unknown } {
  const format = body.optionalObject('text')?.optionalObject('format');
  if (format === undefined) return { wanted: 'text', echo: { type: 'text' } };
  const type = format.oneOf('type', ['text', 'json_object', 'json_schema'] as const);
  if (type === 'text') return { wanted: 'text', echo: format.value };
  if (type === 'json_object') {
    if (!/json/i.test(JSON.stringify([body.value['input'], body.value['instructions']]))) {
      throw badRequest(
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        'input',
      );
    }
    return { wanted: 'json', echo: format.value };
  }
  const name = format.string('name');
  if (!TOOL_NAME.test(name)) format.fail('name', 'letters, digits, _ and -, at most 64 of them');
  const schema = format.object('schema').value;
  if (format.optionalBoolean('strict') === true) requireStrictSchema(schema, 'text.format.schema', name);
  return { wanted: { schema }, echo: format.value };
}

function readReasoning(
  body: Reader,
  model: string,
): { thinks: boolean; effort: string | null; summary: string | null } {
  const reasoning = body.optionalObject('reasoning');
  const effort = reasoning?.optionalOneOf('effort', EFFORTS);
  const summary = reasoning?.optionalOneOf('summary', ['auto', 'concise', 'detailed'] as const) ?? null;
  const always = /^o\d/.test(model) || /^gpt-5(-|$)/.test(model);
  const canReason = always || /^gpt-[5-9]/.test(model);
  if (!canReason && effort !== undefined) throw unsupported('reasoning.effort', model);
  const thinks = canReason && (effort === undefined ? always : effort !== 'none');
  for (const name of ['temperature', 'top_p'] as const) {
    const value = body.optionalNumber(name);
    if (thinks && value !== undefined && value !== 1) throw unsupported(name, model);
  }
  return { thinks, effort: effort ?? (thinks ? 'medium' : null), summary };
}

function unsupported(name: string, model: string): Error {
  return badRequest(
    `Unsupported parameter: '${name}' is not supported with this model (${model}).`,
    name,
    'unsupported_parameter',
  );
}

import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Reader } from '../core/reader.ts';
import { bracketed } from '../core/reader.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Talk, TalkTool, Turn } from '../chat/talk.ts';
import type { SpeechFormat } from '../media/spec.ts';
import { badRequest, refuseUnknownModel, type OpenAiError, requireImageUrl } from './errors.ts';
import { requireObjectSchema, requireStrictSchema, TOOL_NAME } from './schema-rules.ts';

/** How a vendor that speaks chat-completions differs from OpenAI. */
export interface ChatFlavour {
  /** Unknown fields are refused, and models that reason refuse sampling fields, as OpenAI does. */
  readonly strict: boolean;
  /** Reasoning text is shown as `reasoning_content`. */
  readonly showsReasoning: boolean;
  /** A streamed call comes in one piece. */
  readonly wholeCalls?: boolean;
  /** The vendor's own words for a refusal that OpenAI would put this way; default: OpenAI's. */
  readonly reword?: (status: number, error: OpenAiError) => unknown;
  /** Tokens that the server reads of a prompt: what is more is left out, and nobody is told. */
  readonly context?: number;
  /** What a vendor that looks through prompts and answers says of each. */
  readonly filters?: {
    readonly prompt: readonly unknown[];
    readonly answer: unknown;
    /** What it says of a prompt that it does not let through. */
    readonly refusal: () => Refusal;
  };
}

const FIELDS = new Set(
  (
    'model messages max_completion_tokens max_tokens temperature top_p presence_penalty frequency_penalty seed logit_bias ' +
    'logprobs top_logprobs n stop stream stream_options response_format tools tool_choice parallel_tool_calls functions ' +
    'function_call reasoning_effort verbosity modalities audio web_search_options prediction metadata service_tier store ' +
    'user safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention moderation'
  ).split(' '),
);
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export interface ChatOrder {
  readonly talk: Talk;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly choices: number;
  readonly logprobs: boolean;
  readonly audio: { readonly voice: string; readonly format: Exclude<SpeechFormat, 'pcm'> | 'pcm16' } | undefined;
  readonly tools: ReadonlyMap<string, 'function' | 'custom'>;
}

/** Reads a chat-completions request as strictly as the vendor does. */
export function readChat(body: Reader, given: ChatFlavour): ChatOrder {
  // It stands in for OpenAI's relatives, too, whose models reason by fields of their own.
  const said = body.value['model'];
  const isRelative = typeof said === 'string' && /^deepseek-(?:v\d|chat|reasoner)/.test(said);
  const flavour = isRelative ? { ...given, strict: false } : given;
  if (flavour.strict) body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const messages = body.array('messages');
  if (messages.length === 0) body.fail('messages', 'an array with at least one message');
  const stream = body.optionalBoolean('stream') ?? false;
  const options = body.optionalObject('stream_options');
  if (options !== undefined && !stream) {
    throw badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  checkNumbers(body);
  const thinks = checkReasoning(body, model, flavour);
  const { tools, kinds } = readTools(body);
  const conversation = readMessages(body, messages);
  const { format, choice } = { format: readFormat(body, messages), choice: readChoice(body, tools) };
  const stop = readStop(body);
  const mostTokens = body.optionalInteger('max_completion_tokens', 1) ?? body.optionalInteger('max_tokens', 1);
  const parallel = body.optionalBoolean('parallel_tool_calls');
  if (parallel !== undefined && tools.length === 0 && flavour.strict) {
    throw badRequest("'parallel_tool_calls' is only allowed when 'tools' are specified.", 'parallel_tool_calls');
  }
  return {
    talk: {
      model,
      ...conversation,
      tools,
      choice,
      parallel: parallel ?? true,
      format,
      thinks,
      ...(mostTokens !== undefined && { mostTokens }),
      stop,
      search: body.has('web_search_options') || /search/.test(model),
    },
    stream,
    includeUsage: options?.optionalBoolean('include_usage') ?? false,
    choices: body.optionalInteger('n', 1, 128) ?? 1,
    logprobs: body.optionalBoolean('logprobs') ?? false,
    audio: readAudio(body, stream),
    tools: kinds,
  };
}

function checkNumbers(body: Reader): void {
  body.optionalNumber('temperature', 0, 2);
  body.optionalNumber('top_p', 0, 1);
  body.optionalNumber('presence_penalty', -2, 2);
  body.optionalNumber('frequency_penalty', -2, 2);
  body.optionalInteger('seed');
  if (body.optionalInteger('top_logprobs', 0, 20) !== undefined && body.value['logprobs'] !== true) {
    throw badRequest("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", 'top_logprobs');
  }
  const metadata = body.optionalObject('metadata');
  for (const name of Object.keys(metadata?.value ?? {})) metadata?.optionalString(name, 512);
}

/** Whether the model reasons in this request; models that do refuse what steers plain sampling. */
function checkReasoning(body: Reader, model: string, flavour: ChatFlavour): boolean {
  const effort = body.optionalOneOf('reasoning_effort', EFFORTS);
  if (!flavour.strict) return effort === undefined ? body.value['enable_thinking'] === true : effort !== 'none';
  const alwaysReasons = /^o\d/.test(model) || /^gpt-5(-|$)/.test(model);
  const canReason = alwaysReasons || /^gpt-[5-9]/.test(model);
  if (!canReason) {
    if (effort === undefined) return false;
    throw unsupported('reasoning_effort', model);
  }
  if (body.has('max_tokens')) throw unsupported('max_tokens', model, "Use 'max_completion_tokens' instead.");
  const reasons = effort === undefined ? alwaysReasons : effort !== 'none';
  if (reasons) {
    for (const name of ['temperature', 'top_p'] as const) {
      const value = body.optionalNumber(name);
      if (value !== undefined && value !== 1)
        throw unsupported(name, model, 'Only the default (1) value is supported.');
    }
    for (const name of ['presence_penalty', 'frequency_penalty', 'logprobs', 'logit_bias'] as const) {
      const value = body.value[name];
      if (body.has(name) && value !== 0 && value !== false) throw unsupported(name, model);
    }
    if (/^o\d/.test(model) && body.has('stop')) throw unsupported('stop', model);
  }
  return reasons;
}

function unsupported(name: string, model: string, more = ''): Error {
  const message = `Unsupported parameter: '${name}' is not supported with this model (${model}). ${more}`.trim();
  return badRequest(message, name, 'unsupported_parameter');
}

function readTools(body: Reader): { tools: TalkTool[]; kinds: Map<string, 'function' | 'custom'> } {
  const kinds = new Map<string, 'function' | 'custom'>();
  const tools = body.objects('tools').map((tool) => {
    const type = tool.oneOf('type', ['function', 'custom'] as const);
    const inner = tool.object(type);
    const name = inner.string('name');
    const at = bracketed(inner.path);
    if (!TOOL_NAME.test(name)) inner.fail('name', 'letters, digits, _ and -, at most 64 of them');
    kinds.set(name, type);
    if (type === 'custom') return { name, schema: { type: 'object', properties: { input: { type: 'string' } } } };
    const parameters = inner.value['parameters'];
    requireObjectSchema(parameters, `${at}.parameters`, name);
    const schema: JsonObject = isJsonObject(parameters) ? parameters : {};
    if (inner.optionalBoolean('strict') === true) requireStrictSchema(schema, `${at}.parameters`, name);
    return { name, schema };
  });
  if (body.has('tools') && tools.length === 0) body.fail('tools', 'an array with at least one tool');
  return { tools, kinds };
}

function readChoice(body: Reader, tools: readonly TalkTool[]): Talk['choice'] {
  const choice = body.value['tool_choice'];
  if (choice === undefined || choice === null) return 'auto';
  if (tools.length === 0) throw badRequest("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  if (typeof choice === 'string') return body.oneOf('tool_choice', ['none', 'auto', 'required'] as const);
  const named = body.object('tool_choice');
  const type = named.oneOf('type', ['function', 'custom', 'allowed_tools'] as const);
  if (type === 'allowed_tools') {
    const allowed = named.object('allowed_tools');
    const names = allowed.objects('tools').map((tool) => tool.object(tool.string('type')).string('name'));
    return allowed.oneOf('mode', ['auto', 'required'] as const) === 'required' ? names : 'auto';
  }
  const name = named.object(type).string('name');
  if (!tools.some((tool) => tool.name === name)) {
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice');
  }
  return [name];
}

function readFormat(body: Reader, messages: readonly unknown[]): Talk['format'] {
  const format = body.optionalObject('response_format');
  if (format === undefined) return 'text';
  const type = format.oneOf('type', ['text', 'json_object', 'json_schema'] as const);
  if (type === 'text') return 'text';
  if (type === 'json_object') {
    if (!/json/i.test(JSON.stringify(messages))) {
      const message =
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
      throw badRequest(message, 'messages');
    }
    return 'json';
  }
  const wanted = format.object('json_schema');
  if (!TOOL_NAME.test(wanted.string('name'))) wanted.fail('name', 'letters, digits, _ and -, at most 64 of them');
  const schema = wanted.optionalObject('schema')?.value ?? {};
  if (wanted.optionalBoolean('strict') === true) {
    requireStrictSchema(schema, 'response_format', wanted.string('name'));
  }
  return { schema };
}

function readStop(body: Reader): string[] {
  if (typeof body.value['stop'] === 'string') return [body.value['stop']];
  const stop = body.strings('stop');
  if (stop.length > 4) body.fail('stop', 'at most 4 stop texts');
  return stop;
}

function readAudio(body: Reader, stream: boolean): ChatOrder['audio'] {
  const wanted = body.strings('modalities').includes('audio');
  const audio = body.optionalObject('audio');
  if (!wanted) return undefined;
  if (audio === undefined) return body.fail('audio', 'an object, since audio output is asked for', 'missing');
  const format = audio.oneOf('format', ['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'] as const);
  if (stream && format !== 'pcm16') {
    throw badRequest(
      `'audio.format' must be 'pcm16' when streaming, not '${format}'.`,
      'audio.format',
      'unsupported_value',
    );
  }
  const voice = audio.value['voice'];
  return { voice: typeof voice === 'string' ? voice : audio.object('voice').string('id'), format };
}

function readMessages(body: Reader, messages: readonly unknown[]): { system: string; turns: Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  /** Calls of the last assistant message that still wait for their result, by id. */
  let open = new Map<string, string>();
  messages.forEach((item, index) => {
    const message = body.item('messages', item, index);
    const role = message.oneOf('role', ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const);
    if (role !== 'tool' && open.size > 0) throw unanswered(open, index);
    switch (role) {
      case 'developer':
      case 'system':
        system.push(readContent(message, ['text']).text);
        break;
      case 'user':
        turns.push({
          role: 'user',
          results: [],
          ...readContent(message, ['text', 'image_url', 'input_audio', 'file', 'video_url']),
        });
        break;
      case 'assistant':
        open = readCalls(message);
        turns.push({ role: 'assistant', results: [], ...readAssistant(message, open.size > 0) });
        break;
      case 'tool':
        turns.push(readResult(message, open, turns.at(-1)));
        break;
      case 'function':
        turns.push({ role: 'user', text: message.string('content'), images: 0, documents: 0, audios: 0, results: [] });
        break;
    }
  });
  if (open.size > 0) throw unanswered(open, messages.length);
  return { system: system.join('\n\n'), turns: joinResults(turns) };
}

function unanswered(open: ReadonlyMap<string, string>, index: number): Error {
  const ids = [...open.keys()].join(', ');
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${ids}`;
  return badRequest(message, `messages[${index}].role`);
}

function readCalls(message: Reader): Map<string, string> {
  const open = new Map<string, string>();
  for (const call of message.objects('tool_calls')) {
    const type = call.oneOf('type', ['function', 'custom'] as const);
    const inner = call.object(type);
    if (type === 'function' && inner.optionalString('arguments') === undefined)
      inner.fail('arguments', 'a string', 'missing');
    const id = call.string('id', 64);
    if (open.has(id)) call.fail('id', 'an id of its own for every call');
    open.set(id, inner.string('name'));
  }
  return open;
}

function readAssistant(message: Reader, calls: boolean): Pick<Turn, 'text' | 'images' | 'documents' | 'audios'> {
  if (message.has('content')) return readContent(message, ['text', 'refusal']);
  const mayBeSilent = calls || message.has('audio') || message.has('refusal') || message.has('function_call');
  if (!mayBeSilent) message.fail('content', 'a string, since there are no tool calls');
  return { text: '', images: 0, documents: 0, audios: 0 };
}

function readResult(message: Reader, open: Map<string, string>, before: Turn | undefined): Turn {
  const id = message.string('tool_call_id');
  const name = open.get(id);
  if (name === undefined) {
    const at = bracketed(message.path);
    const about =
      before === undefined || (before.role === 'user' && before.results.length === 0)
        ? "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        : `'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
    throw badRequest(`Invalid parameter: ${about}`, `${at}.tool_call_id`);
  }
  open.delete(id);
  const { text } = readContent(message, ['text']);
  return { role: 'user', text: '', images: 0, documents: 0, audios: 0, results: [{ name, text, isError: false }] };
}

/** Results of one round stand together. */
function joinResults(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    if (turn.results.length > 0 && before !== undefined && before.results.length > 0) {
      joined[joined.length - 1] = { ...before, results: [...before.results, ...turn.results] };
    } else {
      joined.push(turn);
    }
  }
  return joined;
}

type PartType = 'text' | 'refusal' | 'image_url' | 'input_audio' | 'file' | 'video_url';

function readContent(
  message: Reader,
  types: readonly PartType[],
): Pick<Turn, 'text' | 'images' | 'documents' | 'audios'> {
  const content = message.value['content'];
  if (typeof content === 'string') return { text: content, images: 0, documents: 0, audios: 0 };
  if (content === undefined || content === null) message.fail('content', 'a string or an array', 'missing');
  if (!Array.isArray(content)) message.fail('content', 'a string or an array', 'type');
  if (content.length === 0) message.fail('content', 'an array with at least one part');
  const found = { text: [] as string[], images: 0, documents: 0, audios: 0 };
  for (const part of message.objects('content')) {
    const type = part.oneOf('type', types);
    const at = bracketed(part.path);
    if (type === 'text' || type === 'refusal') {
      found.text.push(part.optionalString(type) ?? part.fail(type, 'a string', 'missing'));
    } else if (type === 'image_url') {
      const image = part.object('image_url');
      requireImageUrl(image.string('url'), `${at}.image_url.url`);
      image.optionalOneOf('detail', ['auto', 'low', 'high', 'original'] as const);
      found.images += 1;
    } else if (type === 'input_audio') {
      part.object('input_audio').string('data');
      part.object('input_audio').oneOf('format', ['wav', 'mp3'] as const);
      found.audios += 1;
    } else if (type === 'file') {
      const file = part.object('file');
      if (!file.has('file_id') && !file.has('file_data')) file.fail('file_id', 'file_id or file_data', 'missing');
      if (file.has('file_data') && !file.has('filename')) file.fail('filename', 'a string', 'missing');
      found.documents += 1;
    } else {
      part.object('video_url').string('url');
      found.documents += 1;
    }
  }
  return { ...found, text: found.text.join('\n') };
}

/** Chat on Ollama's own wire, asked in OpenAI's form (docs/wire/local-servers.md#ollama). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { defined, readDataUrl, type ChatAdapter } from '@model-gateway/provider-kit';
import { OllamaAnswer, sseOf, toCompletion } from './reply.ts';

/** Members that Ollama has beside `options`; any that is not OpenAI's goes out as it came, too. */
const OPENAI_ONLY = new Set(
  (
    'messages stream_options max_tokens max_completion_tokens temperature top_p presence_penalty frequency_penalty seed stop n ' +
    'response_format tools tool_choice parallel_tool_calls functions function_call reasoning_effort reasoning logit_bias verbosity ' +
    'modalities audio web_search_options prediction metadata service_tier store user safety_identifier prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention moderation stream model options'
  ).split(' '),
);
/** What callers may write at the top of a body and Ollama has among its options. */
const OPTIONS = [
  'num_ctx',
  'num_predict',
  'num_keep',
  'num_batch',
  'num_gpu',
  'main_gpu',
  'use_mmap',
  'num_thread',
  'draft_num_predict',
  'top_k',
  'min_p',
  'typical_p',
  'repeat_last_n',
  'repeat_penalty',
] as const;
/** Members of OpenAI's form that are options of the same name. */
const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed'] as const;
/** OpenAI's efforts beyond the ends of Ollama's scale. */
const EFFORTS: Readonly<Record<string, Json>> = { none: false, minimal: 'low', xhigh: 'max', ultra: 'max' };
const TEXT_PARTS = new Set(['text', 'refusal']);

export const chat: ChatAdapter = {
  dialects: ['openai-chat'],
  request({ dialect, body, model, stream }) {
    if (dialect !== 'openai-chat') throw new GatewayError('internal', `this vendor does not speak ${dialect}`);
    const given = JSON.parse(Buffer.from(body).toString('utf8')) as JsonObject;
    const options = given['stream_options'];
    const showsUsage = isJsonObject(options) && options['include_usage'] === true;
    return {
      method: 'POST',
      path: '/api/chat',
      json: toOllama(given, model, stream),
      answer: {
        whole: (reply) => {
          const json = toCompletion(reply.json, model);
          return { ...reply, json, body: Buffer.from(JSON.stringify(json)) };
        },
        stream: (raw) => sseOf(raw, new OllamaAnswer(model, showsUsage)),
      },
    };
  },
};

/** The body of `POST /api/chat`. Throws `invalid_request` for what Ollama has no place for. Pure. */
export function toOllama(given: JsonObject, model: string, stream: boolean): JsonObject {
  if (typeof given['n'] === 'number' && given['n'] > 1)
    throw unfit('n', 'Ollama gives one answer to a request; leave n out');
  const optionNames = new Set<string>(OPTIONS);
  const own = Object.entries(given).filter(([name]) => !OPENAI_ONLY.has(name) && !optionNames.has(name));
  const options = optionsOf(given);
  return {
    // A prompt that does not fit is refused, and an answer that does not fit ends, where Ollama would forget the beginning of the conversation.
    truncate: false,
    shift: false,
    ...Object.fromEntries(own),
    model,
    messages: messagesOf(given['messages']),
    stream,
    ...(Object.keys(options).length > 0 && { options }),
    ...defined({
      tools: toolsOf(given),
      format: given['format'] ?? formatOf(given),
      think: given['think'] ?? thinkOf(given),
    }),
  };
}

function optionsOf(given: JsonObject): JsonObject {
  const named = (names: readonly string[]): Record<string, Json | undefined> =>
    Object.fromEntries(names.map((name) => [name, given[name] ?? undefined]));
  const { stop } = given;
  const own = given['options'];
  return {
    ...defined({
      ...named(SAMPLING),
      ...named(OPTIONS),
      num_predict: given['num_predict'] ?? given['max_completion_tokens'] ?? given['max_tokens'] ?? undefined,
      stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    }),
    ...(isJsonObject(own) && own),
  };
}

function formatOf({ response_format: format }: JsonObject): Json | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format['type'] === 'json_object') return 'json';
  const schema = isJsonObject(format['json_schema']) ? format['json_schema']['schema'] : undefined;
  return format['type'] === 'json_schema' ? (schema ?? 'json') : undefined;
}

function thinkOf({ reasoning, reasoning_effort: said }: JsonObject): Json | undefined {
  const effort = said ?? (isJsonObject(reasoning) ? reasoning['effort'] : undefined);
  return typeof effort === 'string' ? (EFFORTS[effort] ?? effort) : undefined;
}

/** Ollama cannot be told to call a tool; what must not be called is not shown. */
function toolsOf({ tools, tool_choice: choice }: JsonObject): JsonObject[] | undefined {
  if (!Array.isArray(tools) || tools.length === 0 || choice === 'none') return undefined;
  return tools.map((tool, index) => {
    const called = isJsonObject(tool) ? tool['function'] : undefined;
    if (!isJsonObject(called)) throw unfit(`tools[${index}].type`, 'Ollama has function tools alone');
    const { strict: _strict, parameters, ...rest } = called;
    return { type: 'function', function: { ...rest, parameters: parameters ?? { type: 'object', properties: {} } } };
  });
}

function messagesOf(given: Json | undefined): JsonObject[] {
  /** Names of the functions that were called, by the ids of the calls. */
  const called = new Map<string, string>();
  return (Array.isArray(given) ? given : []).map((message, index) => {
    const place = `messages[${index}]`;
    if (!isJsonObject(message)) throw unfit(place, 'expected an object');
    const { role, tool_call_id: id } = message;
    const said = contentOf(message['content'], `${place}.content`);
    if (role === 'tool' || role === 'function') {
      const name = message['name'] ?? (typeof id === 'string' ? called.get(id) : undefined);
      return { role: 'tool', ...said, ...defined({ tool_name: name, tool_call_id: id }) };
    }
    if (role !== 'assistant') return { role: role === 'developer' ? 'system' : (role ?? 'user'), ...said };
    const thinking = message['reasoning_content'] ?? message['reasoning'];
    return {
      role,
      ...said,
      ...(typeof thinking === 'string' && thinking !== '' && { thinking }),
      ...defined({ tool_calls: callsOf(message['tool_calls'], `${place}.tool_calls`, called) }),
    };
  });
}

function callsOf(given: Json | undefined, place: string, called: Map<string, string>): JsonObject[] | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined;
  return given.map((call, index) => {
    const { id, function: made } = isJsonObject(call) ? call : {};
    if (!isJsonObject(made)) throw unfit(`${place}[${index}].type`, 'Ollama has function tools alone');
    const name = wordOf(made['name']);
    if (typeof id === 'string') called.set(id, name);
    return {
      ...defined({ id }),
      function: { index, name, arguments: argumentsOf(made['arguments'], `${place}[${index}]`) },
    };
  });
}

function argumentsOf(given: Json | undefined, place: string): JsonObject {
  if (given === undefined || given === '') return {};
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  throw unfit(`${place}.function.arguments`, 'expected the text of a JSON object');
}

/** The words of a message, one part a line, and its pictures and recordings, which Ollama takes in one list. */
function contentOf(content: Json | undefined, place: string): { content: string; images?: string[] } {
  if (!Array.isArray(content)) return { content: typeof content === 'string' ? content : '' };
  const texts: string[] = [];
  const images: string[] = [];
  content.forEach((part, index) => {
    const { type, image_url: image, input_audio: audio, ...rest } = isJsonObject(part) ? part : {};
    const at = `${place}[${index}]`;
    if (typeof type === 'string' && TEXT_PARTS.has(type)) texts.push(wordOf(rest[type]));
    else if (type === 'image_url')
      images.push(pictureOf(isJsonObject(image) ? image['url'] : image, `${at}.image_url.url`));
    else if (type === 'input_audio' && isJsonObject(audio)) images.push(wordOf(audio['data']));
    else throw unfit(at, 'Ollama takes texts, pictures and recordings');
  });
  return { content: texts.join('\n'), ...(images.length > 0 && { images }) };
}

function pictureOf(url: Json | undefined, place: string): string {
  const embedded = typeof url === 'string' ? readDataUrl(url, place) : undefined;
  if (embedded === undefined) throw unfit(place, 'Ollama takes pictures as data: addresses alone');
  return embedded.base64;
}

function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function unfit(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { param });
}

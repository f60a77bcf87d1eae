import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { plainTurn, type Talk, type TalkTool, type ToolResult, type Turn } from '../chat/talk.ts';
import type { Reader } from '../core/reader.ts';
import { refuseAsOllama } from './errors.ts';
import { modelNamed, USUAL_CONTEXT, type TwinModel } from './models.ts';

const INTEGERS = new Set(
  'num_ctx num_batch num_gpu main_gpu num_thread draft_num_predict num_keep seed num_predict top_k repeat_last_n'.split(
    ' ',
  ),
);
const LEVELS: ReadonlySet<unknown> = new Set(['high', 'medium', 'low', 'max']);
const FLOATS = new Set(
  'top_p min_p typical_p temperature repeat_penalty presence_penalty frequency_penalty'.split(' '),
);

export interface ChatOrder {
  readonly talk: Talk;
  readonly stream: boolean;
  readonly logprobs: boolean;
  /** Tokens that prompt and answer have together. */
  readonly context: number;
  /** Whether the oldest messages are left out where the prompt does not fit. */
  readonly truncates: boolean;
}

/** Reads `POST /api/chat` as strictly as Ollama does: unknown members and options are passed over, others must be of their type. */
export function readChat(body: Reader): ChatOrder {
  const name = body.string('model');
  const model = modelNamed(name);
  const tools = toolsOf(body, model);
  const talk = { ...conversationOf(body), model: name, tools, choice: 'auto', parallel: true, search: false } as const;
  if (!model.capabilities.includes('completion'))
    throw refuseAsOllama(400, { message: `"${name}" does not support chat` });
  const options = optionsOf(body);
  const most = options['num_predict'];
  const topLogprobs = body.optionalInteger('top_logprobs');
  if (topLogprobs !== undefined && (topLogprobs < 0 || topLogprobs > 20))
    throw refuseAsOllama(400, { message: 'top_logprobs must be between 0 and 20' });
  keepAlive(body);
  body.optionalBoolean('shift');
  return {
    talk: {
      ...talk,
      format: formatOf(body),
      thinks: thinks(body, model),
      ...(typeof most === 'number' && most >= 0 && { mostTokens: most }),
      stop: Array.isArray(options['stop']) ? options['stop'].map(String) : [],
    },
    stream: body.optionalBoolean('stream') ?? true,
    logprobs: body.optionalBoolean('logprobs') ?? false,
    context: Math.min(typeof options['num_ctx'] === 'number' ? options['num_ctx'] : USUAL_CONTEXT, model.context),
    truncates: body.optionalBoolean('truncate') ?? true,
  };
}

function optionsOf(body: Reader): JsonObject {
  const options = body.optionalObject('options')?.value ?? {};
  for (const [name, value] of Object.entries(options)) {
    const wrong = (type: string): Error => refuseAsOllama(400, { message: `option "${name}" must be of type ${type}` });
    if (INTEGERS.has(name) && typeof value !== 'number') throw wrong('integer');
    if (FLOATS.has(name) && typeof value !== 'number') throw wrong('float32');
    if (name === 'stop' && !Array.isArray(value)) throw wrong('array');
  }
  return options;
}

function keepAlive(body: Reader): void {
  const value = body.value['keep_alive'];
  if (value === undefined || value === null || typeof value === 'number') return;
  if (typeof value === 'string' && /^-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+$/.test(value)) return;
  const message =
    typeof value === 'string'
      ? `time: invalid duration ${JSON.stringify(value)}`
      : `Unsupported type: '${typeof value}'`;
  throw refuseAsOllama(400, { message });
}

function formatOf(body: Reader): Talk['format'] {
  const format: Json | undefined = body.value['format'];
  if (format === undefined || format === null || format === '') return 'text';
  if (format === 'json') return 'json';
  if (isJsonObject(format)) return { schema: format };
  throw refuseAsOllama(400, {
    message: `invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`,
  });
}

function thinks(body: Reader, { capabilities, name }: TwinModel): boolean {
  const think = body.value['think'];
  const canThink = capabilities.includes('thinking');
  if (think === undefined || think === null) return canThink;
  if (typeof think !== 'boolean' && !LEVELS.has(think)) {
    const message = `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", "max", true, or false)`;
    throw refuseAsOllama(400, { message });
  }
  if (think !== false && !canThink) throw refuseAsOllama(400, { message: `"${name}" does not support thinking` });
  return think !== false;
}

function toolsOf(body: Reader, { capabilities, name }: TwinModel): TalkTool[] {
  const tools = body.objects('tools').map((tool) => {
    const called = tool.object('function');
    return { name: called.string('name'), schema: called.optionalObject('parameters')?.value ?? {} };
  });
  if (tools.length > 0 && !capabilities.includes('tools'))
    throw refuseAsOllama(400, { message: `registry.ollama.ai/library/${name} does not support tools` });
  return tools;
}

function conversationOf(body: Reader): Pick<Talk, 'system' | 'turns'> {
  const system: string[] = [];
  const turns: Turn[] = [];
  for (const message of body.objects('messages')) {
    const role = message.string('role').toLowerCase();
    const text = message.optionalString('content') ?? '';
    const images = picturesIn(message);
    message.optionalString('thinking');
    for (const call of message.objects('tool_calls')) {
      const called = call.object('function');
      called.string('name');
      // Go: cannot unmarshal string into … ToolCallFunctionArguments.
      called.object('arguments');
    }
    if (role === 'system') system.push(text);
    else if (role === 'tool')
      addResult(turns, { name: message.optionalString('tool_name') ?? 'tool', text, isError: false });
    else turns.push({ ...plainTurn(role === 'assistant' ? 'assistant' : 'user', text), images });
  }
  return { system: system.join('\n\n'), turns };
}

function picturesIn(message: Reader): number {
  const images = message.strings('images');
  for (const image of images) {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(image) || image.length % 4 !== 0)
      throw refuseAsOllama(400, { message: 'illegal base64 data at input byte 0' });
  }
  return images.length;
}

/** Results of one round stand together. */
function addResult(turns: Turn[], result: ToolResult): void {
  const before = turns.at(-1);
  if (before !== undefined && before.results.length > 0)
    turns[turns.length - 1] = { ...before, results: [...before.results, result] };
  else turns.push({ ...plainTurn('user', ''), results: [result] });
}

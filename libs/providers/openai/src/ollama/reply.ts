/** Ollama's answers, whole and as lines of JSON, read as OpenAI's (docs/wire/local-servers.md#ollama-answers). */
import { randomUUID } from 'node:crypto';
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { defined, listAt, malformedReply, numberAt, objectAt, textAt } from '@model-gateway/provider-kit';

/** No server writes a longer line: a line is one piece of an answer. */
const LARGEST_LINE = 32 * 1024 * 1024;
const DONE = 'data: [DONE]\n\n';

/** The answer as a chat completion. Throws `upstream_malformed` where it is none. Pure but for ids. */
export function toCompletion(json: Json | undefined, model: string): JsonObject {
  const message = objectAt(json, 'message');
  if (message === undefined || !isJsonObject(json)) throw malformedReply('it has no message');
  const { content, tool_calls: made, ...rest } = saidIn(message, 0);
  const calls = Array.isArray(made) ? made.map(withoutIndex) : undefined;
  const usage = usageIn(json);
  return {
    ...headOf(json, model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content ?? (calls === undefined ? '' : null),
          ...rest,
          ...defined({ tool_calls: calls }),
        },
        ...logprobsIn(json),
        finish_reason: finishOf(json, calls !== undefined),
      },
    ],
    ...(usage !== undefined && { usage }),
  };
}

/** Calls are numbered in streams alone. */
function withoutIndex(call: Json): Json {
  if (!isJsonObject(call)) return call;
  const { index: _index, ...rest } = call;
  return rest;
}

/** The events of one streamed answer. */
export class OllamaAnswer {
  readonly #model: string;
  readonly #showsUsage: boolean;
  readonly #id = newId();
  #calls = 0;
  #hasBegun = false;

  constructor(model: string, showsUsage: boolean) {
    this.#model = model;
    this.#showsUsage = showsUsage;
  }

  /** One line of the answer as server-sent events; an error in the middle is OpenAI's error event. */
  eventsOf(line: JsonObject): string {
    const { error } = line;
    if (error !== undefined) return event({ error: isJsonObject(error) ? error : { message: error } });
    const head = { ...headOf(line, this.#model, 'chat.completion.chunk'), id: this.#id };
    const said = saidIn(objectAt(line, 'message') ?? {}, this.#calls);
    const delta: JsonObject = { ...(!this.#hasBegun && { role: 'assistant', content: '' }), ...said };
    const calls = said['tool_calls'];
    if (Array.isArray(calls)) this.#calls += calls.length;
    this.#hasBegun = true;
    const chunk = (choice: JsonObject): string =>
      event({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }] });
    const spoken = Object.keys(delta).length === 0 ? '' : chunk({ delta, ...logprobsIn(line) });
    if (line['done'] !== true) return spoken;
    const finish = chunk({ delta: {}, finish_reason: finishOf(line, this.#calls > 0) });
    const usage = this.#showsUsage ? usageIn(line) : undefined;
    const counted = usage === undefined ? '' : event({ ...head, choices: [], usage });
    return spoken + finish + counted + DONE;
  }
}

/** The stream as server-sent events. Closing it closes the vendor's, which stops the model. */
export function sseOf(source: Readable, answer: OllamaAnswer): Readable {
  const events = new EventsOfLines(answer);
  // What goes wrong is told by the events themselves.
  pipeline(source, events, () => undefined);
  return events;
}

class EventsOfLines extends Transform {
  readonly #answer: OllamaAnswer;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(answer: OllamaAnswer) {
    super();
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    try {
      let text = '';
      let from = 0;
      for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
        text += this.#read(chunk.subarray(from, end));
        from = end + 1;
      }
      this.#keep(chunk.subarray(from));
      done(null, text === '' ? undefined : Buffer.from(text));
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      const text = this.#read(Buffer.alloc(0));
      done(null, text === '' ? undefined : Buffer.from(text));
    } catch (error) {
      done(error as Error);
    }
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > LARGEST_LINE) throw malformedReply('a line of it has no end');
    this.#pieces.push(piece);
  }

  #read(last: Buffer): string {
    this.#keep(last);
    const line = Buffer.concat(this.#pieces).toString('utf8').trim();
    this.#pieces = [];
    this.#size = 0;
    return line === '' ? '' : this.#answer.eventsOf(parsed(line));
  }
}

function parsed(line: string): JsonObject {
  try {
    const json: unknown = JSON.parse(line);
    if (isJsonObject(json)) return json;
  } catch {
    // Told below.
  }
  throw malformedReply('a line of it is no JSON object');
}

function event(json: JsonObject): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}

function newId(): string {
  return `chatcmpl-${randomUUID()}`;
}

function headOf(json: JsonObject, model: string, object: string): JsonObject {
  const made = Date.parse(textAt(json, 'created_at') ?? '');
  return {
    id: newId(),
    object,
    created: Number.isNaN(made) ? 0 : Math.floor(made / 1000),
    model: textAt(json, 'model') ?? model,
  };
}

/** What a message has to say, in OpenAI's words; `calls` is how many there were before. */
function saidIn(message: JsonObject, calls: number): JsonObject {
  const text = textAt(message, 'content') ?? '';
  const thinking = textAt(message, 'thinking') ?? '';
  const made = listAt(message, 'tool_calls').map((call, index) => ({
    index: calls + index,
    // Servers before 0.12 give none.
    id: textAt(call, 'id') ?? `call_${randomUUID()}`,
    type: 'function',
    function: {
      name: textAt(call, 'function', 'name') ?? '',
      arguments: JSON.stringify(objectAt(call, 'function', 'arguments') ?? {}),
    },
  }));
  return {
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(text !== '' && { content: text }),
    ...(made.length > 0 && { tool_calls: made }),
  };
}

function finishOf(json: JsonObject, hasCalls: boolean): string {
  if (json['done_reason'] === 'length') return 'length';
  return hasCalls ? 'tool_calls' : 'stop';
}

/** Undefined where the server counted nothing. */
function usageIn(json: JsonObject): JsonObject | undefined {
  const input = numberAt(json, 'prompt_eval_count');
  const output = numberAt(json, 'eval_count');
  if (input === undefined && output === undefined) return undefined;
  return { prompt_tokens: input ?? 0, completion_tokens: output ?? 0, total_tokens: (input ?? 0) + (output ?? 0) };
}

function logprobsIn(json: JsonObject): JsonObject {
  const content = listAt(json, 'logprobs');
  return content.length === 0 ? {} : { logprobs: defined({ content: [...content] }) };
}

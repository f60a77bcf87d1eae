import type { Exchange } from '../core/exchange.ts';
import { unixSeconds } from '../core/values.ts';
import type { Markers } from '../core/markers.ts';
import { Refusal } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, jsonPieces, pieces } from '../chat/answers.ts';
import { lastWords, type Answer, type ToolUse, cachedTokens } from '../chat/talk.ts';
import { SPEECH_RATE } from '../media/speech.ts';
import { readChat, type ChatFlavour, type ChatOrder } from './chat-request.ts';
import { refuseMissingFile } from './batches.ts';
import { complainAsOpenAi, openAiError, type OpenAiError, standardHeaders } from './errors.ts';

/** `POST /chat/completions`, plain and streamed, for OpenAI and for everyone who speaks its dialect. */
export function chatRoute(path: string, flavour: ChatFlavour): Route {
  return { method: 'POST', path, operation: 'chat', handle: async (exchange) => chat(exchange, flavour) };
}

async function chat(exchange: Exchange, flavour: ChatFlavour): Promise<void> {
  const order = readInOwnWords(exchange, flavour);
  const markers = await exchange.obey(lastWords(order.talk));
  const { filters } = flavour;
  if (filters !== undefined && exchange.fate(markers) === 'moderation') throw filters.refusal();
  const answer = answerTo(order.talk, markers);
  const reply = new ChatReply(exchange, order, { answer, markers, flavour });
  if (order.stream) await reply.stream();
  else await reply.whole();
}

function readInOwnWords(exchange: Exchange, flavour: ChatFlavour): ChatOrder {
  const body = exchange.json(complainAsOpenAi);
  refuseMissingFile(exchange, body.value['messages']);
  try {
    return readChat(body, flavour);
  } catch (error) {
    if (!(error instanceof Refusal) || flavour.reword === undefined) throw error;
    const { error: inner } = error.body as { readonly error: OpenAiError };
    throw new Refusal(error.status, flavour.reword(error.status, inner), error.headers);
  }
}

const FINISH = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  tools: 'tool_calls',
  refusal: 'stop',
} as const;

interface ReplyParts {
  readonly answer: Answer;
  readonly markers: Markers;
  readonly flavour: ChatFlavour;
}

/** One answer on its way out. */
class ChatReply {
  readonly #exchange: Exchange;
  readonly #order: ChatOrder;
  readonly #answer: Answer;
  readonly #flavour: ChatFlavour;
  readonly #cached: number;
  readonly #id: string;
  readonly #created: number;

  constructor(exchange: Exchange, order: ChatOrder, { answer, markers, flavour }: ReplyParts) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answer = answer;
    this.#flavour = flavour;
    this.#cached = cachedTokens(exchange.stage, order.talk, answer.tokens.input, markers);
    this.#id = exchange.stage.newId('chatcmpl-');
    this.#created = unixSeconds(exchange.stage.now());
  }

  async whole(): Promise<void> {
    const message = await this.#message();
    const { talk, choices } = this.#order;
    const body = {
      id: this.#id,
      object: 'chat.completion',
      created: this.#created,
      model: talk.model,
      choices: Array.from({ length: choices }, (_, index) => ({
        index,
        message,
        logprobs: this.#order.logprobs ? logprobsOf(pieces(this.#answer.text)) : null,
        finish_reason: FINISH[this.#answer.finish],
        ...(this.#flavour.filters !== undefined && { content_filter_results: this.#flavour.filters.answer }),
      })),
      ...(this.#flavour.filters !== undefined && { prompt_filter_results: this.#flavour.filters.prompt }),
      usage: this.#usage(),
      service_tier: 'default',
      system_fingerprint: 'fp_twin',
    };
    this.#record(1, false);
    this.#exchange.reply(200, body, standardHeaders(this.#exchange));
  }

  async stream(): Promise<void> {
    const headers = { ...standardHeaders(this.#exchange), 'content-type': 'text/event-stream; charset=utf-8' };
    const failure = openAiError(500);
    const body = this.#flavour.reword?.(500, failure) ?? { error: failure };
    const events = this.#exchange.events(headers, `data: ${JSON.stringify(body)}\n\n`);
    const deltas = this.#deltas(await this.#sound());
    if (this.#flavour.filters !== undefined) await events.send(this.#promptEvent(this.#flavour.filters.prompt));
    let sent = 0;
    for (const { delta, logprobs } of deltas) {
      for (let index = 0; index < this.#order.choices; index += 1) {
        if (!(await events.send(this.#chunk(index, delta, 'null', logprobs))))
          return this.#record(sent / deltas.length, true);
      }
      sent += 1;
    }
    const finish = `"${FINISH[this.#answer.finish]}"`;
    for (let index = 0; index < this.#order.choices; index += 1) await events.send(this.#chunk(index, '{}', finish));
    if (this.#order.includeUsage) {
      await events.send(`data: ${this.#head()},"choices":[],"usage":${JSON.stringify(this.#usage())}}\n\n`);
    }
    // Before the last word: a client that has heard it may look at the ledger at once.
    this.#record(1, !events.open);
    await events.send('data: [DONE]\n\n');
    events.end();
  }

  /** The deltas of one choice, as JSON. */
  #deltas(sound: Buffer | undefined): { readonly delta: string; readonly logprobs?: string }[] {
    const { text, thinking, calls, finish } = this.#answer;
    const deltas: { delta: string; logprobs?: string }[] = [
      {
        delta: `{"role":"assistant","content":${calls.length > 0 || sound !== undefined ? 'null' : '""'},"refusal":null}`,
      },
    ];
    if (this.#flavour.showsReasoning) {
      for (const piece of pieces(thinking)) deltas.push({ delta: `{"reasoning_content":${JSON.stringify(piece)}}` });
    }
    if (sound !== undefined) return [...deltas, ...this.#audioDeltas(sound)];
    const field = finish === 'refusal' ? 'refusal' : 'content';
    for (const piece of pieces(text)) {
      const logprobs = this.#order.logprobs ? JSON.stringify(logprobsOf([piece])) : undefined;
      deltas.push({ delta: `{"${field}":${JSON.stringify(piece)}}`, ...(logprobs !== undefined && { logprobs }) });
    }
    const annotations = this.#annotations();
    if (annotations.length > 0) deltas.push({ delta: JSON.stringify({ annotations }) });
    calls.forEach((call, index) => {
      const { opening, argument } = this.#callDeltas(call, index);
      deltas.push({ delta: opening });
      for (const piece of argument) deltas.push({ delta: piece });
    });
    return deltas;
  }

  #callDeltas(call: ToolUse, index: number): { opening: string; argument: string[] } {
    const id = this.#exchange.stage.newId('call_');
    if (this.#order.tools.get(call.name) === 'custom') {
      const opening = { tool_calls: [{ index, id, type: 'custom', custom: { name: call.name, input: '' } }] };
      const argument = pieces(customInput(call));
      return {
        opening: JSON.stringify(opening),
        argument: argument.map((input) => JSON.stringify({ tool_calls: [{ index, custom: { input } }] })),
      };
    }
    const input = JSON.stringify(call.input);
    const whole = this.#flavour.wholeCalls === true;
    const named = { name: call.name, arguments: whole ? input : '' };
    return {
      opening: JSON.stringify({ tool_calls: [{ index, id, type: 'function', function: named }] }),
      argument: (whole ? [] : jsonPieces(input)).map((piece) =>
        JSON.stringify({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    };
  }

  #audioDeltas(sound: Buffer): { delta: string }[] {
    const id = this.#exchange.stage.newId('audio_');
    const deltas = pieces(this.#answer.text).map((transcript) => ({
      delta: JSON.stringify({ audio: { id, transcript } }),
    }));
    const size = SPEECH_RATE / 5;
    for (let at = 0; at < sound.length; at += size) {
      const data = sound.subarray(at, at + size).toString('base64');
      deltas.push({ delta: JSON.stringify({ audio: { data } }) });
    }
    deltas.push({ delta: JSON.stringify({ audio: { expires_at: this.#created + 3600 } }) });
    return deltas;
  }

  async #message(): Promise<Record<string, unknown>> {
    const { text, thinking, calls, finish } = this.#answer;
    const message: Record<string, unknown> = {
      role: 'assistant',
      content: calls.length > 0 || finish === 'refusal' ? null : text,
      refusal: finish === 'refusal' ? text : null,
      annotations: this.#annotations(),
    };
    if (this.#flavour.showsReasoning && thinking !== '') message['reasoning_content'] = thinking;
    if (calls.length > 0) message['tool_calls'] = calls.map((call) => this.#call(call));
    const sound = await this.#sound();
    if (sound !== undefined) {
      message['content'] = null;
      message['audio'] = {
        id: this.#exchange.stage.newId('audio_'),
        data: sound.toString('base64'),
        expires_at: this.#created + 3600,
        transcript: text,
      };
    }
    return message;
  }

  #annotations(): object[] {
    const { searched, text } = this.#answer;
    return searched.map(({ url, title }) => ({
      type: 'url_citation',
      url_citation: { start_index: 0, end_index: text.length, url, title },
    }));
  }

  #call(call: ToolUse): Record<string, unknown> {
    const id = this.#exchange.stage.newId('call_');
    return this.#order.tools.get(call.name) === 'custom'
      ? { id, type: 'custom', custom: { name: call.name, input: customInput(call) } }
      : { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } };
  }

  /** The answer as sound, in the asked format; undefined when nobody asked for any. */
  async #sound(): Promise<Buffer | undefined> {
    const { audio } = this.#order;
    if (audio === undefined) return undefined;
    const format = audio.format === 'pcm16' ? 'pcm' : audio.format;
    const { text } = this.#answer;
    return this.#exchange.stage.media.file({ kind: 'speech', text, voice: audio.voice, format, sung: false, speed: 1 });
  }

  #head(): string {
    const { model } = this.#order.talk;
    return (
      `{"id":"${this.#id}","object":"chat.completion.chunk","created":${this.#created},` +
      `"model":${JSON.stringify(model)},"service_tier":"default","system_fingerprint":"fp_twin"`
    );
  }

  /** Before the answer: an event without choices that says what was found in the prompt. */
  #promptEvent(prompt_filter_results: readonly unknown[]): string {
    return `data: ${JSON.stringify({ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results })}\n\n`;
  }

  #chunk(index: number, delta: string, finish: string, logprobs = 'null'): string {
    const usage = this.#order.includeUsage ? ',"usage":null' : '';
    const { filters } = this.#flavour;
    const looked = filters === undefined ? '' : `,"content_filter_results":${JSON.stringify(filters.answer)}`;
    const choice = `{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}${looked}}`;
    return `data: ${this.#head()},"choices":[${choice}]${usage}}\n\n`;
  }

  #usage(): Record<string, unknown> {
    const { output, reasoning } = this.#answer.tokens;
    const input = Math.min(this.#answer.tokens.input, this.#flavour.context ?? Number.POSITIVE_INFINITY);
    const completion = output * this.#order.choices;
    const audio = this.#order.audio === undefined ? 0 : output;
    return {
      prompt_tokens: input,
      completion_tokens: completion,
      total_tokens: input + completion,
      prompt_tokens_details: { cached_tokens: this.#cached, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: audio,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    };
  }

  /** What the vendor bills: after a hang-up, the share it had produced. */
  #record(share: number, aborted: boolean): void {
    const { input, output, reasoning } = this.#answer.tokens;
    this.#exchange.record({
      kind: 'chat',
      model: this.#order.talk.model,
      stream: this.#order.stream,
      aborted,
      billed: {
        inputTokens: input,
        cachedInputTokens: this.#cached,
        outputTokens: Math.ceil(output * this.#order.choices * share),
        reasoningTokens: reasoning,
      },
    });
  }
}

function logprobsOf(tokens: readonly string[]): Record<string, unknown> {
  return {
    content: tokens.map((token) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] })),
    refusal: null,
  };
}

/** The plain text of a custom tool's input. */
function customInput(call: ToolUse): string {
  const { input } = call.input;
  return typeof input === 'string' ? input : '';
}

import type { Exchange } from '../core/exchange.ts';
import type { Reader } from '../core/reader.ts';
import { Refusal } from '../core/refusal.ts';
import { unixSeconds } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, pieces } from '../chat/answers.ts';
import { plainTurn, type Answer, type Talk } from '../chat/talk.ts';
import { badRequest, complainAsOpenAi, refuseUnknownModel, standardHeaders } from './errors.ts';

/** How those differ who complete texts. */
interface Flavour {
  readonly fields: ReadonlySet<string>;
  /** Prompts are one text. */
  readonly takesTextsOnly?: true;
  /** Answers have the form of chat completions. */
  readonly answersAsChat?: true;
}

const COMMON = 'model prompt suffix max_tokens temperature top_p stop stream'.split(' ');
const OPENAI: Flavour = {
  fields: new Set([
    ...COMMON,
    ...'best_of echo frequency_penalty logit_bias logprobs n presence_penalty seed stream_options user'.split(' '),
  ]),
};
const DEEPSEEK: Flavour = {
  fields: new Set([...COMMON, ...'echo frequency_penalty logprobs presence_penalty stream_options'.split(' ')]),
  takesTextsOnly: true,
};
const MISTRAL: Flavour = {
  fields: new Set([...COMMON, 'random_seed', 'min_tokens', 'metadata']),
  takesTextsOnly: true,
  answersAsChat: true,
};

/** OpenAI's text completions, and how DeepSeek and Mistral fill in the middle (docs/wire/completions.md). */
export const routes: readonly Route[] = [
  completionRoute('/v1/completions', OPENAI),
  completionRoute('/beta/completions', DEEPSEEK),
  completionRoute('/v1/fim/completions', MISTRAL),
];

function completionRoute(path: string, flavour: Flavour): Route {
  return { method: 'POST', path, operation: 'chat', handle: async (exchange) => complete(exchange, flavour) };
}

async function complete(exchange: Exchange, flavour: Flavour): Promise<void> {
  const order = readOrder(exchange.json(complainAsOpenAi), flavour);
  const markers = await exchange.obey(order.prompts.join('\n'));
  const answers = order.prompts.flatMap((prompt) => {
    const answer = answerTo(talkOf(order, prompt), markers);
    const gap = order.suffix === '' ? '' : ` (up to: ${order.suffix.trim().slice(0, 40)})`;
    const text = `${order.echo ? prompt : ''}${answer.text}${gap}`;
    return Array.from({ length: order.count }, () => ({ ...answer, text }));
  });
  const reply = new CompletionReply(exchange, order, answers, flavour);
  if (order.stream) await reply.stream();
  else reply.whole();
}

interface Order {
  readonly model: string;
  readonly prompts: readonly string[];
  readonly suffix: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly count: number;
  readonly best: number;
  readonly echo: boolean;
  readonly logprobs: number | undefined;
  readonly mostTokens: number;
  readonly stop: readonly string[];
}

function readOrder(body: Reader, flavour: Flavour): Order {
  body.only(flavour.fields);
  const model = body.string('model');
  refuseUnknownModel(model);
  if (/^(?:gpt-(?!3\.5-turbo-instruct)|o\d)/.test(model)) throw chatModel();
  const stream = body.optionalBoolean('stream') ?? false;
  const options = body.optionalObject('stream_options');
  if (options !== undefined && !stream)
    throw badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  const count = body.optionalInteger('n', 1, 128) ?? 1;
  const best = body.optionalInteger('best_of', 1, 20) ?? count;
  if (best < count) body.fail('best_of', 'at least n');
  if (stream && best > 1 && best > count) throw badRequest('Results of best_of cannot be streamed.', 'best_of');
  body.optionalNumber('temperature', 0, 2);
  body.optionalNumber('top_p', 0, 1);
  const { stop } = body.value;
  return {
    model,
    prompts: promptsOf(body, flavour),
    suffix: body.optionalString('suffix') ?? '',
    stream,
    includeUsage: options?.optionalBoolean('include_usage') ?? false,
    count,
    best,
    echo: body.optionalBoolean('echo') ?? false,
    logprobs: body.optionalInteger('logprobs', 0, 5),
    mostTokens: body.optionalInteger('max_tokens', 0) ?? 16,
    stop: typeof stop === 'string' ? [stop] : body.strings('stop'),
  };
}

function chatModel(): Refusal {
  const message =
    'This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?';
  return new Refusal(404, { error: { message, type: 'invalid_request_error', param: 'model', code: null } });
}

function promptsOf(body: Reader, { takesTextsOnly }: Flavour): readonly string[] {
  const { prompt } = body.value;
  if (typeof prompt === 'string' || takesTextsOnly === true) return [body.string('prompt')];
  if (prompt === undefined || prompt === null) return ['<|endoftext|>'];
  const list = body.array('prompt');
  if (list.length === 0) body.fail('prompt', 'at least one prompt');
  const tokens = (items: readonly unknown[]): string => `the tokens ${items.join(' ')}`;
  if (list.every((each) => typeof each === 'number')) return [tokens(list)];
  return list.map((each) => (Array.isArray(each) ? tokens(each) : String(each)));
}

function talkOf({ model, mostTokens, stop }: Order, prompt: string): Talk {
  return {
    model,
    system: '',
    turns: [plainTurn('user', prompt)],
    tools: [],
    choice: 'none',
    parallel: false,
    format: 'text',
    thinks: false,
    mostTokens,
    stop,
    search: false,
  };
}

class CompletionReply {
  readonly #exchange: Exchange;
  readonly #order: Order;
  readonly #answers: readonly Answer[];
  readonly #flavour: Flavour;
  readonly #head: { readonly id: string; readonly created: number; readonly model: string };

  constructor(exchange: Exchange, order: Order, answers: readonly Answer[], flavour: Flavour) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answers = answers;
    this.#flavour = flavour;
    const created = unixSeconds(exchange.stage.now());
    this.#head = { id: exchange.stage.newId('cmpl-'), created, model: order.model };
  }

  whole(): void {
    const choices = this.#answers.map(({ text, finish }, index) =>
      this.#flavour.answersAsChat === true
        ? { index, message: { role: 'assistant', content: text, tool_calls: null }, finish_reason: finishWord(finish) }
        : { text, index, logprobs: this.#logprobs(pieces(text)), finish_reason: finishWord(finish) },
    );
    const object = this.#flavour.answersAsChat === true ? 'chat.completion' : 'text_completion';
    this.#record(1, false);
    const body = { ...this.#head, object, choices, usage: this.#usage() };
    this.#exchange.reply(200, body, standardHeaders(this.#exchange));
  }

  async stream(): Promise<void> {
    const headers = { ...standardHeaders(this.#exchange), 'content-type': 'text/event-stream; charset=utf-8' };
    const events = this.#exchange.events(headers, 'data: {"error":{"message":"failed","type":"server_error"}}\n\n');
    const texts = this.#answers.map(({ text }) => pieces(text));
    const most = Math.max(...texts.map(({ length }) => length));
    for (let at = 0; at < most; at += 1) {
      for (const [index, words] of texts.entries()) {
        const piece = words[at];
        if (piece !== undefined && !(await events.send(this.#chunk(index, piece))))
          return this.#record(at / most, true);
      }
    }
    const last = this.#answers.length - 1;
    for (const [index, { finish }] of this.#answers.entries())
      await events.send(this.#chunk(index, '', finishWord(finish), index === last));
    if (this.#order.includeUsage)
      await events.send(this.#event({ object: 'text_completion', choices: [], usage: this.#usage() }));
    this.#record(1, !events.open);
    await events.send('data: [DONE]\n\n');
    events.end();
  }

  /** Mistral says the usage with its last piece, asked or not. */
  #chunk(index: number, text: string, finish: string | null = null, isLast = false): string {
    if (this.#flavour.answersAsChat === true) {
      const choices = [{ index, delta: { content: text }, finish_reason: finish }];
      return this.#event({ object: 'chat.completion.chunk', choices, ...(isLast && { usage: this.#usage() }) });
    }
    const logprobs = text === '' ? null : this.#logprobs([text]);
    const choices = [{ text, index, logprobs, finish_reason: finish }];
    return this.#event({ object: 'text_completion', choices, ...(this.#order.includeUsage && { usage: null }) });
  }

  #event(more: object): string {
    return `data: ${JSON.stringify({ ...this.#head, ...more })}\n\n`;
  }

  #logprobs(tokens: readonly string[]): object | null {
    const { logprobs } = this.#order;
    if (logprobs === undefined) return null;
    let offset = 0;
    const text_offset = tokens.map((token) => (offset += token.length) - token.length);
    const top_logprobs = logprobs === 0 ? null : tokens.map((token) => ({ [token]: -0.1 }));
    return { tokens, token_logprobs: tokens.map(() => -0.1), top_logprobs, text_offset };
  }

  #tokens(): { readonly input: number; readonly output: number } {
    const { count, best } = this.#order;
    const input = this.#answers.reduce((sum, { tokens }) => sum + tokens.input, 0) / count;
    const output = this.#answers.reduce((sum, { tokens }) => sum + tokens.output, 0) * (best / count);
    return { input, output: Math.ceil(output) };
  }

  #usage(): object {
    const { input, output } = this.#tokens();
    return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  }

  #record(share: number, aborted: boolean): void {
    const { input, output } = this.#tokens();
    const { model, stream } = this.#order;
    const billed = { inputTokens: input, outputTokens: Math.ceil(output * share) };
    this.#exchange.record({ kind: 'chat', model, stream, aborted, billed });
  }
}

function finishWord(finish: Answer['finish']): string {
  return finish === 'length' ? 'length' : 'stop';
}

import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, pieces } from '../chat/answers.ts';
import { inputTokens, lastWords, type Answer, type Talk } from '../chat/talk.ts';
import { readChat, type ChatOrder } from './chat-request.ts';
import { complainAsOllama, refuseAsOllama } from './errors.ts';

export const routes: readonly Route[] = [{ method: 'POST', path: '/api/chat', operation: 'chat', handle: chat }];

async function chat(exchange: Exchange): Promise<void> {
  const order = readChat(exchange.json(complainAsOllama));
  const markers = await exchange.obey(lastWords(order.talk));
  if (order.talk.turns.length === 0 && order.talk.system === '') {
    exchange.reply(200, {
      ...headOf(exchange, order),
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'load',
    });
    return;
  }
  const talk = withinContext(order);
  const reply = new ChatReply(exchange, { ...order, talk }, answerTo(talk, markers));
  if (order.stream) await reply.stream();
  else reply.whole();
}

/** The conversation as the model reads it: without its oldest messages where it is too long, and nobody is told. */
function withinContext({ talk, context, truncates }: ChatOrder): Talk {
  let kept = talk;
  while (truncates && inputTokens(kept) > context && kept.turns.length > 1)
    kept = { ...kept, turns: kept.turns.slice(1) };
  if (inputTokens(kept) > context)
    throw refuseAsOllama(400, { message: 'the input length exceeds the context length' });
  return kept;
}

function headOf(exchange: Exchange, { talk }: ChatOrder): Record<string, unknown> {
  return { model: talk.model, created_at: new Date(exchange.stage.now()).toISOString() };
}

/** One answer on its way out: whole, or as lines. */
class ChatReply {
  readonly #exchange: Exchange;
  readonly #order: ChatOrder;
  readonly #answer: Answer;

  constructor(exchange: Exchange, order: ChatOrder, answer: Answer) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answer = answer;
  }

  whole(): void {
    const { text, thinking } = this.#answer;
    const calls = this.#calls();
    this.#record(1, false);
    this.#exchange.reply(
      200,
      {
        ...headOf(this.#exchange, this.#order),
        message: {
          role: 'assistant',
          content: text,
          ...(thinking !== '' && { thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        ...this.#end(),
        ...(this.#order.logprobs && { logprobs: logprobsOf(pieces(text)) }),
      },
      { 'content-type': 'application/json; charset=utf-8' },
    );
  }

  async stream(): Promise<void> {
    const events = this.#exchange.events(
      { 'content-type': 'application/x-ndjson' },
      `${JSON.stringify({ error: 'model runner has unexpectedly stopped' })}\n`,
    );
    const { text, thinking } = this.#answer;
    const calls = this.#calls();
    const messages = [
      ...pieces(thinking).map((piece) => ({ content: '', thinking: piece })),
      ...pieces(text).map((piece) => ({ content: piece })),
      ...(calls.length > 0 ? [{ content: '', tool_calls: calls }] : []),
    ];
    for (const [index, message] of messages.entries()) {
      const logprobs = this.#order.logprobs ? { logprobs: logprobsOf([message.content]) } : {};
      if (!(await events.send(this.#line({ message: { role: 'assistant', ...message }, done: false, ...logprobs }))))
        return this.#record(index / messages.length, true);
    }
    // Before the last word: a client that has heard it may look at the ledger at once.
    this.#record(1, !events.open);
    await events.send(this.#line({ message: { role: 'assistant', content: '' }, ...this.#end() }));
    events.end();
  }

  #calls(): object[] {
    return this.#answer.calls.map(({ name, input }, index) => ({
      id: this.#exchange.stage.newId('call_'),
      function: { index, name, arguments: input },
    }));
  }

  #line(more: object): string {
    return `${JSON.stringify({ ...headOf(this.#exchange, this.#order), ...more })}\n`;
  }

  #end(): object {
    const { tokens, finish } = this.#answer;
    return {
      done: true,
      done_reason: finish === 'length' ? 'length' : 'stop',
      total_duration: 5_043_500_667,
      load_duration: 5_025_959,
      prompt_eval_count: tokens.input,
      prompt_eval_duration: 325_953_000,
      eval_count: tokens.output,
      eval_duration: 4_709_213_000,
    };
  }

  #record(share: number, aborted: boolean): void {
    const { input, output, reasoning } = this.#answer.tokens;
    this.#exchange.record({
      kind: 'chat',
      model: this.#order.talk.model,
      stream: this.#order.stream,
      aborted,
      billed: { inputTokens: input, outputTokens: Math.ceil(output * share), reasoningTokens: reasoning },
    });
  }
}

function logprobsOf(tokens: readonly string[]): object[] {
  return tokens.map((token) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] }));
}

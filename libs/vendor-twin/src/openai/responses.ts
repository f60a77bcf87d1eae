import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo } from '../chat/answers.ts';
import { lastWords, inputTokens, cachedTokens, plainTurn, type Answer } from '../chat/talk.ts';
import { badRequest, complainAsOpenAi, refuseAsOpenAi, standardHeaders } from './errors.ts';
import { memoryOf, encryptReasoning } from './responses-items.ts';
import { readResponses, type ResponsesOrder } from './responses-request.ts';
import { streamResponse } from './responses-stream.ts';
import { unixSeconds } from '../core/values.ts';
import type { Markers } from '../core/markers.ts';

const ONE = /^\/v1\/responses\/(?<id>resp_[^/]+)$/;

/** The Responses endpoints: create (plain and streamed), read, delete, cancel, count. */
export const responsesRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/responses', operation: 'responses', handle: create },
  { method: 'POST', path: '/v1/responses/input_tokens', operation: 'count', handle: count },
  { method: 'GET', path: ONE, operation: 'responses', handle: (exchange) => exchange.reply(200, stored(exchange)) },
  { method: 'DELETE', path: ONE, operation: 'responses', handle: remove },
  {
    method: 'POST',
    path: /^\/v1\/responses\/(?<id>resp_[^/]+)\/cancel$/,
    operation: 'cancel',
    handle: (exchange) => {
      stored(exchange);
      throw badRequest('Cannot cancel a synchronous response.', null);
    },
  },
];

async function create(exchange: Exchange): Promise<void> {
  const order = readResponses(exchange.json(complainAsOpenAi), exchange.stage);
  const markers = await exchange.obey(lastWords(order.talk));
  const answer = answerTo(order.talk, markers);
  const response = new ResponseDraft(exchange, order, answer, markers);
  response.remember();
  if (order.stream) {
    await streamResponse(exchange, response, (share, aborted) => record(exchange, response, share, aborted));
    return;
  }
  record(exchange, response, 1, false);
  exchange.reply(200, response.whole(), standardHeaders(exchange));
}

function record(exchange: Exchange, { order, answer, cached }: ResponseDraft, share: number, aborted: boolean): void {
  const { input, output, reasoning } = answer.tokens;
  exchange.record({
    kind: 'chat',
    model: order.talk.model,
    stream: order.stream,
    aborted,
    billed: {
      inputTokens: input,
      cachedInputTokens: cached,
      outputTokens: Math.ceil(output * share),
      reasoningTokens: reasoning,
      ...(answer.searched.length > 0 && { webSearches: answer.searched.length }),
    },
  });
}

function count(exchange: Exchange): void {
  const { talk } = readResponses(exchange.json(complainAsOpenAi), exchange.stage);
  exchange.reply(200, { object: 'response.input_tokens', input_tokens: inputTokens(talk) });
}

function stored(exchange: Exchange): Record<string, unknown> {
  const id = exchange.params['id'] ?? '';
  const kept = memoryOf(exchange.stage).responses.get(id);
  if (kept === undefined) throw refuseAsOpenAi(404, { message: `Response with id '${id}' not found.` });
  return kept.body;
}

function remove(exchange: Exchange): void {
  const { id } = stored(exchange);
  memoryOf(exchange.stage).responses.delete(String(id));
  exchange.reply(200, { id, object: 'response', deleted: true });
}

export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/** One answer as a response object: whole, or as it stands in the middle of a stream. */
export class ResponseDraft {
  readonly order: ResponsesOrder;
  readonly answer: Answer;
  readonly items: readonly OutputItem[];
  readonly cached: number;
  readonly #exchange: Exchange;
  readonly #id: string;
  readonly #created: number;

  constructor(exchange: Exchange, order: ResponsesOrder, answer: Answer, markers: Markers) {
    this.#exchange = exchange;
    this.order = order;
    this.answer = answer;
    this.cached = cachedTokens(exchange.stage, order.talk, answer.tokens.input, markers);
    this.#id = exchange.stage.newId('resp_');
    this.#created = unixSeconds(exchange.stage.now());
    this.items = this.#items();
  }

  whole(): Record<string, unknown> {
    const cut = this.answer.finish === 'length';
    const { input, output, reasoning } = this.answer.tokens;
    return {
      ...this.#object(cut ? 'incomplete' : 'completed', this.items),
      completed_at: cut ? null : this.#created,
      incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: this.cached, cache_write_tokens: 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + output,
      },
    };
  }

  begun(): Record<string, unknown> {
    return this.#object('in_progress', []);
  }

  /** Keeps what later requests may refer to. */
  remember(): void {
    const memory = memoryOf(this.#exchange.stage);
    const reasoning = this.items.find((item) => item.type === 'reasoning');
    for (const item of this.items) {
      if (item.type === 'function_call' && reasoning !== undefined) memory.needs.set(item.id, reasoning.id);
    }
    if (!this.order.store) return;
    if (reasoning !== undefined) memory.reasoning.set(reasoning.id, true);
    const calls = new Map(this.order.calls);
    for (const item of this.items) {
      if (typeof item['call_id'] === 'string') calls.set(item['call_id'], String(item['name']));
    }
    const turns = [...this.order.talk.turns, plainTurn('assistant', this.answer.text)];
    memory.responses.set(this.#id, { body: this.whole(), turns, calls });
  }

  #object(status: string, output: readonly OutputItem[]): Record<string, unknown> {
    const { talk, echo } = this.order;
    return {
      id: this.#id,
      object: 'response',
      created_at: this.#created,
      status,
      background: false,
      completed_at: null,
      error: null,
      incomplete_details: null,
      model: talk.model,
      output,
      ...echo,
      usage: null,
    };
  }

  #items(): OutputItem[] {
    const { thinking, calls, text, finish, searched } = this.answer;
    const { stage } = this.#exchange;
    const items: OutputItem[] = [];
    if (thinking !== '') {
      const id = stage.newId('rs_');
      const summary = this.order.summaries ? [{ type: 'summary_text', text: thinking }] : [];
      items.push({ id, type: 'reasoning', summary, encrypted_content: encryptReasoning(id) });
    }
    for (const { query } of searched) {
      items.push({
        id: stage.newId('ws_'),
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query },
      });
    }
    for (const call of calls) {
      const common = { status: 'completed', call_id: stage.newId('call_'), name: call.name };
      if (this.order.custom.has(call.name)) {
        const { input } = call.input;
        items.push({
          id: stage.newId('ctc_'),
          type: 'custom_tool_call',
          ...common,
          input: typeof input === 'string' ? input : '',
        });
      } else {
        items.push({ id: stage.newId('fc_'), type: 'function_call', ...common, arguments: JSON.stringify(call.input) });
      }
    }
    if (calls.length === 0) {
      const annotations = searched.map(({ url, title }) => ({
        type: 'url_citation',
        start_index: 0,
        end_index: text.length,
        url,
        title,
      }));
      const part =
        finish === 'refusal'
          ? { type: 'refusal', refusal: text }
          : { type: 'output_text', text, annotations, logprobs: [] };
      const status = finish === 'length' ? 'incomplete' : 'completed';
      items.push({ id: stage.newId('msg_'), type: 'message', status, role: 'assistant', content: [part] });
    }
    return items;
  }
}

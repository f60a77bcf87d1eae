import { cachedTokens, plainTurn, type Answer } from '../chat/talk.ts';
import { unixSeconds } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Markers } from '../core/markers.ts';
import { encryptReasoning, memoryOf } from './responses-items.ts';
import type { ResponsesOrder } from './responses-request.ts';

export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/** One answer as a response object: whole, or as it stands in the middle of a stream. The mark `[[twin:phases]]` makes it comment before it answers. */
export class ResponseDraft {
  readonly order: ResponsesOrder;
  readonly answer: Answer;
  readonly items: readonly OutputItem[];
  readonly cached: number;
  readonly #exchange: Exchange;
  readonly #id: string;
  readonly #created: number;
  readonly #hasPhases: boolean;

  constructor(exchange: Exchange, order: ResponsesOrder, answer: Answer, markers: Markers) {
    this.#exchange = exchange;
    this.order = order;
    this.answer = answer;
    this.cached = cachedTokens(exchange.stage, order.talk, answer.tokens.input, markers);
    this.#id = exchange.stage.newId('resp_');
    this.#created = unixSeconds(exchange.stage.now());
    this.#hasPhases = markers.words.has('phases');
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
    const { connection } = this.#exchange;
    if (!this.order.store && connection === undefined) return;
    if (this.order.store && reasoning !== undefined) memory.reasoning.set(reasoning.id, true);
    const calls = new Map(this.order.calls);
    for (const item of this.items) {
      if (typeof item['call_id'] === 'string') calls.set(item['call_id'], String(item['name']));
    }
    const turns = [...this.order.talk.turns, plainTurn('assistant', this.answer.text)];
    const stored = { body: this.whole(), turns, calls };
    if (this.order.store) memory.responses.set(this.#id, stored);
    // Of a WebSocket the last response is remembered, whoever keeps it.
    connection?.clear();
    connection?.set(this.#id, stored);
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
      const message = { type: 'message', status, role: 'assistant' };
      const thought = { type: 'output_text', text: 'I look at the question first.', annotations: [], logprobs: [] };
      if (this.#hasPhases) items.push({ id: stage.newId('msg_'), ...message, content: [thought], phase: 'commentary' });
      const phase = this.#hasPhases ? { phase: 'final_answer' } : {};
      items.push({ id: stage.newId('msg_'), ...message, content: [part], ...phase });
    }
    return items;
  }
}

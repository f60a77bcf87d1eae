import type { Exchange } from '../core/exchange.ts';
import type { Markers } from '../core/markers.ts';
import { seal } from '../core/auth.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, jsonPieces, pieces } from '../chat/answers.ts';
import { keepPrefix, wasMet, lastWords, type Answer, inputTokens, tokensOf } from '../chat/talk.ts';
import { REDACTED_SEAL, SEARCH_SEAL, THINKING_SEAL } from './blocks.ts';
import { missingFile } from '../core/batches.ts';
import { FILES_BETA } from './files.ts';
import {
  badMessage,
  complainAsAnthropic,
  OVERLOADED_EVENT,
  betasOf,
  isNewVersion,
  refuseAsAnthropic,
} from './errors.ts';
import { readMessages, type MessagesOrder } from './request.ts';

export const messagesRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/messages', operation: 'chat', handle: messages },
  { method: 'POST', path: '/v1/messages/count_tokens', operation: 'count', handle: count },
];

async function messages(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsAnthropic);
  const missing = missingFile(exchange.stage, body.value['messages'], ['file_id']);
  if (missing !== undefined)
    throw betasOf(exchange).includes(FILES_BETA)
      ? refuseAsAnthropic(404, { message: `File not found: ${missing}` })
      : badMessage('source.type: file is in beta');
  const order = readMessages(body, {
    newVersion: isNewVersion(exchange),
    betas: betasOf(exchange),
    counting: false,
  });
  const markers = await exchange.obey(lastWords(order.talk));
  const reply = new MessageReply(exchange, order, answerTo(order.talk, markers), markers);
  if (order.stream) await reply.stream();
  else reply.whole();
}

function count(exchange: Exchange): void {
  const { talk } = readMessages(exchange.json(complainAsAnthropic), {
    newVersion: isNewVersion(exchange),
    betas: betasOf(exchange),
    counting: true,
  });
  exchange.reply(200, { input_tokens: inputTokens(talk) }, { 'request-id': exchange.stage.newId('req_') });
}

type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

const STOP = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'refusal',
} as const;

interface CacheUse {
  readonly created: number;
  readonly read: number;
  readonly ttl: '5m' | '1h';
}

const SHORTEST_CACHED = 1024;
const KEPT_MS = 300_000;
const HOUR_MS = 3_600_000;

/** One answer on its way out: whole, or block by block. */
class MessageReply {
  readonly #exchange: Exchange;
  readonly #order: MessagesOrder;
  readonly #answer: Answer;
  readonly #blocks: readonly ContentBlock[];
  readonly #stop: string;
  readonly #cache: CacheUse;

  constructor(exchange: Exchange, order: MessagesOrder, answer: Answer, markers: Markers) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answer = answer;
    const pauses = markers.words.has('pause') && order.talk.search && order.paused === undefined;
    this.#blocks = this.#contentOf(markers, pauses);
    this.#stop = pauses ? 'pause_turn' : STOP[answer.finish];
    this.#cache = this.#cacheUse(markers);
  }

  whole(): void {
    this.#record(1, false);
    this.#exchange.reply(
      200,
      { ...this.#message(), content: this.#blocks, ...this.#end(), usage: this.#usage() },
      this.#headers(),
    );
  }

  async stream(): Promise<void> {
    const headers = {
      ...this.#headers(),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    };
    const events = this.#exchange.events(headers, OVERLOADED_EVENT);
    const started = {
      ...this.#message(),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...this.#usage(), output_tokens: 1 },
    };
    await events.send(frame({ type: 'message_start', message: started }));
    await events.send(frame({ type: 'ping' }));
    for (const [index, block] of this.#blocks.entries()) {
      for (const event of blockEvents(block, index)) {
        if (!(await events.send(frame(event)))) return this.#record(index / this.#blocks.length, true);
      }
    }
    await events.send(frame({ type: 'message_delta', delta: this.#end(), usage: this.#usage() }));
    this.#record(1, !events.open);
    await events.send(frame({ type: 'message_stop' }));
    events.end();
  }

  #contentOf(markers: Markers, pauses: boolean): ContentBlock[] {
    const { thinking, text, calls, searched, finish } = this.#answer;
    const { stage } = this.#exchange;
    const blocks: ContentBlock[] = [];
    if (thinking !== '') {
      const shown = this.#order.showsThinking ? thinking : '';
      blocks.push({ type: 'thinking', thinking: shown, signature: seal(THINKING_SEAL, shown) });
    }
    if (markers.words.has('redacted')) blocks.push({ type: 'redacted_thinking', data: seal(REDACTED_SEAL, '') });
    if (pauses) {
      return [
        ...blocks,
        {
          type: 'server_tool_use',
          id: stage.newId('srvtoolu_'),
          name: 'web_search',
          input: { query: 'the paused search' },
        },
      ];
    }
    const { paused } = this.#order;
    if (paused !== undefined)
      blocks.push(searchResult(paused.id, `https://example.com/${paused.id}`, 'What was found'));
    for (const { query, url, title } of paused === undefined ? searched : []) {
      const id = stage.newId('srvtoolu_');
      blocks.push({ type: 'server_tool_use', id, name: 'web_search', input: { query } }, searchResult(id, url, title));
    }
    for (const call of calls)
      blocks.push({ type: 'tool_use', id: stage.newId('toolu_'), name: call.name, input: call.input });
    if (finish === 'refusal' || (calls.length === 0 && text !== '')) {
      const citations = searched.map(({ url, title }) => ({
        type: 'web_search_result_location',
        url,
        title,
        encrypted_index: seal(SEARCH_SEAL, url),
        cited_text: title,
      }));
      blocks.push({ type: 'text', text, ...(citations.length > 0 && { citations }) });
    }
    return blocks;
  }

  #cacheUse(markers: Markers): CacheUse {
    const { cached, talk } = this.#order;
    const asked = Number(markers.words.get('cached'));
    if (Number.isInteger(asked)) return { created: 0, read: Math.min(asked, this.#answer.tokens.input), ttl: '5m' };
    if (cached === undefined) return { created: 0, read: 0, ttl: '5m' };
    const { stage } = this.#exchange;
    const named = (prefix: string): string => `${talk.model} ${prefix}`;
    const tokens = (prefix: string | undefined): number => {
      const count = Math.min(tokensOf(prefix ?? ''), this.#answer.tokens.input - 1);
      return count < SHORTEST_CACHED ? 0 : count;
    };
    const kept = cached.looked.find((prefix) => wasMet(stage, named(prefix)));
    const read = kept === undefined ? 0 : tokens(kept);
    const created = Math.max(0, tokens(cached.written.at(-1)) - read);
    // Reading keeps it for as long again.
    const until = stage.now() + (cached.ttl === '1h' ? HOUR_MS : KEPT_MS);
    for (const prefix of [...cached.written, ...(kept === undefined ? [] : [kept])])
      keepPrefix(stage, named(prefix), until);
    return { created, read, ttl: cached.ttl };
  }

  #message(): Record<string, unknown> {
    return {
      id: this.#exchange.stage.newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: this.#order.talk.model,
    };
  }

  #end(): Record<string, unknown> {
    const refused = this.#stop === 'refusal';
    return {
      stop_reason: this.#stop,
      stop_sequence: this.#answer.stopSequence ?? null,
      ...(refused && { stop_details: { type: 'refusal', category: null, explanation: this.#answer.text } }),
    };
  }

  #usage(): Record<string, unknown> {
    const { input, output, reasoning } = this.#answer.tokens;
    const { created, read, ttl } = this.#cache;
    const searches = this.#blocks.filter((block) => block.type === 'server_tool_use').length;
    return {
      input_tokens: input - created - read,
      cache_creation_input_tokens: created,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: ttl === '5m' ? created : 0,
        ephemeral_1h_input_tokens: ttl === '1h' ? created : 0,
      },
      output_tokens: output,
      output_tokens_details: { thinking_tokens: reasoning },
      ...(searches > 0 && { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }),
      service_tier: 'standard',
    };
  }

  #headers(): Record<string, string> {
    const reset = new Date(this.#exchange.stage.now() + 60_000).toISOString();
    return {
      'request-id': this.#exchange.stage.newId('req_'),
      'anthropic-ratelimit-requests-limit': '4000',
      'anthropic-ratelimit-requests-remaining': '3999',
      'anthropic-ratelimit-requests-reset': reset,
    };
  }

  #record(share: number, aborted: boolean): void {
    const { input, output, reasoning } = this.#answer.tokens;
    const { created, read, ttl } = this.#cache;
    const searches = this.#blocks.filter((block) => block.type === 'server_tool_use').length;
    this.#exchange.record({
      kind: 'chat',
      model: this.#order.talk.model,
      stream: this.#order.stream,
      aborted,
      billed: {
        inputTokens: input,
        cachedInputTokens: read,
        cacheWriteTokens: created,
        ...(ttl === '1h' && { cacheWriteLongTokens: created }),
        outputTokens: Math.ceil(output * share),
        reasoningTokens: reasoning,
        ...(searches > 0 && { webSearches: searches }),
      },
    });
  }
}

function searchResult(toolUseId: string, url: string, title: string): ContentBlock {
  const found = { type: 'web_search_result', url, title, encrypted_content: seal(SEARCH_SEAL, url), page_age: null };
  return { type: 'web_search_tool_result', tool_use_id: toolUseId, content: [found] };
}

function frame(event: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function* blockEvents(block: ContentBlock, index: number): Generator<Event> {
  const delta = (piece: Readonly<Record<string, unknown>>): Event => ({
    type: 'content_block_delta',
    index,
    delta: piece,
  });
  const start = (content_block: ContentBlock): Event => ({ type: 'content_block_start', index, content_block });
  switch (block.type) {
    case 'text': {
      yield start({ type: 'text', text: '' });
      for (const text of pieces(String(block['text']))) yield delta({ type: 'text_delta', text });
      const citations = (block['citations'] ?? []) as readonly unknown[];
      for (const citation of citations) yield delta({ type: 'citations_delta', citation });
      break;
    }
    case 'thinking':
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of pieces(String(block['thinking']))) yield delta({ type: 'thinking_delta', thinking });
      yield delta({ type: 'signature_delta', signature: block['signature'] });
      break;
    case 'tool_use':
    case 'server_tool_use': {
      yield start({ ...block, input: {} });
      const json = JSON.stringify(block['input']);
      // A tool without arguments gets no delta at all.
      if (json !== '{}')
        for (const partial_json of ['', ...jsonPieces(json)]) yield delta({ type: 'input_json_delta', partial_json });
      break;
    }
    default:
      yield start(block);
  }
  yield { type: 'content_block_stop', index };
}

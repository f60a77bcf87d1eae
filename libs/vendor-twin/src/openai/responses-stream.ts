import type { EventStream } from '../core/event-stream.ts';
import type { Exchange } from '../core/exchange.ts';
import { jsonPieces, pieces } from '../chat/answers.ts';
import { standardHeaders } from './errors.ts';
import type { OutputItem, ResponseDraft } from './responses-draft.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Sends a response as named events with rising sequence numbers, one item after the other. `done` hears how much was produced. */
export async function streamResponse(
  exchange: Exchange,
  response: ResponseDraft,
  done: (share: number, aborted: boolean) => void,
): Promise<void> {
  const error = { type: 'server_error', code: 'server_error', message: 'The server had an error.', param: null };
  // It stands in the place of the event that is not sent.
  const failed = (): string =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error, sequence_number: sender.last })}\n\n`;
  const events = exchange.events(
    { ...standardHeaders(exchange), 'content-type': 'text/event-stream; charset=utf-8' },
    failed,
  );
  const sender = new Sender(events);
  await sender.send({ type: 'response.created', response: response.begun() });
  await sender.send({ type: 'response.in_progress', response: response.begun() });
  for (const [index, item] of response.items.entries()) {
    for (const event of itemEvents(item, index)) {
      if (!(await sender.send(event))) {
        done(index / response.items.length, true);
        return;
      }
    }
  }
  done(1, !events.open);
  const whole = response.whole();
  await sender.send({
    type: whole['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed',
    response: whole,
  });
  events.end();
}

class Sender {
  readonly #events: EventStream;
  #sequence = 0;

  constructor(events: EventStream) {
    this.#events = events;
  }

  /** The number of the event that was sent last, or is being sent. */
  get last(): number {
    return Math.max(0, this.#sequence - 1);
  }

  async send(event: Event): Promise<boolean> {
    const data = JSON.stringify({ ...event, sequence_number: this.#sequence });
    this.#sequence += 1;
    return this.#events.send(`event: ${event.type}\ndata: ${data}\n\n`);
  }
}

function* itemEvents(item: OutputItem, output_index: number): Generator<Event> {
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case 'reasoning':
      yield* reasoningEvents(item, output_index);
      return;
    case 'web_search_call': {
      const started = { ...item, action: undefined, status: 'in_progress' };
      yield { type: 'response.output_item.added', output_index, item: started };
      yield { type: 'response.web_search_call.in_progress', ...at };
      yield { type: 'response.web_search_call.searching', ...at };
      yield { type: 'response.web_search_call.completed', ...at };
      break;
    }
    case 'function_call': {
      const text = String(item['arguments']);
      yield {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', arguments: '' },
      };
      for (const delta of jsonPieces(text)) yield { type: 'response.function_call_arguments.delta', ...at, delta };
      yield { type: 'response.function_call_arguments.done', ...at, name: item['name'], arguments: text };
      break;
    }
    case 'custom_tool_call': {
      const text = String(item['input']);
      yield { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', input: '' } };
      for (const delta of pieces(text)) yield { type: 'response.custom_tool_call_input.delta', ...at, delta };
      yield { type: 'response.custom_tool_call_input.done', ...at, input: text };
      break;
    }
    default:
      yield* messageEvents(item, output_index);
      return;
  }
  yield { type: 'response.output_item.done', output_index, item };
}

/** The encrypted content is complete only when the item is done. */
function* reasoningEvents(item: OutputItem, output_index: number): Generator<Event> {
  yield {
    type: 'response.output_item.added',
    output_index,
    item: {
      id: item.id,
      type: item.type,
      summary: [],
      encrypted_content: String(item['encrypted_content']).slice(0, 12),
    },
  };
  const summary = item['summary'] as readonly { readonly text: string }[];
  for (const [summary_index, { text }] of summary.entries()) {
    const at = { item_id: item.id, output_index, summary_index };
    yield { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } };
    for (const delta of pieces(text)) yield { type: 'response.reasoning_summary_text.delta', ...at, delta };
    yield { type: 'response.reasoning_summary_text.done', ...at, text };
    yield { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } };
  }
  yield { type: 'response.output_item.done', output_index, item };
}

function* messageEvents(item: OutputItem, output_index: number): Generator<Event> {
  yield { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } };
  const parts = item['content'] as readonly Readonly<Record<string, unknown>>[];
  for (const [content_index, part] of parts.entries()) {
    const at = { item_id: item.id, output_index, content_index };
    if (part['type'] === 'refusal') {
      const refusal = String(part['refusal']);
      yield { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } };
      for (const delta of pieces(refusal)) yield { type: 'response.refusal.delta', ...at, delta };
      yield { type: 'response.refusal.done', ...at, refusal };
    } else {
      const text = String(part['text']);
      yield {
        type: 'response.content_part.added',
        ...at,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      };
      for (const delta of pieces(text)) yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] };
      const annotations = part['annotations'] as readonly unknown[];
      for (const [annotation_index, annotation] of annotations.entries()) {
        yield { type: 'response.output_text.annotation.added', ...at, annotation_index, annotation };
      }
      yield { type: 'response.output_text.done', ...at, text, logprobs: [] };
    }
    yield { type: 'response.content_part.done', ...at, part };
  }
  yield { type: 'response.output_item.done', output_index, item };
}

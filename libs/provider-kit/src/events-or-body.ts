import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { createParser } from 'eventsource-parser';
import { parseVendorJson } from './json.ts';
import { malformedReply } from './vendor-task.ts';

export interface VendorEvent {
  /** `event:` of the wire, else `type` of the data, else ''. */
  readonly name: string;
  readonly json: JsonObject;
  /** True when the vendor answered with one JSON body instead of a stream. */
  readonly whole: boolean;
}

/**
 * The JSON events of a streamed reply; or its one JSON body, because vendors answer a refused or unsupported stream with plain JSON whatever
 * their headers say (docs/wire/images.md#seedream-stream): the first byte decides. `[DONE]` ends it and is told as an event of that name.
 */
export async function* readEventsOrBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<VendorEvent> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    const head: Uint8Array[] = [];
    let first = '';
    while (first === '') {
      const next = await chunks.next();
      if (next.done === true) break;
      head.push(next.value);
      first = Buffer.from(next.value).toString('latin1').trimStart().slice(0, 1);
    }
    if (first === '{' || first === '[') yield await wholeBody(rest(head, chunks));
    else yield* events(rest(head, chunks));
  } finally {
    await chunks.return?.();
  }
}

async function* rest(head: readonly Uint8Array[], chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}

async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<VendorEvent> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { ...parsed(Buffer.concat(chunks).toString('utf8'), ''), whole: true };
}

async function* events(body: AsyncIterable<Uint8Array>): AsyncGenerator<VendorEvent> {
  for await (const { event, data } of readSse(body)) {
    if (data.trim() === '[DONE]') {
      yield { name: '[DONE]', json: {}, whole: false };
      return;
    }
    yield { ...parsed(data, event), whole: false };
  }
}

function parsed(text: string, event: string): Pick<VendorEvent, 'name' | 'json'> {
  const json = parseVendorJson(text);
  if (!isJsonObject(json)) throw malformedReply('an event of its stream is no JSON object');
  return { name: event !== '' ? event : typeof json['type'] === 'string' ? json['type'] : '', json };
}

export interface SseMessage {
  /** '' when the wire gave no name. */
  readonly event: string;
  readonly data: string;
}

/** The events of a text/event-stream, however its bytes are cut. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const ready: SseMessage[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => ready.push({ event: event ?? '', data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
  // A last event without its blank line is still an event: vendors close early.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
}

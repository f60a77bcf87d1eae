/** A streamed answer: iterate its events, its text, or take the whole at the end. */
import { ConnectionError, StreamError, TimeoutError } from './errors.ts';
import { chunksOf, readSse, type SseEvent } from './sse.ts';
import { connectionError, deadlineOf } from './transport.ts';

/** How one kind of stream is read. */
export interface StreamFormat<Event, Whole> {
  /** Makes the sum of one stream. */
  sum(): StreamSum<Event, Whole>;
  /** The piece of text an event adds. */
  textOf(event: Event): string;
  /** Turns one server-sent event into an event of this stream; `end` closes it. Without it: its data as JSON. */
  parse?(event: SseEvent): Event | 'end';
}
export interface StreamSum<Event, Whole> {
  add(event: Event): void;
  /** The whole answer, or undefined while pieces are missing. `ended`: the stream said that it had ended. */
  whole(ended: boolean): Whole | undefined;
}

/**
 * A stream under way. It is read once: by `for await` over its events, by `text()`, or by `final()`, which reads what is left.
 * Refusals and broken streams are thrown where it is read. Leaving the loop hangs up, and the gateway stops the vendor.
 */
export class EventStream<Event, Whole> implements AsyncIterable<Event> {
  readonly #response: Promise<Response>;
  readonly #format: StreamFormat<Event, Whole>;
  readonly #hangUp: AbortController;
  readonly #resume: Resume | undefined;
  readonly #sum: StreamSum<Event, Whole>;
  #events: AsyncGenerator<Event> | undefined;
  #ended = false;

  constructor(
    response: Promise<Response>,
    format: StreamFormat<Event, Whole>,
    hangUp: AbortController,
    resume?: Resume,
  ) {
    this.#response = response;
    this.#format = format;
    this.#hangUp = hangUp;
    this.#resume = resume;
    this.#sum = format.sum();
    // A refusal is thrown to whoever reads; nobody reading is no crash.
    response.catch(() => undefined);
  }

  /** Resolves with the response as soon as the gateway has begun to answer; throws its refusal. */
  opened(): Promise<Response> {
    return this.#response;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Event> {
    return (this.#events ??= this.#read());
  }

  /** The text alone, piece by piece. */
  async *text(): AsyncGenerator<string> {
    for await (const event of this) {
      const piece = this.#format.textOf(event);
      if (piece !== '') yield piece;
    }
  }

  /** Reads what is left and gives the whole answer, in the form the same call has without streaming. */
  async final(): Promise<Whole> {
    const events = this[Symbol.asyncIterator]();
    while ((await events.next()).done !== true);
    const whole = this.#sum.whole(this.#ended);
    if (whole === undefined) throw new StreamError(undefined, await this.#requestId());
    return whole;
  }

  /** Hangs up. */
  abort(): void {
    this.#hangUp.abort(STOPPED);
  }

  async *#read(): AsyncGenerator<Event> {
    const { signal } = this.#hangUp;
    try {
      for await (const sent of this.#sent()) {
        const event = this.#format.parse === undefined ? plain<Event>(sent) : this.#format.parse(sent);
        if (event === 'end') {
          this.#ended = true;
          return;
        }
        const fault = faultIn(event);
        if (fault !== undefined) throw new StreamError(fault, await this.#requestId());
        this.#sum.add(event);
        yield event;
      }
    } catch (error) {
      if (signal.aborted && signal.reason === STOPPED) return;
      if (signal.aborted && !(error instanceof ConnectionError)) throw signal.reason;
      throw error;
    }
    if (this.#sum.whole(this.#ended) === undefined) throw new StreamError(undefined, await this.#requestId());
  }

  /** What is sent, over one connection after another where the stream can be resumed. */
  async *#sent(): AsyncGenerator<SseEvent> {
    const { signal } = this.#hangUp;
    let response = await this.#response;
    const id = response.headers.get(STREAM_ID) ?? undefined;
    let last: string | undefined;
    for (let broken = 0; ; broken++) {
      const deadline = deadlineOf(response);
      let fault: unknown;
      try {
        for await (const sent of readSse(touching(response.body, () => deadline?.touch()))) {
          if (sent.id !== '' && sent.id !== last) broken = 0;
          if (sent.id !== '') last = sent.id;
          yield sent;
        }
        if (this.#sum.whole(this.#ended) !== undefined) return;
      } catch (error) {
        if (signal.aborted) throw error;
        fault = connectionError(error, deadline?.signal ?? signal);
      } finally {
        deadline?.stop();
      }
      if (this.#resume === undefined || id === undefined || fault instanceof TimeoutError || broken >= MOST_BROKEN) {
        if (fault instanceof Error) throw fault;
        return;
      }
      response = await this.#resume(id, last);
    }
  }

  async #requestId(): Promise<string | undefined> {
    return (await this.#response).headers.get('x-request-id') ?? undefined;
  }
}

const STOPPED = Symbol('stopped');
const STREAM_ID = 'x-gateway-stream-id';
/** Connections in a row that bring nothing new. */
const MOST_BROKEN = 5;

/** Opens the stream of this id again, behind the event of this number; where it was opened first without one. */
type Resume = (id: string, after: string | undefined) => Promise<Response>;

function plain<Event>({ data }: SseEvent): Event | 'end' {
  return data === '[DONE]' ? 'end' : (JSON.parse(data) as Event);
}

/** Every format says a failure after its 200 as an object under `error`, or as an event of that type. */
function faultIn(event: unknown): unknown {
  if (typeof event !== 'object' || event === null) return undefined;
  const { error, type } = event as { error?: unknown; type?: unknown };
  return type === 'error' || (typeof error === 'object' && error !== null && type === undefined) ? event : undefined;
}

async function* touching(body: ReadableStream<Uint8Array> | null, touch: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(body)) {
    touch();
    yield chunk;
  }
}

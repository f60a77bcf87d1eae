/** Server-sent events as the HTML standard reads them: any line ending, any cut, comments skipped. */

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  /** The last `id:` seen. */
  readonly id: string;
}

/** Reads events out of bytes. An event without its closing blank line is dropped, as the standard says. */
export async function* readSse(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let line = '';
  let held = '';
  let event = '';
  let data: string[] = [];
  let id = '';

  const endLine = (): SseEvent | undefined => {
    const text = line;
    line = '';
    if (text === '') {
      const whole =
        data.length === 0 ? undefined : { event: event === '' ? 'message' : event, data: data.join('\n'), id };
      event = '';
      data = [];
      return whole;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
    return undefined;
  };
  const take = function* (piece: string): Generator<SseEvent> {
    const text = held + piece;
    // A carriage return at the very end may be half of a pair.
    held = text.endsWith('\r') ? '\r' : '';
    const [first = '', ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    line += first;
    for (const next of others) {
      const whole = endLine();
      if (whole !== undefined) yield whole;
      line = next;
    }
  };

  for await (const chunk of chunks) yield* take(decoder.decode(chunk, { stream: true }));
  if (held !== '') yield* take('\n');
}

/** The pieces of a body. Not every runtime can iterate a stream, so it is read through a reader. */
export async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

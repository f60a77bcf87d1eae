/** Sound that is heard while it comes. */

export interface Streamed {
  /** The whole of it, once it is there. */
  readonly whole: Promise<Blob>;
  /** What plays at once; absent where the browser takes this format only whole. */
  readonly live: string | undefined;
}

/** Begins to read the answer. `whole` rejects when it breaks off; what was heard until then was heard. */
export function streamSound(response: Response): Streamed {
  const type = response.headers.get('content-type') ?? 'audio/mpeg';
  const body = response.body;
  if (body === null || typeof MediaSource === 'undefined' || !MediaSource.isTypeSupported(type))
    return { whole: response.blob(), live: undefined };
  const [heard, kept] = body.tee();
  const source = new MediaSource();
  source.addEventListener(
    'sourceopen',
    () => {
      // A piece that the browser cannot decode ends the live part; the whole of it may still be played.
      void append(source, type, heard).catch(() => heard.cancel().catch(() => undefined));
    },
    { once: true },
  );
  return { whole: new Response(kept, { headers: { 'content-type': type } }).blob(), live: URL.createObjectURL(source) };
}

async function append(
  source: MediaSource,
  type: string,
  sound: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const buffer = source.addSourceBuffer(type);
  const reader = sound.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    await new Promise<void>((resolve, reject) => {
      buffer.addEventListener('updateend', () => resolve(), { once: true });
      buffer.addEventListener('error', () => reject(new Error('not this format')), { once: true });
      buffer.appendBuffer(value);
    });
  }
  if (source.readyState === 'open') source.endOfStream();
}

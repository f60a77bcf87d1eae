/** A stream of pictures, pulled by its reader. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ImageStreamEvent, MediaFile } from '@model-gateway/provider-kit';
import { untilEnd } from '../../paid/paid-stream.ts';
import type { Payment } from '../../paid/run-paid.ts';
import type { Picture } from './present.ts';

interface PictureEvent<Type> {
  readonly type: Type;
  readonly index: number;
  readonly picture: Picture;
  /** What the vendor said of it. */
  readonly echo?: JsonObject;
}
export type ImageEvent =
  /** A picture on its way. */
  | PictureEvent<'partial'>
  | PictureEvent<'image'>
  | Extract<ImageStreamEvent, { type: 'failed' | 'completed' }>
  /** The last one of a stream that broke off. */
  | { readonly type: 'error'; readonly error: GatewayError };

export interface ImageStreaming {
  readonly first: IteratorResult<ImageStreamEvent>;
  readonly events: AsyncIterator<ImageStreamEvent>;
  readonly present: (file: MediaFile) => Promise<Picture>;
}

/** What has come so far, for the bill. */
interface Progress {
  pictures: number;
  usage: Usage | undefined;
  failure: GatewayError | undefined;
}

/** The events as the reader pulls them; `payment` is settled once, whatever ends them, and `close` lets go of a vendor that is not through. */
export function paidImageEvents(
  streaming: ImageStreaming,
  signal: AbortSignal,
  { payment, close }: { readonly payment: Payment; readonly close: () => void },
): AsyncIterableIterator<ImageEvent, void, undefined> {
  const progress: Progress = { pictures: 0, usage: undefined, failure: undefined };
  return untilEnd(imageEvents(streaming, progress), signal, ({ how }) => {
    const { pictures, usage, failure } = progress;
    payment.settle({
      usage: pictures === 0 && usage === undefined ? undefined : { images: pictures, ...usage },
      ...(failure !== undefined && { error: failure }),
      inconclusive: how !== 'read',
    });
    if (how !== 'read' || failure !== undefined) close();
  });
}

async function* imageEvents(
  { first, events, present }: ImageStreaming,
  progress: Progress,
): AsyncGenerator<ImageEvent, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      const event = next.value;
      if (event.type === 'started') continue;
      if (event.type === 'partial' || event.type === 'image') {
        if (event.type === 'image') progress.pictures++;
        const { file, ...about } = event;
        yield { ...about, picture: await present(file) };
      } else {
        if (event.type === 'completed') progress.usage = event.usage;
        yield event;
      }
    }
  } catch (error) {
    const failure = error instanceof GatewayError ? error : new GatewayError('internal', 'the stream broke');
    progress.failure = failure;
    yield { type: 'error', error: failure };
  } finally {
    await events.return?.();
  }
}

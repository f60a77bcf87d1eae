/** A stream of pictures as its caller reads it: Seedream's own event names for its bodies, OpenAI's for the others. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ImageCreate, ImageStreamEvent, MediaFile } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { untilEnd } from '../../paid/paid-stream.ts';
import type { Payment } from '../../paid/run-paid.ts';
import { faultItem, tokensOf } from './image-reply.ts';

export interface ImageEvent {
  readonly event: string;
  readonly data: JsonObject;
}

export interface ImageStreaming {
  readonly row: ModelRow;
  readonly shape: ImageCreate['shape'];
  readonly first: IteratorResult<ImageStreamEvent>;
  readonly events: AsyncIterator<ImageStreamEvent>;
  readonly present: (file: MediaFile) => Promise<JsonObject>;
  /** Unix seconds. */
  readonly created: number;
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
  { row, shape, first, events, present, created }: ImageStreaming,
  progress: Progress,
): AsyncGenerator<ImageEvent, void, undefined> {
  const isSeedream = row.imageShape === 'prompt';
  const prefix = shape === 'edit' ? 'image_edit' : 'image_generation';
  const said = (type: string, data: JsonObject): ImageEvent => ({ event: type, data: { type, ...data } });
  let last: JsonObject | undefined;
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      const event = next.value;
      if (event.type === 'partial') {
        yield said(`${prefix}.partial_image`, {
          ...(await present(event.file)),
          partial_image_index: event.index,
          created_at: created,
          ...event.echo,
        });
      } else if (event.type === 'image') {
        progress.pictures++;
        const picture = await present(event.file);
        if (isSeedream) {
          const place = { model: row.code, created, image_index: event.index };
          yield said(`${prefix}.partial_succeeded`, { ...place, ...picture, ...event.echo });
        } else last = { ...picture, created_at: created, ...event.echo };
      } else if (event.type === 'failed') {
        const place = { model: row.code, created, image_index: event.index };
        yield said(`${prefix}.partial_failed`, { ...place, ...faultItem(event.fault) });
      } else if (event.type === 'completed') {
        progress.usage = event.usage;
        yield said(`${prefix}.completed`, {
          ...(isSeedream && { model: row.code, created }),
          ...last,
          usage: event.vendorUsage ?? tokensOf(event.usage),
        });
      }
    }
  } catch (error) {
    const failure = error instanceof GatewayError ? error : new GatewayError('internal', 'the stream broke');
    progress.failure = failure;
    yield said('error', { error: { code: failure.code, message: failure.message } });
  } finally {
    await events.return?.();
  }
}

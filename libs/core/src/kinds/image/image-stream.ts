/** A stream of pictures as its caller reads it: Seedream's own event names for its bodies, OpenAI's for the others. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ImageCreate, ImageStreamEvent, MediaFile } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
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
  /** Of the picture that has not come yet. */
  drafts: number;
  /** Nobody reads any more: what still comes is only counted. */
  isLeft: boolean;
  usage: Usage | undefined;
  failure: GatewayError | undefined;
}

export interface ImageStreamEnd {
  readonly payment: Payment;
  /** Lets go of a vendor that is not through. */
  readonly close: () => void;
  readonly onDisconnect: 'drain' | 'abort';
}

/** The events as the reader pulls them; `payment` is settled once, whatever ends them. */
export function paidImageEvents(
  streaming: ImageStreaming,
  signal: AbortSignal,
  { payment, close, onDisconnect }: ImageStreamEnd,
): AsyncIterableIterator<ImageEvent, void, undefined> {
  const progress: Progress = { pictures: 0, drafts: 0, isLeft: false, usage: undefined, failure: undefined };
  const ended = (end: ReadingEnd): void => {
    const { failure } = progress;
    const isCut = end.how === 'abandoned' && end.drained !== true;
    payment.settle({
      usage: isCut && progress.usage === undefined ? begunPictures(progress, payment.most) : madePictures(progress),
      ...(failure !== undefined && { error: failure }),
      inconclusive: end.how !== 'read',
    });
    if (isCut || failure !== undefined) close();
  };
  const left = (): void => {
    progress.isLeft = true;
  };
  return untilEnd(imageEvents(streaming, progress), signal, ended, { onDisconnect, left });
}

/** A vendor bills so many tokens for a draft. */
const TOKENS_PER_DRAFT = 100;

/** What a vendor that came to its end bills: its report, and without one the pictures there are; drafts of none are not free. */
function madePictures({ pictures, drafts, usage }: Progress): Usage | undefined {
  if (usage !== undefined || pictures > 0) return { images: pictures, ...usage };
  return drafts === 0 ? undefined : { outputTokens: drafts * TOKENS_PER_DRAFT, estimated: true };
}

/**
 * What a vendor bills that was hung up on: the pictures that came, and the one whose drafts came, at what was set aside for each. Undefined
 * when nothing had come.
 */
function begunPictures({ pictures, drafts }: Progress, most: Usage): Usage | undefined {
  const { images = 1, outputTokens } = most;
  const begun = Math.min(images, pictures + (drafts > 0 ? 1 : 0));
  if (begun === 0) return undefined;
  const tokens = outputTokens === undefined ? undefined : Math.ceil((outputTokens * begun) / images);
  return { ...most, images: begun, ...(tokens !== undefined && { outputTokens: tokens }), estimated: true };
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
      if (progress.isLeft) countEvent(event, progress);
      else if (event.type === 'partial') {
        progress.drafts++;
        yield said(`${prefix}.partial_image`, {
          ...(await present(event.file)),
          partial_image_index: event.index,
          created_at: created,
          ...event.echo,
        });
      } else if (event.type === 'image') {
        progress.pictures++;
        progress.drafts = 0;
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

/** What comes for nobody is counted and not kept. */
function countEvent(event: ImageStreamEvent, progress: Progress): void {
  if (event.type === 'partial') progress.drafts++;
  else if (event.type === 'image') {
    progress.pictures++;
    progress.drafts = 0;
  } else if (event.type === 'completed') progress.usage = event.usage;
}

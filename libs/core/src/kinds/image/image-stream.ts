/** A stream of pictures, pulled by its reader. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ImageStreamEvent, MediaFile } from '@model-gateway/provider-kit';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
import type { Payment } from '../../paid/payment.ts';
import type { Price } from '../../catalogue.ts';
import { beganPictures, usageOfImages } from './expected.ts';
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
  /** The pictures are drawn one after the other: what has not been begun is not billed. */
  readonly isGroup: boolean;
  readonly price: Price;
}

/** The events as the reader pulls them; `payment` is settled once, whatever ends them. */
export function paidImageEvents(
  streaming: ImageStreaming,
  signal: AbortSignal,
  { payment, close, onDisconnect, isGroup, price }: ImageStreamEnd,
): AsyncIterableIterator<ImageEvent, void, undefined> {
  const progress: Progress = { pictures: 0, drafts: 0, isLeft: false, usage: undefined, failure: undefined };
  const ended = (end: ReadingEnd): void => {
    const { failure } = progress;
    const isCut = end.how === 'abandoned' && end.drained !== true;
    payment.settle({
      usage:
        isCut && progress.usage === undefined
          ? begunPictures(progress, payment.most)
          : madePictures(progress, payment.most, price),
      ...(progress.usage !== undefined && { reported: progress.usage }),
      ...(failure !== undefined && { error: failure }),
      inconclusive: end.how !== 'read',
    });
    if (isCut || failure !== undefined) close();
  };
  const left = (): void => {
    progress.isLeft = true;
  };
  // Pictures that are drawn at once are all begun: should the process die, all that was set aside is charged.
  const counted = (): void => {
    if (isGroup) payment.checkpoint(() => progress.usage ?? beganPictures(progress.pictures + 1, payment.most));
  };
  return untilEnd(imageEvents(streaming, progress, counted), signal, ended, { onDisconnect, left });
}

/** A vendor bills so many tokens for a draft. */
const TOKENS_PER_DRAFT = 100;

/** What a vendor that came to its end bills: its report, and without one the pictures there are; drafts of none are not free. */
function madePictures({ pictures, drafts, usage }: Progress, most: Usage, price: Price): Usage | undefined {
  if (usage !== undefined || pictures > 0) return usageOfImages(usage ?? {}, { pictures, most, price });
  return drafts === 0 ? undefined : { outputTokens: drafts * TOKENS_PER_DRAFT, estimated: true };
}

/**
 * What a vendor bills that was hung up on: the pictures that came, and the one whose drafts came, at what was set aside for each. Undefined
 * when nothing had come.
 */
function begunPictures({ pictures, drafts }: Progress, most: Usage): Usage | undefined {
  const begun = pictures + (drafts > 0 ? 1 : 0);
  return begun === 0 ? undefined : beganPictures(begun, most);
}

async function* imageEvents(
  { first, events, present }: ImageStreaming,
  progress: Progress,
  counted: () => void,
): AsyncGenerator<ImageEvent, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      const event = next.value;
      if (event.type === 'started') continue;
      count(event, progress);
      counted();
      // What comes for nobody is counted and not kept.
      if (progress.isLeft) continue;
      if (event.type === 'partial' || event.type === 'image') {
        const { file, ...about } = event;
        yield { ...about, picture: await present(file) };
      } else yield event;
    }
  } catch (error) {
    const failure = error instanceof GatewayError ? error : new GatewayError('internal', 'the stream broke');
    progress.failure = failure;
    yield { type: 'error', error: failure };
  } finally {
    await events.return?.();
  }
}

function count(event: ImageStreamEvent, progress: Progress): void {
  if (event.type === 'partial') progress.drafts++;
  else if (event.type === 'image') {
    progress.pictures++;
    progress.drafts = 0;
  } else if (event.type === 'completed') progress.usage = event.usage;
}

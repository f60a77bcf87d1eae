/** A transcript as it is written, pulled by its reader. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { TranscriptEvent } from '@model-gateway/provider-kit';
import { untilEnd, type ReadingEnd } from '../../paid/paid-stream.ts';
import type { Payment } from '../../paid/payment.ts';

export type WrittenEvent =
  | { readonly type: 'said'; readonly body: JsonObject }
  /** The last one of a stream that broke off. */
  | { readonly type: 'error'; readonly error: GatewayError };

/** What has come so far, for the bill. */
interface Progress {
  text: string;
  usage: Usage | undefined;
  failure: GatewayError | undefined;
}

export interface TranscriptStreamEnd {
  readonly payment: Payment;
  /** Lets go of a vendor that is not through. */
  readonly close: () => void;
  readonly onDisconnect: 'drain' | 'abort';
  /** The recording has one price, however much of it was written down. */
  readonly isOnePrice: boolean;
  /** What is billed of a report, or of a text where there is none. */
  readonly usageOf: (reported: Usage, text: string) => Usage;
}

/** The events as the reader pulls them; `payment` is settled once, whatever ends them. */
export function paidTranscriptEvents(
  events: AsyncIterator<TranscriptEvent>,
  signal: AbortSignal,
  { payment, close, onDisconnect, isOnePrice, usageOf }: TranscriptStreamEnd,
): AsyncIterableIterator<WrittenEvent, void, undefined> {
  const progress: Progress = { text: '', usage: undefined, failure: undefined };
  const ended = (end: ReadingEnd): void => {
    const { failure, text, usage } = progress;
    const isCut = end.how === 'abandoned' && end.drained !== true;
    // A vendor that is hung up on has heard the recording. One that broke off has delivered the words that came, and not what has one price.
    const isFree = usage === undefined && !isCut && (text === '' || isOnePrice);
    payment.settle({
      usage: isFree ? undefined : usageOf(usage ?? {}, text),
      ...(usage !== undefined && { reported: usage }),
      ...(failure !== undefined && { error: failure }),
      inconclusive: end.how !== 'read',
    });
    if (isCut || failure !== undefined) close();
  };
  return untilEnd(writtenEvents(events, progress), signal, ended, { onDisconnect });
}

async function* writtenEvents(
  events: AsyncIterator<TranscriptEvent>,
  progress: Progress,
): AsyncGenerator<WrittenEvent, void, undefined> {
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const event = next.value;
      if (event.type === 'started') continue;
      if (event.type === 'delta') progress.text += event.body.delta;
      else if (event.type === 'done') progress.usage = event.usage;
      yield { type: 'said', body: event.body };
    }
  } catch (error) {
    const failure = error instanceof GatewayError ? error : new GatewayError('internal', 'the stream broke');
    progress.failure = failure;
    yield { type: 'error', error: failure };
  } finally {
    await events.return?.();
  }
}

/** Pictures: any image model through any of its bodies. */
import { GatewayError } from '@model-gateway/contracts';
import type { Fault, Generated, ImageAdapter, ImageCreate, ImageReply, Upstream } from '@model-gateway/provider-kit';
import { offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import type { KeptFiles } from '../../files/kept-files.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { runPaid, type PaidParts, type Payment } from '../../paid/run-paid.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer } from '../../parts.ts';
import { mostOfImages, sizeClass } from './expected.ts';
import { paidImageEvents, type ImageEvent } from './image-stream.ts';
import { createPresenter, type Picture } from './present.ts';

export interface ImageCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: ImageCreate;
  readonly endpoint: string;
}
/** What a vendor made. */
export interface MadeImages {
  /** In the vendor's order; of a group some may have failed. */
  readonly pictures: readonly (Picture | { readonly fault: Fault })[];
  readonly reply: Omit<Generated<ImageReply>, 'files'>;
}
export interface Images {
  /** Throws GatewayError; nothing is charged then, unless the vendor's picture got lost on its way. */
  generate(call: ImageCall, trace?: Trace): Promise<MadeImages>;
  /** Events as the reader pulls them. The first is awaited before anything is said. */
  stream(call: ImageCall, trace?: Trace): Promise<AsyncIterable<ImageEvent>>;
}
export type ImageParts = PaidParts & { readonly openOffer: OpenOffer; readonly keptFiles: KeptFiles };

/** Makes the picture side of a gateway. */
export function createImages(parts: ImageParts): Images {
  const present = createPresenter(parts.keptFiles);
  const run = <T>(
    { caller, row, input, endpoint }: ImageCall,
    trace: Trace,
    attempt: (candidate: { readonly offer: Offer }, payment: Payment) => Promise<T>,
  ): Promise<T> =>
    runPaid(parts, {
      caller,
      row,
      endpoint,
      trace,
      candidates: parts.router.order(offersFor(parts.catalogue(), row, caller.mode)).map((offer) => ({ offer })),
      repeat: UNTIL_TAKEN,
      quote: { most: mostOfImages(input) },
      factors: { resolution: sizeClass(input.size) },
      attempt,
    });
  const presenting = ({ input, caller }: ImageCall, upstream: Upstream) => ({
    wanted: input.responseFormat,
    tenant: caller.key,
    upstream,
  });

  return {
    async generate(call, trace = newTrace()) {
      const { input, caller } = call;
      const { reply, upstream } = await run(call, trace, async ({ offer }, payment) => {
        const opened = parts.openOffer(offer, caller.signal);
        const made = await painterOf(opened.adapter.images).generate(input, opened.upstream);
        trace.dropped = withoutSetting(made.dropped);
        payment.settle({ usage: { images: picturesIn(made), ...made.usage } });
        return { reply: made, upstream: opened.upstream };
      });
      const pictures = await Promise.all(
        reply.files.map(async (file) => ('fault' in file ? file : present(file, presenting(call, upstream)))),
      );
      return { pictures, reply };
    },

    async stream(call, trace = newTrace()) {
      const { row, input, caller } = call;
      return run(call, trace, async ({ offer }, payment) => {
        const over = new AbortController();
        const close = (): void => over.abort();
        const { adapter, upstream } = parts.openOffer(offer, AbortSignal.any([caller.signal, over.signal]));
        const painter = painterOf(adapter.images);
        if (painter.stream === undefined) throw hasNoStream(row);
        const events = painter.stream(input, upstream)[Symbol.asyncIterator]();
        const first = await events.next();
        if (first.done !== true && first.value.type === 'started') trace.dropped = withoutSetting(first.value.dropped);
        return paidImageEvents(
          { first, events, present: (file) => present(file, presenting(call, upstream)) },
          caller.signal,
          { payment, close },
        );
      });
    },
  };
}

function painterOf(adapter: ImageAdapter | undefined): ImageAdapter {
  if (adapter === undefined) throw new GatewayError('internal', 'the offer’s vendor makes no pictures');
  return adapter;
}

function picturesIn({ files }: Generated<ImageReply>): number {
  return files.filter((file) => !('fault' in file)).length;
}

function hasNoStream({ code }: ModelRow): GatewayError {
  return new GatewayError('invalid_request', `the model '${code}' has no stream; send the request without stream`, {
    param: 'stream',
  });
}

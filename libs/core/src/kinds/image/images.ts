/** Pictures: any image model through any of its bodies. */
import { GatewayError } from '@model-gateway/contracts';
import type { Fault, Generated, ImageAdapter, ImageCreate, ImageReply, Upstream } from '@model-gateway/provider-kit';
import { offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import type { KeptFiles } from '../../files/kept-files.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../../paid/request-media.ts';
import { runPaid, type PaidParts, type Payment } from '../../paid/run-paid.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import { billableImages, mostOfImages, sizeClass } from './expected.ts';
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
export type ImageParts = PaidParts &
  Pick<Parts, 'adapters' | 'untrustedFetcher'> & {
    readonly openOffer: OpenOffer;
    readonly keptFiles: KeptFiles;
  };

/** Makes the picture side of a gateway. */
export function createImages(parts: ImageParts): Images {
  const present = createPresenter(parts.keptFiles);
  const run = <T>(
    { caller, row, input, endpoint }: ImageCall,
    trace: Trace,
    attempt: (candidate: { readonly offer: Offer }, payment: Payment, media: RequestMedia) => Promise<T>,
  ): Promise<T> => {
    const most = mostOfImages(input, row);
    const media = createRequestMedia(parts, caller);
    return runPaid(parts, {
      caller,
      row,
      endpoint,
      trace,
      candidates: parts.router.order(offersFor(parts.catalogue(), row, caller.mode)).map((offer) => ({ offer })),
      repeat: UNTIL_TAKEN,
      quote: { most },
      factors: { resolution: sizeClass(input.size) },
      believe: (reported) => billableImages(reported, most, row.price),
      async prepare(candidate) {
        const { account, model, quirks } = candidate.offer;
        await media.ready(parts.adapters.get(account.vendor)?.images?.media?.(input, { model, quirks }) ?? []);
        return candidate;
      },
      attempt: (candidate, payment) => attempt(candidate, payment, media),
    });
  };
  const presenting = ({ input, caller }: ImageCall, upstream: Upstream) => ({
    wanted: input.responseFormat,
    tenant: caller.key,
    upstream,
  });

  return {
    async generate(call, trace = newTrace()) {
      const { input, caller } = call;
      const { reply, upstream } = await run(call, trace, async ({ offer }, payment, media) => {
        const isCut = offer.account.onDisconnect === 'abort';
        const opened = parts.openOffer(offer, isCut ? caller.signal : undefined);
        const made = await painterOf(opened.adapter.images).generate(input, media.within(opened.upstream));
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
      return run(call, trace, async ({ offer }, payment, media) => {
        const over = new AbortController();
        const close = (): void => over.abort();
        const { onDisconnect } = offer.account;
        const isCut = onDisconnect === 'abort';
        const signal = isCut ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
        const { adapter, upstream } = parts.openOffer(offer, signal);
        const painter = painterOf(adapter.images);
        if (painter.stream === undefined) throw hasNoStream(row);
        const events = painter.stream(input, media.within(upstream))[Symbol.asyncIterator]();
        const first = await events.next();
        if (first.done !== true && first.value.type === 'started') trace.dropped = withoutSetting(first.value.dropped);
        return paidImageEvents(
          { first, events, present: (file) => present(file, presenting(call, upstream)) },
          caller.signal,
          { payment, close, onDisconnect },
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

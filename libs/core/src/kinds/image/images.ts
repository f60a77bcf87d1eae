/** Pictures: any image model through any of its bodies. */
import { GatewayError } from '@model-gateway/contracts';
import type { Fault, Generated, ImageAdapter, ImageCreate, ImageReply, Upstream } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import type { KeptFiles } from '../../files/kept-files.ts';
import { refuseKept } from '../../paid/kept-by-vendors.ts';
import { UNTIL_TAKEN } from '../../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../../paid/request-media.ts';
import { answered, mediaCandidates, type InputCandidate, type MediaControl } from '../../paid/routed.ts';
import { runPaid, type PaidParts } from '../../paid/paid-request.ts';
import type { Payment, PriceTerms } from '../../paid/payment.ts';
import { newTrace, withoutSetting, type Trace } from '../../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import { isGroup, mostOfImages, sizeClass, usageOfImages } from './expected.ts';
import { paidImageEvents, type ImageEvent } from './image-stream.ts';
import { createPresenter, type Picture, type Present, type Presenting } from './present.ts';

export interface ImageCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: ImageCreate;
  /** The input for another model that the row leads to. Throws what that one has against it. */
  readonly read: (row: ModelRow) => ImageCreate;
  readonly endpoint: string;
  /** Nobody waits for the answer: links in it are read long after. */
  readonly isReadLater?: boolean;
  /** What the caller says of the way that the request may take; absent: nothing. */
  readonly control?: MediaControl;
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
  Pick<Parts, 'adapters' | 'store' | 'unknownVendorIds' | 'untrustedFetcher' | 'now' | 'log'> & {
    readonly openOffer: OpenOffer;
    readonly keptFiles: KeptFiles;
  };

/** Makes the picture side of a gateway. */
export function createImages(parts: ImageParts): Images {
  return new ImageService(parts);
}

type Attempt<T> = (candidate: InputCandidate<ImageCreate>, payment: Payment, media: RequestMedia) => Promise<T>;

class ImageService implements Images {
  private readonly parts: ImageParts;
  private readonly present: Present;

  constructor(parts: ImageParts) {
    this.parts = parts;
    this.present = createPresenter(parts.keptFiles);
  }

  async generate(call: ImageCall, trace: Trace = newTrace()): Promise<MadeImages> {
    const { caller, row: asked } = call;
    const { reply, upstream } = await this.run(call, trace, async ({ offer, input, row = asked }, payment, media) => {
      const isCut = offer.account.onDisconnect.others === 'abort';
      const opened = this.parts.openOffer(offer, isCut ? caller.signal : undefined, trace);
      const made = await painterOf(opened.adapter.images).generate(input, media.within(opened.upstream));
      trace.dropped = withoutSetting(made.dropped);
      const { most } = payment;
      const usage = usageOfImages(made.usage, { pictures: picturesIn(made), most, price: row.price });
      payment.settle({ usage, reported: made.usage });
      return { reply: made, upstream: opened.upstream };
    });
    const presenting = this.presentingOf(call, call.input, upstream);
    const pictures = await Promise.all(
      reply.files.map(async (file) => ('fault' in file ? file : this.present(file, presenting))),
    );
    return { pictures, reply };
  }

  async stream(call: ImageCall, trace: Trace = newTrace()): Promise<AsyncIterable<ImageEvent>> {
    const { caller, row: asked } = call;
    return this.run(call, trace, async ({ offer, input, row = asked }, payment, media) => {
      const over = new AbortController();
      const close = (): void => over.abort();
      const onDisconnect = offer.account.onDisconnect.others;
      const isCut = onDisconnect === 'abort';
      const signal = isCut ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
      const { adapter, upstream } = this.parts.openOffer(offer, signal, trace);
      const painter = painterOf(adapter.images);
      if (painter.stream === undefined) throw hasNoStream(row);
      const events = painter.stream(input, media.within(upstream))[Symbol.asyncIterator]();
      const first = await events.next();
      if (first.done !== true && first.value.type === 'started') trace.dropped = withoutSetting(first.value.dropped);
      return paidImageEvents(
        { first, events, present: (file) => this.present(file, this.presentingOf(call, input, upstream)) },
        caller.signal,
        { payment, close, onDisconnect, isGroup: isGroup(input), price: row.price },
      );
    });
  }

  private run<T>(call: ImageCall, trace: Trace, attempt: Attempt<T>): Promise<T> {
    const { parts } = this;
    const { caller, row, endpoint, input, read, control } = call;
    const media = createRequestMedia(parts, caller);
    return runPaid(parts, {
      caller,
      row,
      endpoint,
      trace,
      repeat: UNTIL_TAKEN,
      ...termsOf(input, row),
      ...mediaCandidates(parts, input, {
        caller,
        row,
        read,
        termsOf,
        facts: () => ({ text: input.prompt, inputs: new Set(input.images.length > 0 ? ['image'] : []) }),
        repeat: UNTIL_TAKEN,
        ...(control !== undefined && { control }),
      }),
      prepare: (candidate) => this.prepare(call, candidate, media),
      attempt: (candidate, payment) => this.timed(row, candidate, payment, () => attempt(candidate, payment, media)),
    });
  }

  /** Refuses what the candidate's account does not keep, and checks the media that it is sent. */
  private async prepare<Candidate extends InputCandidate<ImageCreate>>(
    { caller }: ImageCall,
    candidate: Candidate,
    media: RequestMedia,
  ): Promise<Candidate> {
    const { parts } = this;
    const { account, model, quirks } = candidate.offer;
    const { extra, keptFiles, body = {} } = candidate.input;
    const whose = { ownerId: caller.key.ownerId, offers: [candidate.offer] };
    await refuseKept(parts, extra, whose);
    if (keptFiles !== undefined)
      await refuseKept(parts, { images: body['images'] ?? null, mask: body['mask'] ?? null }, whose);
    const { images } = parts.adapters.get(account.vendor) ?? {};
    await media.ready(images?.media?.(candidate.input, { model, quirks }) ?? []);
    return candidate;
  }

  /** Tells the router how long it took, where a route chose the candidate. */
  private async timed<T>(
    row: ModelRow,
    { by, offer, row: own = row }: InputCandidate<ImageCreate>,
    { most }: Payment,
    attempt: () => Promise<T>,
  ): Promise<T> {
    if (by === undefined) return attempt();
    const since = this.parts.now();
    const made = await attempt();
    const size = TOKENS_FOR_TIME * (most.images ?? 1);
    answered(this.parts, row, { offer, row: own, by }, { since, size });
    return made;
  }

  private presentingOf({ caller, isReadLater }: ImageCall, input: ImageCreate, upstream: Upstream): Presenting {
    return {
      wanted: input.responseFormat,
      ...(isReadLater === true && { readableUntil: this.parts.now() + READ_LATER_MS }),
      tenant: caller.key,
      upstream,
    };
  }
}

/** So long the links of an answer that nobody waits for are good. */
const READ_LATER_MS = 12 * 3_600_000;

/** A picture is compared with others by its time as an answer of usual length would be. */
const TOKENS_FOR_TIME = 250;

function termsOf(input: ImageCreate, row: ModelRow): Omit<PriceTerms, 'row'> {
  return { quote: { most: mostOfImages(input, row) }, factors: { resolution: sizeClass(input.size) } };
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

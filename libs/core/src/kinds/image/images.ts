/** Pictures: any image model through either body, answered in the form that was asked. */
import { GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type {
  Generated,
  ImageAdapter,
  ImageCreate,
  ImageReply,
  ImageStreamEvent,
  MediaFile,
} from '@model-gateway/provider-kit';
import imageSize from 'image-size';
import { newTrace, type ChatTrace } from '../chat/chat.ts';
import { offersFor, type ModelRow } from '../../catalogue.ts';
import { mostOfImages, sizeClass } from '../../money/expected.ts';
import { billDetail, billOf } from '../../money/price.ts';
import type { Reservation, Spending } from '../../money/spending.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import { attemptOffers, type OpenedOffer } from '../../paid/attempts.ts';
import type { KeptFiles } from '../../files/kept-files.ts';

const LARGEST_PICTURE = 64 * 1024 * 1024;
const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export interface ImageCall {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: ImageCreate;
  readonly endpoint: string;
}
export interface Images {
  /** The result in the form of the request's shape. Throws GatewayError; nothing is charged then. */
  generate(call: ImageCall, trace?: ChatTrace): Promise<JsonObject>;
  /** Named events of the model's own stream form. The first is awaited before anything is said. */
  stream(
    call: ImageCall,
    trace?: ChatTrace,
  ): Promise<AsyncIterable<{ readonly event: string; readonly data: JsonObject }>>;
}
export type ImageParts = Parts & {
  readonly openOffer: OpenOffer;
  readonly spending: Spending;
  readonly keptFiles: KeptFiles;
};

/** Makes the picture side of a gateway. */
export function createImages(parts: ImageParts): Images {
  const reserve = async ({ caller, row, input }: ImageCall): Promise<Reservation> => {
    const group = parts.catalogue().groupFactors[caller.key.group] ?? 1;
    return parts.spending.reserve(
      caller,
      billOf(mostOfImages(input), row.price, { group, resolution: sizeClass(input.size) }).units,
    );
  };
  const charge = (
    { caller, row, input, endpoint }: ImageCall,
    trace: ChatTrace,
    reservation: Reservation,
    usage: Usage,
  ): void => {
    const catalogue = parts.catalogue();
    const bill = billOf(usage, row.price, {
      group: catalogue.groupFactors[caller.key.group] ?? 1,
      resolution: sizeClass(input.size),
    });
    const { charged } = reservation.charge({
      model: row.code,
      endpoint,
      units: bill.units,
      priceVersion: catalogue.priceVersion,
      detail: billDetail(bill, usage),
      ...(trace.accountId !== undefined && { accountId: trace.accountId }),
    });
    trace.usage = usage;
    trace.charged = charged;
  };
  const adapterOf = ({ adapter }: OpenedOffer): ImageAdapter => {
    if (adapter.images === undefined) throw new GatewayError('internal', 'the offer’s vendor makes no pictures');
    return adapter.images;
  };
  const offersOf = ({ row, caller }: ImageCall) => parts.router.order(offersFor(parts.catalogue(), row, caller.mode));

  /** The picture as the caller wants it, whatever the vendor gave. */
  const present = async (call: ImageCall, file: MediaFile, opened: OpenedOffer): Promise<JsonObject> => {
    const want = call.input.responseFormat;
    const sized = file.width !== undefined && file.height !== undefined ? { size: `${file.width}x${file.height}` } : {};
    if ('url' in file && want !== 'b64_json') return { url: file.url, ...sized };
    const bytes =
      'bytes' in file
        ? file.bytes
        : (
            await opened.upstream.fetchMedia(file.url, {
              maxBytes: LARGEST_PICTURE,
              types: PICTURES,
              param: 'the vendor’s picture',
            })
          ).bytes;
    const size = sized.size === undefined ? sizeOfBytes(bytes) : sized;
    const b64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    if (want === 'b64_json') return { b64_json: b64, ...size };
    const url = await parts.keptFiles.keep({ bytes, mime: file.mime, tenant: call.caller.key });
    // Callers of these models' own API read b64_json when they did not say what they want.
    return want === 'url' ? { url, ...size } : { url, b64_json: b64, ...size };
  };

  return {
    async generate(call, trace = newTrace()) {
      const reservation = await reserve(call);
      try {
        const {
          value: reply,
          opened,
          done,
        } = await attemptOffers(parts, { offers: offersOf(call), caller: call.caller, trace }, (opening) =>
          adapterOf(opening).generate(call.input, opening.upstream),
        );
        trace.dropped = reply.dropped.map((field) => ({ field, reason: 'the vendor has no such setting' }));
        done();
        const pictures = reply.files.filter((file) => !('fault' in file)).length;
        charge(call, trace, reservation, { images: pictures, ...reply.usage });
        const items = await Promise.all(
          reply.files.map(async (file) => ('fault' in file ? faultItem(file.fault) : present(call, file, opened))),
        );
        return call.input.shape === 'messages'
          ? outputForm(reply, items, call.caller.requestId)
          : dataForm(call, reply, items, parts.now());
      } catch (error) {
        reservation.cancel();
        throw error;
      }
    },
    async stream(call, trace = newTrace()) {
      const reservation = await reserve(call);
      try {
        const started = await attemptOffers(
          parts,
          { offers: offersOf(call), caller: call.caller, trace },
          async (opening) => {
            const adapter = adapterOf(opening);
            if (adapter.stream === undefined)
              throw new GatewayError(
                'invalid_request',
                `the model '${call.row.code}' has no stream; send the request without stream`,
                { param: 'stream' },
              );
            const events = adapter.stream(call.input, opening.upstream)[Symbol.asyncIterator]();
            return { events, first: await events.next() };
          },
        );
        const { events, first } = started.value;
        if (first.done !== true && first.value.type === 'started')
          trace.dropped = first.value.dropped.map((field) => ({ field, reason: 'the vendor has no such setting' }));
        const bill = (usage: Usage): void => charge(call, trace, reservation, usage);
        return streamEvents({
          call,
          opened: started.opened,
          done: started.done,
          bill,
          cancel: () => reservation.cancel(),
          present,
          first,
          events,
          now: parts.now,
        });
      } catch (error) {
        reservation.cancel();
        throw error;
      }
    },
  };
}

interface Streaming {
  readonly call: ImageCall;
  readonly opened: OpenedOffer;
  readonly done: (error?: GatewayError) => void;
  readonly bill: (usage: Usage) => void;
  readonly cancel: () => void;
  readonly present: (call: ImageCall, file: MediaFile, opened: OpenedOffer) => Promise<JsonObject>;
  readonly first: IteratorResult<ImageStreamEvent>;
  readonly events: AsyncIterator<ImageStreamEvent>;
  readonly now: () => number;
}

/** Seedream's own event names for its bodies, OpenAI's for the others (media.md §2.5, §3.4). */
async function* streamEvents(streaming: Streaming): AsyncGenerator<{ event: string; data: JsonObject }> {
  const { call, opened, present } = streaming;
  const seedream = call.row.imageShape === 'prompt';
  const prefix = call.input.shape === 'edit' ? 'image_edit' : 'image_generation';
  const created = Math.floor(streaming.now() / 1000);
  const said = (type: string, data: JsonObject): { event: string; data: JsonObject } => ({
    event: type,
    data: { type, ...data },
  });
  let pictures = 0;
  let usage: Usage | undefined;
  let last: JsonObject | undefined;
  let failure: GatewayError | undefined;
  try {
    for (let next = streaming.first; next.done !== true; next = await streaming.events.next()) {
      const event = next.value;
      if (event.type === 'partial') {
        yield said(`${prefix}.partial_image`, {
          ...(await present(call, event.file, opened)),
          partial_image_index: event.index,
          created_at: created,
          ...event.echo,
        });
      } else if (event.type === 'image') {
        pictures++;
        const picture = await present(call, event.file, opened);
        if (seedream)
          yield said(`${prefix}.partial_succeeded`, {
            model: call.row.code,
            created,
            image_index: event.index,
            ...picture,
            ...event.echo,
          });
        else last = { ...picture, created_at: created, ...event.echo };
      } else if (event.type === 'failed') {
        yield said(`${prefix}.partial_failed`, {
          model: call.row.code,
          created,
          image_index: event.index,
          ...faultItem(event.fault),
        });
      } else if (event.type === 'completed') {
        usage = event.usage;
        yield said(`${prefix}.completed`, {
          ...(seedream && { model: call.row.code, created }),
          ...last,
          usage: event.vendorUsage ?? tokensOf(event.usage),
        });
      }
    }
  } catch (error) {
    failure = error instanceof GatewayError ? error : new GatewayError('internal', 'the stream broke');
    yield said('error', { error: { code: failure.code, message: failure.message } });
  } finally {
    streaming.done(failure);
    if (pictures === 0 && usage === undefined) streaming.cancel();
    else streaming.bill({ images: pictures, ...usage });
    await streaming.events.return?.();
  }
}

function faultItem(fault: {
  readonly code: string;
  readonly message: string;
  readonly vendorCode?: string;
}): JsonObject {
  return { error: { code: fault.vendorCode ?? fault.code, message: fault.message } };
}

function sizeOfBytes(bytes: Uint8Array): { size?: string } {
  try {
    const { width, height } = imageSize(bytes);
    return { size: `${width}x${height}` };
  } catch {
    return {};
  }
}

function tokensOf(usage: Usage): JsonObject {
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: {
      text_tokens: input - (usage.inputImageTokens ?? 0),
      image_tokens: usage.inputImageTokens ?? 0,
    },
  };
}

/** Image models 1 and 3: `data[]`. */
function dataForm(call: ImageCall, reply: Generated<ImageReply>, items: JsonObject[], now: number): JsonObject {
  const created = reply.created ?? Math.floor(now / 1000);
  if (call.row.kind === 'image-edit') {
    const shown = items.map((item) => ({
      ...item,
      ...(reply.revisedPrompt !== undefined && { revised_prompt: reply.revisedPrompt }),
    }));
    return { created, data: shown, ...reply.echo, usage: tokensOf(reply.usage) };
  }
  const made = items.filter((item) => item['error'] === undefined).length;
  const output = reply.usage.outputTokens ?? 0;
  return {
    model: call.row.code,
    created,
    data: items,
    usage: {
      generated_images: made,
      output_tokens: output,
      total_tokens: (reply.usage.inputTokens ?? 0) + output,
      tool_usage: null,
      ...reply.vendorUsage,
    },
    error: made === 0 ? (items[0]?.['error'] ?? null) : null,
  };
}

/** Image model 2: `output[]`. */
function outputForm(reply: Generated<ImageReply>, items: readonly JsonObject[], requestId: string): JsonObject {
  const input = reply.usage.inputTokens ?? 0;
  const output = reply.usage.outputTokens ?? 0;
  return {
    output: items.map((item) => ({
      type: 'message',
      content: [{ type: 'image', text: item['url'] ?? `data:image/png;base64,${textOf(item['b64_json'])}` }],
    })),
    usage: {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: usageOf(reply.usage.cachedInputTokens) },
      output_tokens_details: { reasoning_tokens: usageOf(reply.usage.reasoningTokens) },
      ...reply.vendorUsage,
    },
    request_id: reply.requestId ?? requestId,
  };
}

function usageOf(count: number | undefined): number {
  return count ?? 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

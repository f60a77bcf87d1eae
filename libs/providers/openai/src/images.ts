import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  addUsage,
  defined,
  dimensionsOf,
  listAt,
  malformedReply,
  midReplyError,
  mimeByName,
  numberAt,
  objectAt,
  pictureFrom,
  readEventsOrBody,
  textAt,
  usageOf,
  type ImageAdapter,
  type ImageReply,
  type ImageStreamEvent,
  type MediaFile,
  type Upstream,
  type VendorEvent,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { isUsage, picturesOfForm, toOpenAiImages } from './image-request.ts';

/** OpenAI's images: generations and edits, whole or with partial pictures (docs/wire/images.md#openai-images). */
export const images: ImageAdapter = {
  media: picturesOfForm,

  async generate(input, upstream) {
    const { request, dropped } = await toOpenAiImages(input, upstream, false);
    const { json } = await upstream.send(request);
    return { ...fromOpenAiImages(json), dropped };
  },

  async *stream(input, upstream) {
    const { request, dropped } = await toOpenAiImages(input, upstream, true);
    const reply = await upstream.stream(request);
    yield* fromOpenAiEvents(readEventsOrBody(reply.body), upstream, dropped);
  },
};

/** The answer of both endpoints. `upstream_malformed` when it holds no picture. */
export function fromOpenAiImages(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  const size = textAt(json, 'size');
  const files = listAt(json, 'data').map((item) => fileOf(item, size));
  if (files.length === 0) throw malformedReply('it holds no picture');
  const created = numberAt(json, 'created');
  const revisedPrompt = textAt(json, 'data', 0, 'revised_prompt');
  const vendorUsage = objectAt(json, 'usage');
  const echo = echoOf(json);
  return {
    files,
    usage: { ...tokensOf(vendorUsage), images: files.length },
    ...(created !== undefined && { created }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
    ...(isUsage(vendorUsage) && { vendorUsage }),
    ...(Object.keys(echo).length > 0 && { echo }),
  };
}

/** The events of both endpoints' streams; a server that ignores `stream` answers whole, and that is told as events too. */
export async function* fromOpenAiEvents(
  events: AsyncIterable<VendorEvent>,
  upstream: Pick<Upstream, 'scrub'>,
  dropped: readonly string[] = [],
): AsyncGenerator<ImageStreamEvent> {
  let started = false;
  let made = 0;
  let usage: Usage = {};
  let vendorUsage: JsonObject | undefined;
  for await (const { name, json, whole } of events) {
    const fault = readFault({ status: 200, headers: {}, body: new Uint8Array(0), json });
    if (fault !== undefined) throw midReplyError(fault, upstream);
    if (!started) yield { type: 'started', dropped };
    started = true;
    if (whole) {
      const reply = fromOpenAiImages(json);
      for (const file of reply.files) {
        if ('fault' in file) continue;
        yield { type: 'image', index: made, file, ...(reply.echo !== undefined && { echo: reply.echo }) };
        made += 1;
      }
      ({ usage, vendorUsage } = reply);
    } else if (name.endsWith('.partial_image')) {
      const index = numberAt(json, 'partial_image_index') ?? 0;
      yield { type: 'partial', index, file: fileOf(json, textAt(json, 'size')), echo: echoOf(json) };
    } else if (name.endsWith('.completed')) {
      yield { type: 'image', index: made, file: fileOf(json, textAt(json, 'size')), echo: echoOf(json) };
      made += 1;
      vendorUsage = objectAt(json, 'usage') ?? vendorUsage;
      usage = addUsage([usage, tokensOf(objectAt(json, 'usage'))]);
    }
  }
  if (made === 0) {
    throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended before the picture was done', {
      taken: 'unknown',
    });
  }
  yield { type: 'completed', usage: { ...usage, images: made }, ...(isUsage(vendorUsage) && { vendorUsage }) };
}

function fileOf(item: Json, size: string | undefined): MediaFile {
  const base64 = textAt(item, 'b64_json');
  if (base64 !== undefined) return { ...pictureFrom(base64), ...dimensionsOf(size) };
  const url = textAt(item, 'url');
  if (url === undefined) throw malformedReply('a picture has neither bytes nor an address');
  return { url, mime: mimeByName(url, 'image/png'), ...dimensionsOf(size) };
}

function echoOf(json: Json | undefined): JsonObject {
  return defined({
    background: textAt(json, 'background'),
    output_format: textAt(json, 'output_format'),
    quality: textAt(json, 'quality'),
    size: textAt(json, 'size'),
  });
}

function tokensOf(usage: JsonObject | undefined): Usage {
  return usageOf({
    inputTokens: numberAt(usage, 'input_tokens'),
    cachedInputTokens: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
    inputImageTokens: numberAt(usage, 'input_tokens_details', 'image_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    outputImageTokens: numberAt(usage, 'output_tokens_details', 'image_tokens'),
  });
}

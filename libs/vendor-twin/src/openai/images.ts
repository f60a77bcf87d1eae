import { unixSeconds } from '../core/clock.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { seedOf } from '../core/seed.ts';
import type { Route } from '../core/vendor.ts';
import { tokensOf } from '../chat/tokens.ts';
import type { ImageSpec } from '../media/spec.ts';
import { badRequest, openAiError } from './errors.ts';
import { standardHeaders } from './headers.ts';
import { readEdit, readGeneration, type ImageOrder } from './image-request.ts';

type Kind = 'image_generation' | 'image_edit';

/** Generations and edits; GPT image models answer with bytes, never with links. */
export const imageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    operation: 'image',
    handle: async (exchange) => answer(exchange, readGeneration(exchange), 'image_generation'),
  },
  {
    method: 'POST',
    path: '/v1/images/edits',
    operation: 'edit',
    handle: async (exchange) => answer(exchange, await readEdit(exchange), 'image_edit'),
  },
];

async function answer(exchange: Exchange, order: ImageOrder, kind: Kind): Promise<void> {
  const markers = await exchange.obey(order.prompt);
  if (markers.words.has('refuse') || exchange.fate(markers) === 'moderation') {
    const message = 'Your request was rejected by the safety system. If you believe this is an error, contact us.';
    throw badRequest(message, null, 'moderation_blocked');
  }
  const text = withoutMarkers(order.prompt);
  const specs = Array.from({ length: order.count }, (_, index): ImageSpec => {
    const label = order.count > 1 ? `${text} (${index + 1})` : text;
    return { kind: 'image', ...order.size, format: order.format, text: label, seed: seedOf(label) };
  });
  if (order.stream) await stream(exchange, { order, specs, kind });
  else await whole(exchange, order, specs);
}

/** What one picture of this quality costs, by its pixels. */
const PER_MEGAPIXEL = { low: 259, medium: 1007, high: 3967 } as const;
const PER_INPUT = 323;

function tokens(order: ImageOrder): { readonly text: number; readonly image: number; readonly output: number } {
  const pixels = (order.size.width * order.size.height) / 1_000_000;
  return {
    text: tokensOf(order.prompt),
    image: order.inputs * PER_INPUT,
    output: Math.round(PER_MEGAPIXEL[order.quality] * pixels) * order.count,
  };
}

function usageOf(order: ImageOrder): Record<string, unknown> {
  const { text, image, output } = tokens(order);
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: text + image + output,
  };
}

function echoOf(order: ImageOrder): Record<string, unknown> {
  return {
    background: order.background,
    output_format: order.format,
    quality: order.quality,
    size: `${order.size.width}x${order.size.height}`,
  };
}

function record(exchange: Exchange, order: ImageOrder, aborted: boolean): void {
  const { text, image, output } = tokens(order);
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: order.stream,
    aborted,
    billed: {
      inputTokens: text + image,
      inputImageTokens: image,
      outputTokens: output,
      outputImageTokens: output,
      images: order.count,
    },
  });
}

async function whole(exchange: Exchange, order: ImageOrder, specs: readonly ImageSpec[]): Promise<void> {
  const files = await Promise.all(specs.map(async (spec) => exchange.stage.media.file(spec)));
  record(exchange, order, false);
  const body = {
    created: unixSeconds(exchange.stage.now()),
    ...echoOf(order),
    data: files.map((file) => ({ b64_json: file.toString('base64') })),
    usage: usageOf(order),
  };
  exchange.reply(200, body, standardHeaders(exchange));
}

interface Streamed {
  readonly order: ImageOrder;
  readonly specs: readonly ImageSpec[];
  readonly kind: Kind;
}

/** Drafts first, each with more of the prompt in it; then the picture itself with the bill. */
async function stream(exchange: Exchange, { order, specs, kind }: Streamed): Promise<void> {
  const error = `event: error\ndata: ${JSON.stringify({ type: 'error', error: openAiError(500) })}\n\n`;
  const events = exchange.events(
    { ...standardHeaders(exchange), 'content-type': 'text/event-stream; charset=utf-8' },
    error,
  );
  const created_at = unixSeconds(exchange.stage.now());
  const send = async (type: string, spec: ImageSpec, more: object): Promise<boolean> => {
    const b64_json = (await exchange.stage.media.file(spec)).toString('base64');
    const event = { type, b64_json, created_at, ...echoOf(order), ...more };
    return events.send(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  for (const spec of specs) {
    for (let draft = 0; draft < order.partials; draft += 1) {
      const text = spec.text.slice(0, Math.ceil((spec.text.length * (draft + 1)) / (order.partials + 1)));
      if (!(await send(`${kind}.partial_image`, { ...spec, text }, { partial_image_index: draft }))) {
        record(exchange, order, true);
        return;
      }
    }
  }
  record(exchange, order, !events.open);
  for (const spec of specs) await send(`${kind}.completed`, spec, { usage: usageOf(order) });
  events.end();
}

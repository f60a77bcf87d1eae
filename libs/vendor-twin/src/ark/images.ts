import { unixSeconds } from '../core/clock.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import { seedOf } from '../core/seed.ts';
import type { Route } from '../core/vendor.ts';
import type { ImageSpec } from '../media/spec.ts';
import { badArkRequest, complainAsArk } from './errors.ts';
import { readArkImages, type ArkImages } from './image-request.ts';

export const arkImageRoute: Route = {
  method: 'POST',
  path: '/api/v3/images/generations',
  operation: 'image',
  handle: generate,
};

/** How large a group gets when the model may choose. */
const USUAL_GROUP = 3;

type Item = { readonly spec: ImageSpec } | { readonly error: { readonly code: string; readonly message: string } };

async function generate(exchange: Exchange): Promise<void> {
  const order = readArkImages(exchange.json(complainAsArk));
  const markers = await exchange.obey(order.prompt);
  if (markers.words.has('refuse') || exchange.fate(markers) === 'moderation') {
    const [code, what] = markers.words.has('refuse')
      ? ['InputTextSensitiveContentDetected', 'input text']
      : ['OutputImageSensitiveContentDetected', 'output image'];
    throw badArkRequest(code, `The request failed because the ${what} may contain sensitive information.`);
  }
  const items = itemsOf(order, markers);
  if (order.stream) await sendStream(exchange, order, items);
  else await sendWhole(exchange, order, items);
}

function itemsOf(order: ArkImages, markers: Markers): Item[] {
  const asked = Number(markers.words.get('images'));
  const count = Math.max(1, Math.min(order.most, asked > 0 ? asked : USUAL_GROUP));
  const text = withoutMarkers(order.prompt);
  return Array.from({ length: count }, (_, index): Item => {
    if (markers.words.has('partial') && index === count - 1 && count > 1) {
      return {
        error: {
          code: 'OutputImageSensitiveContentDetected',
          message: 'The output image may contain sensitive information.',
        },
      };
    }
    const label = count > 1 ? `${text} (${index + 1})` : text;
    return { spec: { kind: 'image', ...order.size, format: order.format, text: label, seed: seedOf(label) } };
  });
}

async function fileOf(exchange: Exchange, order: ArkImages, spec: ImageSpec): Promise<Record<string, unknown>> {
  const size = `${spec.width}x${spec.height}`;
  const format = order.model.includes('seedream-5') ? { output_format: spec.format } : {};
  if (!order.asBase64) return { url: exchange.stage.media.link(spec), size, ...format };
  return { b64_json: (await exchange.stage.media.file(spec)).toString('base64'), size, ...format };
}

function usageOf(order: ArkImages, made: number): Record<string, unknown> {
  const tokens = Math.floor((order.size.width * order.size.height) / 256) * made;
  return {
    generated_images: made,
    output_tokens: tokens,
    total_tokens: tokens,
    ...(order.inputs > 0 && { input_images: order.inputs }),
    ...(order.search && { tool_usage: { web_search: 1 } }),
  };
}

function record(exchange: Exchange, order: ArkImages, made: number, aborted: boolean): void {
  const usage = usageOf(order, made);
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: order.stream,
    aborted,
    billed: { images: made, outputTokens: Number(usage['output_tokens']), ...(order.search && { webSearches: 1 }) },
  });
}

async function sendWhole(exchange: Exchange, order: ArkImages, items: readonly Item[]): Promise<void> {
  const data = await Promise.all(
    items.map(async (item) => ('spec' in item ? fileOf(exchange, order, item.spec) : item)),
  );
  const made = items.filter((item) => 'spec' in item).length;
  record(exchange, order, made, false);
  exchange.reply(200, {
    model: order.model,
    created: unixSeconds(exchange.stage.now()),
    data,
    usage: usageOf(order, made),
  });
}

async function sendStream(exchange: Exchange, order: ArkImages, items: readonly Item[]): Promise<void> {
  const created = unixSeconds(exchange.stage.now());
  const failure = {
    error: { code: 'InternalServiceError', message: 'The service encountered an unexpected internal error.' },
  };
  const events = exchange.events(
    { 'content-type': 'text/event-stream; charset=utf-8' },
    `event: error\ndata: ${JSON.stringify(failure)}\n\n`,
  );
  let made = 0;
  for (const [image_index, item] of items.entries()) {
    const base = { model: order.model, created, image_index };
    const event =
      'spec' in item
        ? { type: 'image_generation.partial_succeeded', ...base, ...(await fileOf(exchange, order, item.spec)) }
        : { type: 'image_generation.partial_failed', ...base, error: item.error };
    if (!(await events.send(frame(event)))) {
      record(exchange, order, made, true);
      return;
    }
    if ('spec' in item) made += 1;
  }
  record(exchange, order, made, !events.open);
  await events.send(
    frame({ type: 'image_generation.completed', model: order.model, created, usage: usageOf(order, made) }),
  );
  await events.send('data: [DONE]\n\n');
  events.end();
}

function frame(event: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

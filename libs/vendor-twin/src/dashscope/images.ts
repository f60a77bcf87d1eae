import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import { seedOf } from '../core/seed.ts';
import type { Route } from '../core/vendor.ts';
import { startJob } from '../core/work.ts';
import { complainAsDashScope, dashScopeRefusal } from './errors.ts';
import { readDashScopeImages, type DashScopeImages, type InputForm } from './image-request.ts';
import { requireAsync } from './tasks.ts';

const AIGC = '/api/v1/services/aigc';

/** Qwen-Image and Wan: at once, or as tasks. */
export const imageRoutes: readonly Route[] = [
  { method: 'POST', path: `${AIGC}/multimodal-generation/generation`, operation: 'image', handle: generate },
  {
    method: 'POST',
    path: `${AIGC}/text2image/image-synthesis`,
    operation: 'image',
    handle: async (exchange) => start(exchange, 'prompt'),
  },
  {
    method: 'POST',
    path: `${AIGC}/image-generation/generation`,
    operation: 'image',
    handle: async (exchange) => start(exchange, 'messages'),
  },
];

async function read(exchange: Exchange, form: InputForm): Promise<{ order: DashScopeImages; markers: Markers }> {
  const order = readDashScopeImages(exchange.json(complainAsDashScope), form);
  const markers = await exchange.obey(order.prompt);
  if (markers.words.has('refuse')) {
    throw dashScopeRefusal(400, 'DataInspectionFailed', 'Input data may contain inappropriate content.');
  }
  return { order, markers };
}

async function generate(exchange: Exchange): Promise<void> {
  const { order, markers } = await read(exchange, 'messages');
  if (exchange.fate(markers) === 'moderation') {
    throw dashScopeRefusal(400, 'DataInspectionFailed', 'Output data may contain inappropriate content.');
  }
  exchange.record({
    kind: 'image',
    model: order.model,
    stream: false,
    aborted: false,
    billed: { images: order.count },
  });
  exchange.reply(200, {
    output: { choices: choicesOf(exchange, order) },
    usage: usageOf(order),
    request_id: exchange.stage.newId(''),
  });
}

async function start(exchange: Exchange, form: InputForm): Promise<void> {
  requireAsync(exchange);
  const { order, markers } = await read(exchange, form);
  const { stage } = exchange;
  const output: JsonObject =
    form === 'prompt'
      ? {
          results: linksOf(exchange, order).map((url) => ({
            url,
            orig_prompt: order.prompt,
            actual_prompt: order.prompt,
          })),
        }
      : { finished: true, choices: choicesOf(exchange, order) };
  const job = startJob(exchange, markers, {
    id: stage.newId('0b6a1c1e-'),
    kind: 'image',
    model: order.model,
    prompt: order.prompt,
    usage: { images: order.count },
    details: { output, usage: usageOf(order) },
  });
  exchange.reply(200, { output: { task_status: 'PENDING', task_id: job.id }, request_id: stage.newId('') });
}

function linksOf(exchange: Exchange, order: DashScopeImages): string[] {
  const text = withoutMarkers(order.prompt);
  return Array.from({ length: order.count }, (_, index) => {
    const label = order.count > 1 ? `${text} (${index + 1})` : text;
    const seed = (order.seed ?? seedOf(label)) + index;
    return exchange.stage.media.link({ kind: 'image', ...order.size, format: 'png', text: label, seed });
  });
}

function choicesOf(exchange: Exchange, order: DashScopeImages): JsonObject[] {
  return linksOf(exchange, order).map((image) => ({
    finish_reason: 'stop',
    message: { role: 'assistant', content: [{ image }] },
  }));
}

function usageOf(order: DashScopeImages): { image_count: number; width: number; height: number } {
  return { image_count: order.count, width: order.size.width, height: order.size.height };
}

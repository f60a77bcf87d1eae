import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import { seedOf, pixelSize, type Size } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { startJob } from '../core/work.ts';
import { complainAsDashScope, dashScopeRefusal, refuseUnknownDashScopeModel } from './errors.ts';
import { requireAsync } from './tasks.ts';
import type { Reader } from '../core/reader.ts';

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

/** `messages`: one user message with text and pictures; `prompt`: the older form. */
export type InputForm = 'messages' | 'prompt';

export interface DashScopeImages {
  readonly model: string;
  readonly prompt: string;
  readonly size: Size;
  readonly count: number;
  readonly inputs: number;
  readonly seed: number | undefined;
}

const OLD_SIZES = ['1664*928', '1472*1104', '1328*1328', '1104*1472', '928*1664'];

export function readDashScopeImages(body: Reader, form: InputForm): DashScopeImages {
  const model = body.string('model');
  refuseUnknownDashScopeModel(model);
  const input = body.object('input');
  const { prompt, inputs } =
    form === 'messages' ? readMessages(input) : { prompt: input.string('prompt', 800), inputs: 0 };
  const parameters = body.optionalObject('parameters');
  for (const name of ['watermark', 'prompt_extend', 'enable_sequential', 'thinking_mode'] as const)
    parameters?.optionalBoolean(name);
  parameters?.optionalString('negative_prompt', 500);
  return {
    model,
    prompt,
    size: readSize(parameters, model),
    count: parameters?.optionalInteger('n', 1, 6) ?? 1,
    inputs,
    seed: parameters?.optionalInteger('seed', 0, 2_147_483_647),
  };
}

/** Exactly one message, of the user, with exactly one text. */
function readMessages(input: Reader): { prompt: string; inputs: number } {
  const messages = input.objects('messages');
  const [message] = messages;
  if (message === undefined || messages.length !== 1) refuse('input.messages must have exactly one message');
  message.oneOf('role', ['user'] as const);
  const texts: string[] = [];
  let inputs = 0;
  message.array('content');
  for (const part of message.objects('content')) {
    if (part.has('image')) {
      if (!/^(https?:\/\/|oss:\/\/|data:image\/)/.test(part.string('image')))
        refuse('content.image must be a URL or a data URL');
      inputs += 1;
    } else {
      texts.push(part.string('text', 5000));
    }
  }
  if (texts.length !== 1) refuse('content must have exactly one text');
  if (inputs > 10) refuse('content may have at most 10 images');
  return { prompt: texts.join(''), inputs };
}

/** Width, asterisk, height. */
function readSize(parameters: Reader | undefined, model: string): Size {
  const text = parameters?.optionalString('size');
  const older = /^qwen-image(-plus|-max)?(-\d{4}.*)?$/.test(model);
  if (text === undefined) return older ? { width: 1664, height: 928 } : { width: 1328, height: 1328 };
  const size = pixelSize(text, '*');
  if (older && OLD_SIZES.includes(text) && size !== undefined) return size;
  const pixels = size === undefined ? 0 : size.width * size.height;
  if (!older && size !== undefined && pixels >= 512 * 512 && pixels <= 2048 * 2048) return size;
  return refuse(
    `parameters.size ${text} is not supported: expected ${older ? OLD_SIZES.join(', ') : '512*512 to 2048*2048 pixels'}`,
  );
}

function refuse(message: string): never {
  throw dashScopeRefusal(400, 'InvalidParameter', `${message}.`);
}

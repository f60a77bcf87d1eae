/** InvokeModel for Claude: Anthropic's wire, its stream in AWS's frames; and token counts. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { Reader } from '../core/reader.ts';
import { Refusal } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import { complainAsAnthropic } from '../anthropic/errors.ts';
import { messagesRoutes } from '../anthropic/messages.ts';
import { readMessages } from '../anthropic/request.ts';
import { inputTokens } from '../chat/talk.ts';
import { countConverse } from './converse.ts';
import { complainAsAws, refuseAsAws, refuseUnknownModel } from './errors.ts';
import { eventFrame, exceptionFrame } from './frames.ts';

const CLAUDE_VERSION = 'bedrock-2023-05-31';
const [messages] = messagesRoutes;

/** Ids have regions and versions around the name: `eu.anthropic.claude-haiku-4-5-20251001-v1:0`. */
const CLAUDE = /^(?:[a-z-]+\.)?anthropic\.(?<name>claude-[a-z0-9-]+?)(?:-v\d+(?::\d+)?)?$/;

export const invokeRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:[a-z-]+\.)?anthropic\.[^/]+)\/invoke$/,
    operation: 'chat',
    handle: async (exchange) => asClaude(exchange, false),
  },
  {
    method: 'POST',
    path: /^\/model\/(?<model>(?:[a-z-]+\.)?anthropic\.[^/]+)\/invoke-with-response-stream$/,
    operation: 'chat',
    handle: async (exchange) => asClaude(exchange, true),
  },
  { method: 'POST', path: /^\/model\/(?<model>[^/]+)\/count-tokens$/, operation: 'count', handle: count },
];

async function asClaude(exchange: Exchange, streams: boolean): Promise<void> {
  const body = claudeBody(exchange, exchange.json(complainAsAws).value);
  exchange.restate(Buffer.from(JSON.stringify({ ...body, ...(streams && { stream: true }) })));
  if (streams) {
    exchange.reframe({ headers: { 'content-type': 'application/vnd.amazon.eventstream' }, frame: framed });
  }
  try {
    await messages?.handle(exchange);
  } catch (error) {
    throw inAwsWords(error);
  }
}

function claudeBody(exchange: Exchange, given: JsonObject): JsonObject {
  const model = exchange.params['model'] ?? '';
  const { anthropic_version: version, anthropic_beta: betas, ...body } = given;
  refuseUnknownModel(model);
  if (version !== CLAUDE_VERSION)
    throw refuseAsAws(400, { message: `anthropic_version: Input should be '${CLAUDE_VERSION}'` });
  if (betas !== undefined && !Array.isArray(betas))
    throw refuseAsAws(400, { message: 'anthropic_beta: Input should be a valid list' });
  for (const name of ['model', 'stream'])
    if (name in body) throw refuseAsAws(400, { message: `${name}: Extra inputs are not permitted` });
  const name = CLAUDE.exec(model)?.groups?.['name'];
  if (name === undefined) throw refuseAsAws(400, { message: 'The provided model identifier is invalid.' });
  return { ...body, model: name };
}

function count(exchange: Exchange): void {
  const { model = '' } = exchange.params;
  refuseUnknownModel(model);
  if (!CLAUDE.test(model)) throw refuseAsAws(400, { message: "The provided model doesn't support counting tokens." });
  const input = exchange.json(complainAsAws).object('input');
  if (input.has('converse')) {
    exchange.reply(200, { inputTokens: countConverse(exchange, input.object('converse')) });
    return;
  }
  const text = Buffer.from(input.object('invokeModel').string('body'), 'base64').toString('utf8');
  const body = claudeBody(exchange, JSON.parse(text) as JsonObject);
  try {
    const { talk } = readMessages(new Reader(body, [], complainAsAnthropic), {
      newVersion: false,
      betas: [],
      counting: false,
    });
    exchange.reply(200, { inputTokens: inputTokens(talk) });
  } catch (error) {
    throw inAwsWords(error);
  }
}

/** A server-sent event of Anthropic's in a frame; its error is an exception here. */
function framed(sse: string): Buffer {
  const data = /^data: (.*)$/m.exec(sse)?.[1] ?? '';
  if (data.startsWith('{"type":"error"')) {
    return exceptionFrame('serviceUnavailableException', 'The model is unable to process your request.');
  }
  return eventFrame('chunk', { bytes: Buffer.from(data).toString('base64'), p: 'abcdefghij' });
}

function inAwsWords(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const said =
    isJsonObject(error.body) && isJsonObject(error.body['error']) ? error.body['error']['message'] : undefined;
  return typeof said === 'string' ? refuseAsAws(error.status === 529 ? 503 : error.status, { message: said }) : error;
}

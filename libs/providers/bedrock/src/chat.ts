/**
 * Chat on Bedrock, asked in the Messages wire: Claude by InvokeModel, whose body that is but for a few members, every other model by
 * Converse, which is translated here (docs/wire/bedrock.md).
 */
import {
  GatewayError,
  isJsonObject,
  setTopLevel,
  withoutTopLevel,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import {
  malformedReply,
  numberAt,
  parseVendorJson,
  type AnswerReader,
  type ChatAdapter,
  type ChatCall,
  type UpstreamReply,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { ClaudeEvents, ConverseEvents, fromConverse, messageId } from './converse-reply.ts';
import { toConverse, toConverseCount, type ConverseOptions } from './converse-request.ts';
import { sseOf } from './event-stream.ts';

/** In place of the header `anthropic-version`. */
const CLAUDE_VERSION = 'bedrock-2023-05-31';
/** A count needs a cap that it does not use. */
const COUNTED_CAP = '1';

export const chat: ChatAdapter = {
  dialects: ['anthropic-messages'],
  request(call) {
    if (call.dialect !== 'anthropic-messages')
      throw new GatewayError('internal', `this vendor does not speak ${call.dialect}`);
    if (call.purpose === 'count') return countRequest(call);
    return isInvoked(call) ? invokeRequest(call) : converseRequest(call);
  },
};

/** Ids name their maker (`eu.anthropic.claude-…`); a profile's ARN may not, and then the account's `wire` says how it is asked. */
function isInvoked({ model, settings }: ChatCall): boolean {
  const wire = settings['wire'] ?? '';
  return wire === '' ? /(?:^|[./])anthropic\./.test(model) : wire === 'invoke';
}

function invokeRequest(call: ChatCall): UpstreamRequest {
  const method = call.stream ? 'invoke-with-response-stream' : 'invoke';
  const { guardrail, guardrailVersion, latency } = optionsOf(call);
  return {
    ...post(call, method, claudeBody(call)),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(guardrail !== '' && {
        'x-amzn-bedrock-guardrailidentifier': guardrail,
        'x-amzn-bedrock-guardrailversion': guardrailVersion === '' ? 'DRAFT' : guardrailVersion,
      }),
      ...(latency !== '' && { 'x-amzn-bedrock-performanceconfig-latency': latency }),
    },
    ...(call.stream && { answer: { stream: (raw) => sseOf(raw, new ClaudeEvents()) } satisfies AnswerReader }),
  };
}

/** The caller's bytes but for the model and the stream, which stand in the address, and the version and betas, which were headers. */
function claudeBody(call: ChatCall): Buffer {
  const { betas } = optionsOf(call);
  return setTopLevel(
    withoutTopLevel(bytesOf(call), new Set(['model', 'stream'])),
    new Map([
      ['anthropic_version', JSON.stringify(CLAUDE_VERSION)],
      ...(betas.length > 0 ? [['anthropic_beta', JSON.stringify(betas)] as const] : []),
    ]),
  );
}

function converseRequest(call: ChatCall): UpstreamRequest {
  const body = toConverse(bodyOf(call), optionsOf(call));
  const idOf = (headers: Readonly<Record<string, string>>): string => messageId(headers['x-amzn-requestid']);
  const answer: AnswerReader = {
    whole: (reply) => inMessages(reply, fromConverse(reply.json, call.model, idOf(reply.headers))),
    stream: (raw, headers) => sseOf(raw, new ConverseEvents(call.model, idOf(headers))),
  };
  return { ...post(call, call.stream ? 'converse-stream' : 'converse', Buffer.from(JSON.stringify(body))), answer };
}

function countRequest(call: ChatCall): UpstreamRequest {
  const given = bodyOf(call);
  const body: JsonObject = isInvoked(call)
    ? { input: { invokeModel: { body: countedBody(call, given).toString('base64') } } }
    : toConverseCount(given, optionsOf(call));
  const answer: AnswerReader = {
    whole(reply) {
      const input_tokens = numberAt(reply.json, 'inputTokens');
      if (input_tokens === undefined) throw malformedReply('it counts no tokens');
      return inMessages(reply, { input_tokens });
    },
  };
  return { ...post(call, 'count-tokens', Buffer.from(JSON.stringify(body))), answer };
}

function countedBody(call: ChatCall, given: JsonObject): Buffer {
  const body = claudeBody(call);
  return given['max_tokens'] === undefined ? setTopLevel(body, new Map([['max_tokens', COUNTED_CAP]])) : body;
}

function post({ model }: ChatCall, method: string, body: Uint8Array): UpstreamRequest {
  return {
    method: 'POST',
    path: `/model/${encodeURIComponent(model)}/${method}`,
    headers: { 'content-type': 'application/json' },
    body,
  };
}

function inMessages(reply: UpstreamReply, json: Json): UpstreamReply {
  return { ...reply, json, body: Buffer.from(JSON.stringify(json)) };
}

function optionsOf({ settings, headers }: ChatCall): ConverseOptions {
  return {
    guardrail: settings['guardrail'] ?? '',
    guardrailVersion: settings['guardrail_version'] ?? '',
    latency: settings['latency'] ?? '',
    betas: (headers['anthropic-beta'] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  };
}

function bytesOf({ body }: ChatCall): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function bodyOf(call: ChatCall): JsonObject {
  const json = parseVendorJson(bytesOf(call).toString('utf8'));
  return isJsonObject(json) ? json : {};
}

/** Whole Responses answers, both ways (docs/wire/openai-responses.md#answer, #how-an-answer-ends, docs/wire/chat-translation.md#answers). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatReply, ImagePart, StopReason, ToolCallPart } from '../conversation.ts';
import type { Encoded, ReplyContext } from '../dialect.ts';
import { opaqueOfModel } from '../shared/opaque-envelope.ts';
import { decodeOpenAiError } from '../shared/openai-error.ts';
import { readAnnotations, readTier } from '../shared/openai-words.ts';
import { expandParallelCalls } from '../shared/parallel-calls.ts';
import { arrayOf, numberOf, objectOf, objectsOf, present, textOf, wordOf } from '../shared/read.ts';
import { cutReply } from '../shared/stop-cutter.ts';
import { restoreToolNames } from '../shared/tool-names.ts';
import { explanationOf } from '../shared/unusual-stop.ts';
import { unwrapReply } from '../shared/wrapped-tools.ts';
import { callName } from './group-names.ts';
import { readReasoningItem, ridesOn, serverTool, typeOfItem } from './decode-items.ts';
import { readResponseUsage } from './usage.ts';
import {
  annotationsOf,
  callItem,
  createItemIds,
  endingOf,
  imageItem,
  messageItem,
  reasoningId,
  reasoningItem,
  responseId,
  responseObject,
  serverToolItem,
  textPart,
} from './output.ts';

/** Throws GatewayError for a failed or cancelled response, and `upstream_malformed` for something that is none. */
export function decodeReply(body: Json, sent?: Encoded): ChatReply {
  if (!isJsonObject(body)) throw malformed('it is not a JSON object');
  throwFailure(body);
  if (!Array.isArray(body['output']) && body['object'] !== 'response') throw malformed('it has no output');
  const model = sent?.target?.model ?? wordOf(body['model']);
  const parts = riddenParts(objectsOf(body['output']).flatMap((item) => decodeItem(item, model)));
  const reply: ChatReply = present({
    id: wordOf(body['id']),
    model: wordOf(body['model']),
    created: numberOf(body['created_at']),
    choices: [{ parts, stop: stopOf(body, hasBrokenCall(body) ? [...parts, BROKEN_CALL] : parts) }],
    usage: readResponseUsage(body),
    serviceTier: readTier(body['service_tier']),
  });
  return cutReply(unwrapReply(restoreToolNames(reply, sent?.toolNames), sent), sent?.stops);
}

function malformed(what: string): GatewayError {
  return new GatewayError('upstream_malformed', `The model's answer cannot be read: ${what}.`);
}

function throwFailure(body: JsonObject): void {
  const error = body['error'];
  if (error !== undefined && error !== null) throw decodeOpenAiError(0, {}, { error });
  const status = body['status'];
  if (status === 'failed') throw decodeOpenAiError(0, {}, undefined);
  if (status === 'cancelled') throw new GatewayError('upstream_unavailable', 'The model cancelled its answer.');
  if (status === 'queued' || status === 'in_progress') throw malformed(`it is still ${status}`);
}

/** Signatures in items of their own, put back on what they sign. */
function riddenParts(parts: readonly AssistantPart[]): AssistantPart[] {
  const ridden: AssistantPart[] = [];
  for (const part of parts) {
    const before = ridden.at(-1);
    if (part.type === 'tool-call' && before?.type === 'reasoning' && ridesOn(before) === 'next') {
      ridden[ridden.length - 1] = { ...part, ...(before.opaque !== undefined && { opaque: before.opaque }) };
    } else ridden.push(part);
  }
  return ridden;
}

function decodeItem(item: JsonObject, model: string | undefined): AssistantPart[] {
  const type = typeOfItem(item);
  switch (type) {
    case 'message':
      return objectsOf(item['content']).flatMap(decodeContent);
    case 'reasoning': {
      const part = readReasoningItem(item);
      if (part.text === '' && part.opaque === undefined) return [];
      return [part.opaque === undefined ? part : { ...part, opaque: opaqueOfModel(part.opaque, model) }];
    }
    case 'function_call':
    case 'custom_tool_call':
      return decodeCall(item, type === 'custom_tool_call').flatMap(expandParallelCalls);
    case 'image_generation_call':
      return [imageOf(item)].filter((part) => part !== undefined);
    default:
      return [serverTool(item, type)];
  }
}

/** The picture that the vendor's own tool has painted, when it has. */
export function imageOf(item: JsonObject): ImagePart | undefined {
  const data = wordOf(item['result']);
  if (data === undefined) return undefined;
  return { type: 'image', source: { type: 'base64', mime: `image/${wordOf(item['output_format']) ?? 'png'}`, data } };
}

function decodeContent(part: JsonObject): AssistantPart[] {
  const refusal = wordOf(part['refusal']);
  if (part['type'] === 'refusal') return refusal === undefined ? [] : [{ type: 'refusal', text: refusal }];
  const text = wordOf(part['text']);
  if (text === undefined) return [];
  const citations = readAnnotations(part['annotations']);
  const logprobs = arrayOf(part['logprobs']);
  return [
    {
      type: 'text',
      text,
      ...(citations.length > 0 && { citations }),
      ...(logprobs.length > 0 && { logprobs }),
    },
  ];
}

/** None for a call without a name. */
function decodeCall(item: JsonObject, custom: boolean): ToolCallPart[] {
  const name = wordOf(item['name']);
  const id = wordOf(item['call_id']) ?? wordOf(item['id']);
  if (name === undefined || id === undefined) return [];
  return [
    present({
      type: 'tool-call' as const,
      id,
      name,
      kind: custom ? ('custom' as const) : ('function' as const),
      arguments: textOf(item[custom ? 'input' : 'arguments']) ?? '',
      itemId: wordOf(item['id']),
    }),
  ];
}

/** Stands among the kinds of parts for a call that has no name or no id. */
export const BROKEN_CALL = { type: 'broken-call' };

function hasBrokenCall(body: JsonObject): boolean {
  return objectsOf(body['output']).some(
    (item) =>
      (item['type'] === 'function_call' || item['type'] === 'custom_tool_call') &&
      decodeCall(item, item['type'] === 'custom_tool_call').length === 0,
  );
}

interface Said {
  readonly type: string;
}

/** The stop reason of a finished response object, given what kinds of parts it had. */
export function stopOf(response: JsonObject, parts: readonly Said[]): StopReason {
  const has = (type: string): boolean => parts.some((part) => part.type === type);
  if (response['status'] === 'incomplete') {
    const reason = objectOf(response['incomplete_details'])?.['reason'];
    return reason === 'content_filter' ? 'content-filter' : 'length';
  }
  if (has('tool-call')) return 'tool-calls';
  if (has(BROKEN_CALL.type)) return 'malformed-call';
  return has('refusal') && !has('text') ? 'refusal' : 'stop';
}

/** Writes an answer; only the first has a place on this wire. */
export function encodeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const [choice] = reply.choices;
  if (choice === undefined) throw malformed('it has no answer');
  const refused = choice.parts.some((part) => part.type === 'refusal');
  const { status, reason } = endingOf(choice.stop, refused);
  const output = encodeParts(choice.parts, context);
  const refusal = explanationOf(choice);
  if (refusal !== undefined && !refused && output.every((item) => item['type'] !== 'message')) {
    const content = [{ type: 'refusal', refusal }];
    output.push(messageItem(`msg_${context.id}_refusal`, 'completed', content));
  }
  return responseObject(context, {
    id: responseId(reply.id, context),
    createdAt: reply.created ?? context.now,
    status,
    output,
    usage: reply.usage,
    serviceTier: reply.serviceTier,
    ...(reason !== undefined && { reason }),
  });
}

function encodeParts(parts: readonly AssistantPart[], context: ReplyContext): JsonObject[] {
  const newId = createItemIds(context);
  const output: JsonObject[] = [];
  for (const part of parts) {
    // Opaque state of a call or a text goes ahead of it in a reasoning item of its own: clients take the last item for the answer.
    if ((part.type === 'tool-call' || part.type === 'text') && part.opaque !== undefined) {
      output.push(reasoningItem(newId('rs'), [], part.opaque));
    }
    const item = part.type === 'text' && part.text === '' ? undefined : encodePart(part, newId, context);
    if (item !== undefined) output.push(item);
  }
  return output;
}

function encodePart(
  part: AssistantPart,
  newId: ReturnType<typeof createItemIds>,
  { request }: ReplyContext,
): JsonObject | undefined {
  switch (part.type) {
    case 'text': {
      const annotations = annotationsOf(part.citations ?? [], part.text.length);
      const content = textPart(part.text, annotations, [...(part.logprobs ?? [])]);
      return messageItem(newId('msg'), 'completed', [content]);
    }
    case 'refusal':
      return messageItem(newId('msg'), 'completed', [{ type: 'refusal', refusal: part.text }]);
    case 'reasoning': {
      const texts = part.summaries ?? (part.text === '' ? [] : [part.text]);
      return reasoningItem(reasoningId(part.opaque, newId('rs')), texts, part.opaque);
    }
    case 'tool-call': {
      const custom = part.kind === 'custom';
      const fields = { callId: part.id, ...callName(request, part.name), custom, text: part.arguments };
      return callItem(part.itemId ?? newId(custom ? 'ctc' : 'fc'), 'completed', fields);
    }
    case 'server-tool':
      return serverToolItem(newId('ws'), part);
    case 'image':
      if (part.source.type === 'base64') return imageItem(newId('ig'), 'completed', part.source.data);
      if (part.source.type === 'file') return undefined;
      // The wire has no image by URL: a link in words.
      return messageItem(newId('msg'), 'completed', [textPart(`![image](${part.source.url})`)]);
    case 'audio':
      return part.transcript === undefined
        ? undefined
        : messageItem(newId('msg'), 'completed', [textPart(part.transcript)]);
  }
}

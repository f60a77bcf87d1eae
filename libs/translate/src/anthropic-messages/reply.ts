/** A whole message, both ways (docs/wire/anthropic-messages.md#answer, docs/wire/chat-translation.md#answers). */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatChoice, ChatReply, Opaque, ReasoningPart } from '../conversation.ts';
import type { Encoded, ReplyContext } from '../dialect.ts';
import { freeText } from '../shared/custom-tools.ts';
import { withPrefix } from '../shared/ids.ts';
import { argumentsValue, objectOf, objectsOf, present, readArray, readObject, wordOf } from '../shared/read.ts';
import { quirk } from '../shared/translation.ts';
import { readAssistantBlock, readServerBlock } from './blocks.ts';
import { decodeError } from './error.ts';
import { showId } from './ids.ts';
import { isNamelessCall, NAMELESS_CALL, readStop, writeStop } from './stop.ts';
import { readWireUsage, writeUsage } from './usage.ts';
import {
  imageText,
  isBareSignature,
  isOwnServerTool,
  redactedBlock,
  signatureOf,
  writeCitation,
} from './write-block.ts';

/** Reads a message. An error body inside a 200 is thrown as what it is, anything unreadable as `upstream_malformed`. */
export function decodeReply(body: Json, sent?: Encoded): ChatReply {
  if (objectOf(body)?.['type'] === 'error') throw decodeError(200, {}, body);
  try {
    return readMessage(readObject(body, 'message'), sent);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'invalid_request') throw error;
    throw new GatewayError('upstream_malformed', `the vendor's message cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

function readMessage(message: JsonObject, sent: Encoded | undefined): ChatReply {
  const model = wordOf(message['model']);
  const context = {
    provider: sent?.target?.provider ?? 'anthropic',
    model: sent?.target?.model ?? model,
    nested: [],
  };
  const blocks = objectsOf(readArray(message['content'], 'content'));
  const readable = blocks.filter((block) => !isNamelessCall(block));
  const parts = readable.map((block, index): AssistantPart => {
    const place = `content[${index}]`;
    // In an answer a summary of what came before is not what the model says.
    const isSummary = block['type'] === 'compaction';
    const part = isSummary ? readServerBlock(block, place, context) : readAssistantBlock(block, place, context);
    return part.type === 'tool-call' ? restoreCall(part, sent) : part;
  });
  const choice: ChatChoice = present({
    parts,
    stop: readStop(
      readable.length < blocks.length ? NAMELESS_CALL : (wordOf(message['stop_reason']) ?? 'end_turn'),
      parts.some((part) => part.type === 'tool-call'),
    ),
    stopSequence: wordOf(message['stop_sequence']),
    refusal: wordOf(objectOf(message['stop_details'])?.['explanation']),
  });
  const usage = objectOf(message['usage']);
  const tier = wordOf(usage?.['service_tier']);
  return present({
    id: wordOf(message['id']),
    model,
    choices: [choice],
    usage: readWireUsage(usage, quirk(sent?.target, 'usage_input_includes_cache') === true),
    serviceTier: tier === 'standard' ? 'default' : tier,
  });
}

/** The call under the caller's own tool name and kind; the one that was forced for a structured answer is that answer. */
function restoreCall(part: Extract<AssistantPart, { type: 'tool-call' }>, sent: Encoded | undefined): AssistantPart {
  if (part.name === sent?.jsonTool) return present({ type: 'text' as const, text: part.arguments, place: part.place });
  const name = sent?.toolNames?.get(part.name) ?? part.name;
  if (sent?.customTools?.has(part.name) !== true) return { ...part, name };
  return { ...part, name, kind: 'custom', arguments: freeText(part.arguments) };
}

/** Writes a message. */
export function encodeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const choice = reply.choices[0] ?? { parts: [], stop: 'stop' as const };
  const ending = writeStop(choice);
  return {
    id: messageId(reply.id, context),
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: choice.parts.flatMap(encodePart),
    ...ending,
    usage: {
      ...writeUsage(reply.usage),
      ...(reply.serviceTier !== undefined && { service_tier: tierOf(reply.serviceTier) }),
    },
  };
}

function tierOf(tier: string): string {
  return tier === 'default' ? 'standard' : tier;
}

/** The vendor's id where it has this wire's form, else one of our own. */
export function messageId(id: string | undefined, context: ReplyContext): string {
  return id?.startsWith('msg_') === true ? id : withPrefix('msg_', context.id);
}

function encodePart(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const citations = part.type === 'text' ? (part.citations ?? []).flatMap((each) => writeCitation(each) ?? []) : [];
      // Without citations the vendor leaves the field out, and the AI SDK up to version 6 refuses a null.
      const block = { type: 'text', text: part.text, ...(citations.length > 0 && { citations }) };
      return [...stateOf(part.opaque), ...(part.text === '' ? [] : [block])];
    }
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call':
      return [
        ...stateOf(part.opaque),
        {
          type: 'tool_use',
          id: showId(part.id),
          name: part.name,
          input: part.kind === 'custom' ? { input: part.arguments } : argumentsValue(part.arguments),
        },
      ];
    case 'server-tool':
      return isOwnServerTool(part) ? [part.raw] : [];
    case 'image':
      return [...stateOf(part.opaque), { type: 'text', text: imageText(part) }];
    case 'audio':
      return part.transcript === undefined ? [] : [{ type: 'text', text: part.transcript }];
  }
}

/** State that rides on another part stands ahead of it as a block of its own: what is said must stay the last block. */
function stateOf(opaque: Opaque | undefined): JsonObject[] {
  return opaque === undefined || opaque.value === '' ? [] : [redactedBlock(opaque)];
}

function encodeReasoning({ text, opaque }: ReasoningPart): JsonObject[] {
  if (opaque === undefined || opaque.value === '') {
    return text === '' ? [] : [{ type: 'thinking', thinking: text, signature: signatureOf(undefined) }];
  }
  const hidden = opaque.kind === 'redacted' || (text === '' && !isBareSignature(opaque));
  return hidden ? [redactedBlock(opaque)] : [{ type: 'thinking', thinking: text, signature: signatureOf(opaque) }];
}

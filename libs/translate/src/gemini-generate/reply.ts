/** A whole generateContent answer, both ways (docs/wire/gemini-generate.md#answer, docs/wire/chat-translation.md#answers). */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatChoice, ChatReply } from '../conversation.ts';
import type { Encoded, ReplyContext } from '../dialect.ts';
import { freeText } from '../shared/custom-tools.ts';
import { addUsage } from '../shared/join-replies.ts';
import { shortHash } from '../shared/ids.ts';
import { writeOpaque } from '../shared/opaque-envelope.ts';
import { argumentsObject, objectOf, objectsOf, present, textOf, wordOf } from '../shared/read.ts';
import { decodeError } from './error.ts';
import { isExplained, isNamelessCall, NAMELESS_CALL, readFinish, writeFinish } from './finish.ts';
import { countSearches, readCitations, readSearch, writeGrounding, type CitedText } from './grounding.ts';
import { readLogprobs, writeLogprobs } from './logprobs.ts';
import { readModelPart, readParts, type PartContext } from './parts.ts';
import { readWireUsage, writeUsage } from './usage.ts';

/** Reads an answer. An error inside a 200 is thrown as what it is, anything unreadable as `upstream_malformed`. */
export function decodeReply(body: Json, sent?: Encoded): ChatReply {
  const whole = objectOf(Array.isArray(body) ? body[0] : body);
  if (whole === undefined) throw new GatewayError('upstream_malformed', "the vendor's answer is not a JSON object");
  if (whole['error'] !== undefined) throw decodeError(200, {}, whole);
  try {
    return readAnswer(whole, sent);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'invalid_request') throw error;
    throw new GatewayError('upstream_malformed', `the vendor's answer cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

function readAnswer(body: JsonObject, sent: Encoded | undefined): ChatReply {
  const candidates = objectsOf(body['candidates']);
  const context = replyContext(body, sent);
  const choices = candidates.map((candidate) => readCandidate(candidate, context, sent));
  const first = candidates[0];
  const webSearches = first === undefined ? undefined : countSearches(first);
  const usage = readWireUsage(objectOf(body['usageMetadata']));
  const tier = wordOf(objectOf(body['usageMetadata'])?.['serviceTier'])?.toLowerCase();
  return present({
    id: wordOf(body['responseId']),
    model: wordOf(body['modelVersion']),
    choices: choices.length > 0 ? choices : [blockedChoice(body)],
    usage: webSearches === undefined ? usage : { ...usage, webSearches },
    serviceTier: tier === 'standard' ? 'default' : tier,
    continuation: first === undefined ? undefined : continuationOf(first),
  });
}

/** How parts of an answer are read: whose state they carry, and ids for calls that have none. */
export function replyContext(body: JsonObject, sent: Encoded | undefined): PartContext {
  const stem = wordOf(body['responseId']);
  let calls = 0;
  return {
    provider: sent?.target?.provider ?? 'gemini',
    model: sent?.target?.model ?? wordOf(body['modelVersion']),
    nested: [],
    // Unique over the conversation: clients find results by the id alone.
    newCallId: (call) => `call_${stem ?? shortHash(JSON.stringify(call), 12)}_${calls++}`,
  };
}

/** The token of an answer that wants to be resumed; one that ended for good has none worth using (docs/wire/gemini-generate.md#continuation-tokens). */
function continuationOf(candidate: JsonObject): string | undefined {
  const reason = wordOf(candidate['finishReason']);
  return reason === undefined || reason === 'CONTINUATION' ? wordOf(candidate['continuationToken']) : undefined;
}

/** No candidate at all: the prompt was blocked, or nothing came. */
function blockedChoice(body: JsonObject): ChatChoice {
  const feedback = objectOf(body['promptFeedback']);
  const reason = wordOf(feedback?.['blockReason']);
  if (reason === undefined) throw new GatewayError('upstream_malformed', 'the vendor answered without a candidate');
  const refusal = wordOf(feedback?.['blockReasonMessage']) ?? `The prompt was blocked: ${reason}.`;
  return { parts: [], stop: 'content-filter', refusal };
}

function readCandidate(candidate: JsonObject, context: PartContext, sent: Encoded | undefined): ChatChoice {
  const all = readParts(objectOf(candidate['content']) ?? {}, 'content');
  const wire = all.filter(({ part }) => !isNamelessCall(part));
  const texts = wire.map(({ part }) => (part['thought'] === true ? '' : (textOf(part['text']) ?? '')));
  const read = wire.map(({ part, place }) => readModelPart(part, place, context));
  const cited = readCitations(candidate, (index) => texts[index ?? texts.findIndex((text) => text !== '')] ?? '');
  const firstText = texts.findIndex((text) => text !== '');
  const search = readSearch(candidate, context.provider);
  const logprobs = readLogprobs(candidate);
  const parts = read.flatMap((found, index): AssistantPart[] => {
    const citations = cited.filter(({ part }) => (part ?? firstText) === index).map(({ citation }) => citation);
    return found.map((part): AssistantPart => {
      if (part.type === 'tool-call') return restoreCall(part, sent);
      if (part.type !== 'text') return part;
      return {
        ...part,
        ...(citations.length > 0 && { citations }),
        ...(logprobs !== undefined && index === firstText && { logprobs }),
      };
    });
  });
  const hasCalls = parts.some((part) => part.type === 'tool-call');
  // Broken off without a word, with a token to go on: not a natural end.
  const silent = wordOf(candidate['continuationToken']) === undefined ? 'STOP' : 'CONTINUATION';
  const word = wire.length < all.length ? NAMELESS_CALL : wordOf(candidate['finishReason']);
  const stop = readFinish(word ?? silent, hasCalls);
  return present({
    parts: joinTrailingState(search === undefined ? parts : [search, ...parts]),
    stop,
    refusal: isExplained(stop) ? wordOf(candidate['finishMessage']) : undefined,
  });
}

/** A signature on an empty text behind another part signs what stands before it (vercel/ai#12402). */
function joinTrailingState(parts: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const trailing = part.type === 'text' && part.text === '' && part.opaque !== undefined;
    const open = last !== undefined && last.opaque === undefined && (last.type === 'text' || last.type === 'reasoning');
    if (trailing && open) joined[joined.length - 1] = { ...last, opaque: part.opaque };
    else joined.push(part);
  }
  return joined;
}

/** The call under the caller's own tool name and kind. */
function restoreCall(part: Extract<AssistantPart, { type: 'tool-call' }>, sent: Encoded | undefined): AssistantPart {
  const name = sent?.toolNames?.get(part.name) ?? part.name;
  if (sent?.customTools?.has(part.name) !== true) return { ...part, name };
  return { ...part, name, kind: 'custom', arguments: freeText(part.arguments) };
}

/** One answer of several requests: what came after a continuation is put behind what came before. */
export function joinReplies(before: ChatReply, next: ChatReply): ChatReply {
  const [head] = before.choices;
  const [tail] = next.choices;
  const usage = addUsage(before.usage, next.usage);
  const model = next.model ?? before.model;
  return present({
    id: before.id,
    model,
    created: before.created,
    serviceTier: next.serviceTier ?? before.serviceTier,
    choices: head === undefined || tail === undefined ? next.choices : [joinChoices(head, tail)],
    usage,
    continuation: next.continuation,
  });
}

function joinChoices(head: ChatChoice, tail: ChatChoice): ChatChoice {
  const last = head.parts.at(-1);
  const [first, ...rest] = tail.parts;
  if (last?.type !== 'text' || first?.type !== 'text' || last.opaque !== undefined) {
    return { ...tail, parts: [...head.parts, ...tail.parts] };
  }
  const citations = [...(last.citations ?? []), ...(first.citations ?? [])];
  const joined: AssistantPart = {
    ...last,
    ...first,
    text: last.text + first.text,
    ...(citations.length > 0 && { citations }),
  };
  return { ...tail, parts: [...head.parts.slice(0, -1), joined, ...rest] };
}

/** Writes an answer. */
export function encodeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const [first] = reply.choices;
  const blocked = reply.choices.length === 1 && first?.stop === 'content-filter' && first.parts.length === 0;
  const blockReasonMessage = first?.refusal;
  return {
    ...(blocked
      ? { promptFeedback: present({ blockReason: 'OTHER', blockReasonMessage }) }
      : { candidates: reply.choices.map(writeCandidate) }),
    usageMetadata: {
      ...writeUsage(reply.usage),
      ...(reply.serviceTier !== undefined && {
        serviceTier: reply.serviceTier === 'default' ? 'standard' : reply.serviceTier,
      }),
    },
    modelVersion: context.model,
    responseId: reply.id ?? context.id,
  };
}

function writeCandidate(choice: ChatChoice, index: number): JsonObject {
  const parts: JsonObject[] = [];
  const cited: CitedText[] = [];
  for (const part of signNext(choice.parts)) {
    if (part.type === 'text' && part.citations !== undefined) {
      cited.push({ part: parts.length, text: part.text, citations: part.citations });
    }
    parts.push(...writePart(part));
  }
  const grounding = ownGrounding(choice) ?? writeGrounding(cited);
  const logprobs = choice.parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  return {
    // Google's SDK forgets an answer without parts.
    content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
    finishReason: writeFinish(choice.stop),
    ...(choice.refusal !== undefined && { finishMessage: choice.refusal }),
    index,
    safetyRatings: [],
    ...(grounding !== undefined && { groundingMetadata: grounding }),
    ...writeLogprobs(logprobs),
  };
}

/**
 * Another vendor's state without words rides on the words or the call behind it, where Google has its own: Google's ADK forgets an answer
 * that begins with an empty text, and with it the call.
 */
function signNext(parts: readonly AssistantPart[]): AssistantPart[] {
  const signed: AssistantPart[] = [];
  let state: AssistantPart | undefined;
  for (const part of parts) {
    const takes =
      part.opaque === undefined && (part.type === 'tool-call' || (part.type === 'text' && part.text !== ''));
    if (state?.opaque !== undefined && takes) signed.push({ ...part, opaque: state.opaque });
    else if (state === undefined) signed.push(part);
    else signed.push(state, part);
    state = undefined;
    if (
      part.type === 'reasoning' &&
      part.text === '' &&
      part.opaque !== undefined &&
      part.opaque.provider !== 'gemini'
    ) {
      signed.pop();
      state = part;
    }
  }
  return state === undefined ? signed : [...signed, state];
}

/** Google's own, where the answer came from there. */
function ownGrounding(choice: ChatChoice): JsonObject | undefined {
  for (const part of choice.parts) {
    if (part.type !== 'server-tool' || part.provider !== 'gemini') continue;
    const grounding = objectOf(part.raw['groundingMetadata']);
    if (grounding !== undefined) return grounding;
  }
  return undefined;
}

/** A part as it stands in an answer; its state in a field of its own, another vendor's in an envelope. */
export function writePart(part: AssistantPart): JsonObject[] {
  const signature =
    part.opaque === undefined || part.opaque.value === ''
      ? {}
      : { thoughtSignature: writeOpaque(part.opaque, 'gemini') };
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' && part.opaque === undefined ? [] : [{ text: part.text, ...signature }];
    case 'reasoning':
      return part.text === '' && part.opaque === undefined ? [] : [{ text: part.text, thought: true, ...signature }];
    case 'tool-call': {
      const args = part.kind === 'custom' ? { input: part.arguments } : argumentsObject(part.arguments);
      return [{ functionCall: { id: part.id, name: part.name, args }, ...signature }];
    }
    case 'server-tool':
      return part.provider === 'gemini' && part.raw['groundingMetadata'] === undefined ? [part.raw] : [];
    case 'image':
    case 'audio':
      return writeMedia(part, signature);
  }
}

function writeMedia(
  { source }: Extract<AssistantPart, { type: 'image' | 'audio' }>,
  signature: JsonObject,
): JsonObject[] {
  if (source.type === 'base64') return [{ inlineData: { mimeType: source.mime, data: source.data }, ...signature }];
  const mimeType = source.mime === undefined ? {} : { mimeType: source.mime };
  return [{ fileData: { ...mimeType, fileUri: source.type === 'url' ? source.url : source.id }, ...signature }];
}

/** Whole chat completions, both ways (docs/wire/openai-chat.md#answer, docs/wire/chat-translation.md#answers). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ChatChoice,
  ChatReply,
  Citation,
  ImagePart,
  StopReason,
  ToolCallPart,
} from '../conversation.ts';
import type { Encoded, ReplyContext } from '../dialect.ts';
import { shortHash, withPrefix } from '../shared/ids.ts';
import { audioFormat, audioMime, mediaOfReply, toDataUrl } from '../shared/media.ts';
import { opaqueOfModel, readOpaque, wrapOpaque } from '../shared/opaque-envelope.ts';
import { decodeOpenAiError } from '../shared/openai-error.ts';
import { documentOf, readAnnotations, readTier, sourcesOf, urlCitation } from '../shared/openai-words.ts';
import { expandParallelCalls } from '../shared/parallel-calls.ts';
import { arrayOf, numberOf, objectOf, objectsOf, present, textOf, wordOf } from '../shared/read.ts';
import { restoreToolNames } from '../shared/tool-names.ts';
import { toChatUsage } from '../shared/usage.ts';
import { explanationOf, stopOfUnknown } from '../shared/unusual-stop.ts';
import { unwrapReply } from '../shared/wrapped-tools.ts';
import { argumentsText } from './decode-messages.ts';
import { readReasoning, thinkingBlock } from './reasoning.ts';
import { readWireUsage } from './usage.ts';

/** Throws GatewayError for an error inside a 200, and `upstream_malformed` for something that is no completion. */
export function decodeReply(body: Json, sent?: Encoded): ChatReply {
  if (!isJsonObject(body)) throw malformed('the answer is not a JSON object');
  if (body['error'] !== undefined && body['error'] !== null) throw decodeOpenAiError(200, {}, body);
  const choices = objectsOf(body['choices']);
  if (choices.length === 0) throw malformed('the answer has no choices');
  const model = sent?.target?.model ?? wordOf(body['model']);
  const reply: ChatReply = present({
    id: wordOf(body['id']),
    model: wordOf(body['model']),
    created: numberOf(body['created']),
    choices: choices.map((choice, index) => decodeChoice(choice, { index, body, model })),
    usage: readWireUsage(body),
    serviceTier: readTier(body['service_tier']),
  });
  return unwrapReply(restoreToolNames(reply, sent?.toolNames), sent);
}

function malformed(what: string): GatewayError {
  return new GatewayError('upstream_malformed', `The model's answer cannot be read: ${what}.`);
}

interface ChoicePlace {
  readonly index: number;
  readonly body: JsonObject;
  readonly model: string | undefined;
}

/** The failure that an answer tells of in one of its choices (OpenRouter): what is there of it is not the answer. */
export function faultIn(choice: JsonObject): GatewayError | undefined {
  const error = objectOf(choice['error']);
  if (error !== undefined) return decodeOpenAiError(200, {}, { error });
  return choice['finish_reason'] === 'error'
    ? new GatewayError('upstream_unavailable', 'The model stopped with an error.')
    : undefined;
}

function decodeChoice(choice: JsonObject, { index, body, model }: ChoicePlace): ChatChoice {
  const fault = faultIn(choice);
  if (fault !== undefined) throw fault;
  const message = objectOf(choice['message']) ?? {};
  const logprobs = arrayOf(objectOf(choice['logprobs'])?.['content']);
  const parts: AssistantPart[] = readReasoning(message).map((part) =>
    part.opaque === undefined ? part : { ...part, opaque: opaqueOfModel(part.opaque, model) },
  );
  parts.push(...decodeContent(message, logprobs, sourcesOf(body) ?? []));
  const refusal = wordOf(message['refusal']);
  if (refusal !== undefined) parts.push({ type: 'refusal', text: refusal });
  parts.push(...decodeMedia(message));
  const calls = decodeCalls(message, `${wordOf(body['id']) ?? ''}/${index}`, model);
  parts.push(...calls.readable);
  return { parts, stop: stopOf(wordOf(choice['finish_reason']), calls.broken ? [...parts, BROKEN_CALL] : parts) };
}

function decodeContent(message: JsonObject, logprobs: readonly Json[], sources: readonly Citation[]): AssistantPart[] {
  const annotations = readAnnotations(message['annotations']);
  const citations = annotations.length > 0 ? annotations : sources;
  const extras = {
    ...(citations.length > 0 && { citations }),
    ...(logprobs.length > 0 && { logprobs }),
  };
  const content = message['content'];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, ...extras }];
  // Mistral's reasoning models answer with parts.
  const pieces = objectsOf(content);
  const reasoning = joinedTexts(
    pieces.filter((part) => part['type'] === 'thinking').flatMap((part) => arrayOf(part['thinking'])),
  );
  const text = joinedTexts(pieces.filter((part) => part['type'] !== 'thinking'));
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text, ...extras }]),
    ...pieces.flatMap((part) => pictureOf(part) ?? []),
  ];
}

/** The picture of an `image_url` part. */
export function pictureOf(part: JsonObject): ImagePart | undefined {
  const address = part['image_url'];
  const source = mediaOfReply(wordOf(objectOf(address)?.['url']) ?? wordOf(address), 'image/png');
  return source === undefined ? undefined : { type: 'image', source };
}

/** A string, or the texts of parts. */
export function joinedTexts(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return objectsOf(value)
    .map((part) => textOf(part['text']) ?? '')
    .join('');
}

function decodeMedia(message: JsonObject): AssistantPart[] {
  const parts: AssistantPart[] = objectsOf(message['images']).flatMap((image) => pictureOf(image) ?? []);
  const audio = objectOf(message['audio']);
  const data = wordOf(audio?.['data']);
  if (audio !== undefined && data !== undefined) {
    parts.push(
      present({
        type: 'audio' as const,
        source: { type: 'base64' as const, mime: audioMime(textOf(audio['format']) ?? 'wav') ?? 'audio/wav', data },
        id: wordOf(audio['id']),
        transcript: wordOf(audio['transcript']),
        expiresAt: numberOf(audio['expires_at']),
      }),
    );
  }
  return parts;
}

/** Stands among the kinds of parts for a call that has no name. */
export const BROKEN_CALL = { type: 'broken-call' };

function decodeCalls(
  message: JsonObject,
  seed: string,
  model: string | undefined,
): { readonly readable: AssistantPart[]; readonly broken: boolean } {
  let broken = false;
  const calls = objectsOf(message['tool_calls']);
  const legacy = objectOf(message['function_call']);
  // Some vendors send an empty one beside every answer.
  const called = legacy !== undefined && (wordOf(legacy['name']) ?? argumentsText(legacy['arguments'])) !== '';
  if (calls.length === 0 && called) calls.push({ function: legacy });
  const readable = calls.flatMap((call, index): ToolCallPart[] => {
    const custom = call['type'] === 'custom' ? objectOf(call['custom']) : undefined;
    const fn = custom ?? objectOf(call['function']);
    const name = wordOf(fn?.['name']);
    if (fn === undefined || name === undefined) {
      broken = true;
      return [];
    }
    const signature = wordOf(objectOf(objectOf(call['extra_content'])?.['google'])?.['thought_signature']);
    const opaque = readOpaque(signature, { provider: 'gemini', kind: 'signature' });
    return expandParallelCalls({
      type: 'tool-call',
      id: wordOf(call['id']) ?? ownCallId(seed, index),
      name,
      kind: custom === undefined ? 'function' : 'custom',
      arguments: custom === undefined ? argumentsText(fn['arguments']) : (textOf(custom['input']) ?? ''),
      ...(opaque !== undefined && { opaque: opaqueOfModel(opaque, model) }),
    });
  });
  return { readable, broken };
}

/** An id for a call whose vendor gave it none: the same on every reading of the same reply. */
export function ownCallId(seed: string, index: number): string {
  return `call_${shortHash(`${seed}/${index}`, 24)}`;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
  malformed_function_call: 'malformed-call',
};

interface Said {
  readonly type: string;
}

/** "Tools requested" is decided by the calls that are there, not by the vendor's word (docs/wire/chat-translation.md#why-an-answer-ended). */
export function stopOf(word: string | undefined, parts: readonly Said[]): StopReason {
  const stop = word === undefined ? 'stop' : (STOPS[word.toLowerCase()] ?? stopOfUnknown(word) ?? 'stop');
  const has = (type: string): boolean => parts.some((part) => part.type === type);
  if (stop === 'stop' || stop === 'tool-calls' || stop === 'malformed-call') {
    if (has('tool-call')) return 'tool-calls';
    if (stop === 'malformed-call' || has(BROKEN_CALL.type)) return 'malformed-call';
    return has('refusal') && !has('text') ? 'refusal' : 'stop';
  }
  return stop === 'content-filter' && has('refusal') ? 'refusal' : stop;
}

export const FINISH_WORDS: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  // The explanation stands in `refusal`.
  'malformed-call': 'stop',
  'stop-sequence': 'stop',
  paused: 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-calls': 'tool_calls',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
};

export function completionId(id: string | undefined, context: ReplyContext): string {
  return id?.startsWith('chatcmpl-') === true ? id : withPrefix('chatcmpl-', context.id);
}

/** Writes an answer. */
export function encodeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  return present({
    id: completionId(reply.id, context),
    object: 'chat.completion',
    created: reply.created ?? context.now,
    model: context.model,
    choices: reply.choices.map(encodeChoice),
    usage: reply.usage === undefined ? undefined : toChatUsage(reply.usage),
    service_tier: reply.serviceTier ?? 'default',
    system_fingerprint: null,
  });
}

function encodeChoice(choice: ChatChoice, index: number): JsonObject {
  const { parts, stop } = choice;
  const message = new MessageBuilder();
  for (const part of parts) message.add(part);
  return {
    index,
    message: message.build(explanationOf(choice)),
    logprobs: message.logprobs.length === 0 ? null : { content: message.logprobs, refusal: null },
    finish_reason: FINISH_WORDS[stop],
  };
}

class MessageBuilder {
  readonly logprobs: Json[] = [];
  readonly #refusals: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #blocks: JsonObject[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #documents: JsonObject[] = [];
  readonly #calls: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  #content = '';
  #audio: JsonObject | undefined;
  #signed = false;

  add(part: AssistantPart): void {
    switch (part.type) {
      case 'text':
        this.#annotations.push(...annotationsOf(part.citations ?? [], this.#content.length, part.text.length));
        this.#documents.push(...documentsOf(part.citations ?? []));
        this.logprobs.push(...(part.logprobs ?? []));
        this.#content += part.text;
        return;
      case 'refusal':
        this.#refusals.push(part.text);
        return;
      case 'reasoning':
        if (part.text !== '') this.#reasoning.push(part.text);
        this.#signed ||= part.opaque !== undefined;
        this.#blocks.push(thinkingBlock(part.text, part.opaque));
        return;
      case 'tool-call':
        this.#calls.push(encodeCall(part));
        return;
      case 'image':
        if (part.source.type !== 'file') this.#images.push(imageObject(part.source));
        return;
      case 'audio':
        this.#audio = audioObject(part);
        return;
      // What the vendor's own tools did is hidden here; its text and citations stay (docs/wire/chat-translation.md#what-is-lost).
      case 'server-tool':
        return;
    }
  }

  build(explanation: string | undefined): JsonObject {
    const refusal = this.#refusals.length > 0 ? this.#refusals.join('\n') : (explanation ?? null);
    const silence = this.#calls.length > 0 || this.#audio !== undefined || refusal !== null ? null : '';
    return present({
      role: 'assistant',
      content: this.#content === '' ? silence : this.#content,
      refusal,
      annotations: this.#annotations,
      citations: this.#documents.length === 0 ? undefined : this.#documents,
      reasoning_content: this.#reasoning.length === 0 ? undefined : this.#reasoning.join('\n\n'),
      thinking_blocks: this.#signed || this.#blocks.length > 1 ? this.#blocks : undefined,
      tool_calls: this.#calls.length === 0 ? undefined : this.#calls,
      images: this.#images.length === 0 ? undefined : this.#images,
      audio: this.#audio,
    });
  }
}

/** Citations of documents: this wire has no word of its own for them, so they are told in their vendor's. */
export function documentsOf(citations: readonly Citation[]): JsonObject[] {
  return citations.map(documentOf).filter((document) => document !== undefined);
}

/** `url_citation`s with their offsets in the whole content; for others see `documentsOf`. */
export function annotationsOf(citations: readonly Citation[], base: number, length: number): JsonObject[] {
  return citations.flatMap((citation) => {
    const fields = urlCitation(citation, base, length);
    return fields === undefined ? [] : [{ type: 'url_citation', url_citation: fields }];
  });
}

export function imageObject(
  source: Exclude<Extract<AssistantPart, { type: 'image' }>['source'], { type: 'file' }>,
): JsonObject {
  const url = source.type === 'url' ? source.url : toDataUrl(source.mime, source.data);
  return { type: 'image_url', image_url: { url } };
}

function encodeCall(part: ToolCallPart): JsonObject {
  const signature = part.opaque === undefined ? {} : signatureField(wrapOpaque(part.opaque));
  if (part.kind === 'custom') {
    return { id: part.id, type: 'custom', custom: { name: part.name, input: part.arguments }, ...signature };
  }
  // A call without arguments still has an object of them (docs/wire/chat-streams.md#writing-each-wire).
  const text = part.arguments === '' ? '{}' : part.arguments;
  return { id: part.id, type: 'function', function: { name: part.name, arguments: text }, ...signature };
}

export function signatureField(signature: string): JsonObject {
  return { extra_content: { google: { thought_signature: signature } } };
}

function audioObject(part: Extract<AssistantPart, { type: 'audio' }>): JsonObject | undefined {
  if (part.source.type !== 'base64') return undefined;
  return {
    id: part.id ?? `audio_${shortHash(part.source.data.slice(0, 4096), 24)}`,
    data: part.source.data,
    expires_at: part.expiresAt ?? null,
    transcript: part.transcript ?? null,
    ...(audioFormat(part.source.mime) !== 'wav' && { format: audioFormat(part.source.mime) ?? 'pcm16' }),
  };
}

/** Turns to chat-completions messages (docs/wire/chat-translation.md#instructions-and-roles, #content-parts, #tool-calls-and-results, #reasoning-state). */
import type { JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  AudioPart,
  ChatRequest,
  DocumentPart,
  ImagePart,
  MediaSource,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { quirk, requireInput } from '../shared/translation.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { settleToolResults, noteCitations } from '../shared/history.ts';
import { fittingId } from '../shared/ids.ts';
import { audioFormat, toDataUrl } from '../shared/media.ts';
import { opaqueFits, wrapOpaque } from '../shared/opaque-envelope.ts';
import { CacheMarks, flaggedText, resultTexts } from '../shared/openai-words.ts';
import { invalid } from '../shared/read.ts';
import type { ToolNames } from '../shared/tool-names.ts';
import { wrapsCustom, wrapText } from '../shared/wrapped-tools.ts';
import { thinkingBlock } from './reasoning.ts';

/** OpenAI refuses longer tool call ids on this wire. */
const LONGEST_ID = 40;

export function encodeMessages(
  request: ChatRequest,
  target: Target,
  names: ToolNames,
  dropped: DroppedList,
): JsonObject[] {
  return new MessageEncoder(request, target, names, dropped).encode(request);
}

class MessageEncoder {
  readonly #target: Target;
  readonly #names: ToolNames;
  readonly #dropped: DroppedList;
  readonly #marks: CacheMarks;
  /** The caller speaks this dialect: what vendors added to it may stay. */
  readonly #native: boolean;
  readonly #messages: JsonObject[] = [];
  /** Media of tool results, which a tool message cannot hold: they follow in the next user message. */
  #waiting: UserPart[] = [];

  constructor(request: ChatRequest, target: Target, names: ToolNames, dropped: DroppedList) {
    this.#target = target;
    this.#names = names;
    this.#dropped = dropped;
    this.#marks = new CacheMarks(target, dropped);
    this.#native = request.dialect === 'openai-chat';
  }

  encode({ system, turns }: ChatRequest): JsonObject[] {
    const role = quirk(this.#target, 'system_role') === 'developer' ? 'developer' : 'system';
    if (system.length > 0) this.#messages.push({ role, content: this.#content(system) });
    for (const turn of this.#native ? turns : settleToolResults(turns)) this.#turn(turn, role);
    this.#flush();
    return this.#messages;
  }

  #turn(turn: Turn, systemRole: string): void {
    switch (turn.role) {
      case 'user':
        this.#user(turn);
        return;
      case 'system':
        this.#flush();
        this.#messages.push({ role: systemRole, content: this.#content(turn.parts) });
        return;
      case 'assistant':
        this.#flush();
        this.#assistant(turn);
        return;
    }
  }

  #user(turn: Extract<Turn, { role: 'user' }>): void {
    const rest: UserPart[] = [];
    for (const part of turn.parts) {
      if (part.type === 'tool-result') this.#toolResult(part);
      else rest.push(part);
    }
    if (rest.length === 0 && turn.parts.length > 0) return;
    const parts = [...this.#waiting, ...rest];
    this.#waiting = [];
    this.#messages.push({ role: 'user', content: this.#content(parts), ...this.#name(turn) });
  }

  #name(turn: { readonly name?: string }): JsonObject {
    return turn.name === undefined ? {} : { name: turn.name };
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    this.#messages.push({ role: 'user', content: this.#content(this.#waiting) });
    this.#waiting = [];
  }

  #toolResult(part: ToolResultPart): void {
    if (this.#native) {
      this.#messages.push({
        role: 'tool',
        tool_call_id: part.callId,
        content: part.content.length === 0 ? '' : this.#content(part.content),
      });
      return;
    }
    const texts = resultTexts(part);
    const media = part.content.filter(
      (piece): piece is ImagePart | DocumentPart =>
        piece.type === 'image' || (piece.type === 'document' && piece.source.type !== 'text'),
    );
    const place = part.place ?? 'messages';
    if (part.isError === true) this.#dropped.add(`${place}.is_error`, 'no error flag in openai-chat; said in the text');
    const content: TextPart[] = texts.map(({ text }, index) => ({
      type: 'text',
      text: index === 0 ? flaggedText(text, part.isError === true) : text,
    }));
    if (content.length === 0 && part.isError === true) content.push({ type: 'text', text: 'Error' });
    if (media.length > 0) {
      const label = `Attached to the result of ${part.name ?? 'the tool call'} (${part.callId}):`;
      this.#waiting.push({ type: 'text', text: label }, ...media);
      this.#dropped.add(place, 'images and files of tool results follow in a user message');
      if (content.length === 0) content.push({ type: 'text', text: 'See the next user message.' });
    }
    this.#messages.push({ role: 'tool', tool_call_id: this.#id(part.callId), content: this.#content(content) });
  }

  #id(id: string): string {
    return this.#native ? id : fittingId(id, LONGEST_ID);
  }

  /** One text is a string, as every vendor takes it; more are parts. */
  #content(parts: readonly UserPart[]): string | JsonObject[] {
    const said = this.#native ? parts : parts.filter((part) => part.type !== 'text' || part.text !== '');
    const first = said[0];
    if (first === undefined) return this.#native ? [] : '';
    const texts = said.filter((part) => part.type === 'text');
    if (texts.length === said.length && quirk(this.#target, 'text_parts') === false) {
      return texts.map(({ text }) => text).join('\n\n');
    }
    if (said.length === 1 && first.type === 'text') {
      const mark = this.#marks.write(first.cache, first.place);
      return Object.keys(mark).length === 0 ? first.text : [{ type: 'text', text: first.text, ...mark }];
    }
    return said.map((part) => ({ ...this.#part(part), ...this.#marks.write(part.cache, part.place) }));
  }

  #part(part: UserPart): JsonObject {
    const place = part.place ?? 'messages';
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text };
      case 'image':
        requireInput(this.#target, 'image', place);
        return this.#image(part, place);
      case 'document':
        return this.#document(part, place);
      case 'audio':
        requireInput(this.#target, 'audio', place);
        return this.#audio(part, place);
      case 'video':
        requireInput(this.#target, 'video', place);
        if (quirk(this.#target, 'video_input') === false) throw invalid(place, 'this model takes no video input');
        return { type: 'video_url', video_url: { url: urlOf(part.source, place) } };
      case 'tool-result':
        throw invalid(place, 'a tool result cannot be inside another one');
    }
  }

  #image(part: ImagePart, place: string): JsonObject {
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return { type: 'image_url', image_url: { url: urlOf(part.source, place), ...detail } };
  }

  #document(part: DocumentPart, place: string): JsonObject {
    const { source, title } = part;
    if (source.type === 'text') {
      return { type: 'text', text: title === undefined ? source.text : `${title}\n\n${source.text}` };
    }
    requireInput(this.#target, 'document', place);
    if (source.type === 'file') {
      if (source.provider === this.#target.provider) return { type: 'file', file: { file_id: source.id } };
      throw invalid(place, `refers to a file kept by ${source.provider}; send the file itself as base64`);
    }
    if (source.type === 'url') {
      throw invalid(place, 'is a URL; this model takes documents as data: send the file itself as base64');
    }
    return { type: 'file', file: { filename: title ?? 'document', file_data: toDataUrl(source.mime, source.data) } };
  }

  #audio({ source }: AudioPart, place: string): JsonObject {
    if (source.type === 'url') {
      if (this.#native || quirk(this.#target, 'audio_urls') === true)
        return { type: 'audio_url', audio_url: { url: source.url } };
      throw invalid(place, 'is a URL; this model takes sound as data: send it as base64');
    }
    if (source.type === 'file') throw invalid(place, `refers to audio kept by ${source.provider}; send it as base64`);
    const format = audioFormat(source.mime);
    if (format === undefined) throw invalid(place, `is ${source.mime}; this model takes wav and mp3`);
    return { type: 'input_audio', input_audio: { data: source.data, format } };
  }

  #assistant(turn: Extract<Turn, { role: 'assistant' }>): void {
    const texts: TextPart[] = [];
    const refusals: string[] = [];
    const reasoning: ReasoningPart[] = [];
    const calls: JsonObject[] = [];
    const message: JsonObject = {};
    for (const part of turn.parts) {
      switch (part.type) {
        case 'text':
          if (part.text !== '') texts.push(part);
          noteCitations(part, this.#dropped);
          break;
        case 'refusal':
          refusals.push(part.text);
          break;
        case 'reasoning':
          reasoning.push(part);
          break;
        case 'tool-call':
          calls.push(this.#toolCall(part));
          break;
        case 'audio':
        case 'image':
        case 'server-tool':
          Object.assign(message, this.#other(part));
          break;
      }
    }
    Object.assign(message, this.#reasoning(reasoning));
    // An assistant turn of which nothing is left would be refused (docs/wire/known-bugs-in-other-gateways.md#chat, bug 48).
    const silent = texts.length + refusals.length + calls.length === 0 && Object.keys(message).length === 0;
    if (silent && turn.parts.length > 0) return;
    const silence = calls.length > 0 || refusals.length > 0 || 'audio' in message ? null : '';
    this.#messages.push({
      role: 'assistant',
      content: texts.length === 0 ? silence : this.#content(texts),
      ...this.#name(turn),
      ...(refusals.length > 0 && { refusal: refusals.join('\n') }),
      ...message,
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  #toolCall(part: ToolCallPart): JsonObject {
    const { opaque } = part;
    const call: JsonObject = { id: this.#id(part.id) };
    if (opaque !== undefined && (this.#native || opaqueFits(opaque, this.#target))) {
      const signature = this.#native ? wrapOpaque(opaque) : opaque.value;
      call['extra_content'] = { google: { thought_signature: signature } };
    }
    if (part.kind === 'custom' && !this.#native && wrapsCustom(this.#target)) {
      const wrapped = { name: this.#names.toWire(part.name), arguments: wrapText(part.arguments) };
      return { ...call, type: 'function', function: wrapped };
    }
    if (part.kind === 'custom') {
      return { ...call, type: 'custom', custom: { name: this.#names.toWire(part.name), input: part.arguments } };
    }
    const text = part.arguments === '' && !this.#native ? '{}' : part.arguments;
    return { ...call, type: 'function', function: { name: this.#names.toWire(part.name), arguments: text } };
  }

  /**
   * Reasoning goes back to a caller's own wire as it came, and to a vendor that wants it (`reasoning_replay`) or that can read its
   * opaque state (`reasoning_carrier`); for all others it is history that nobody reads.
   */
  #reasoning(parts: readonly ReasoningPart[]): JsonObject {
    if (parts.length === 0) return {};
    const text = parts.map((part) => part.text).join('\n\n');
    const blocks = quirk(this.#target, 'reasoning_carrier') === 'thinking_blocks';
    if (this.#native) {
      const plain = parts.length === 1 && parts[0]?.opaque === undefined;
      return plain
        ? { reasoning_content: text }
        : { thinking_blocks: parts.map((part) => thinkingBlock(part.text, part.opaque)) };
    }
    const fitting = parts.filter(({ opaque }) => opaque !== undefined && opaqueFits(opaque, this.#target));
    if (blocks && fitting.length > 0) {
      return { thinking_blocks: fitting.map((part) => thinkingBlock(part.text, part.opaque, ({ value }) => value)) };
    }
    if (quirk(this.#target, 'reasoning_replay') === 'required' && text !== '') return { reasoning_content: text };
    for (const part of parts) this.#dropped.add(part.place ?? 'messages', 'this model takes no earlier reasoning');
    return {};
  }

  #other(part: Extract<AssistantPart, { type: 'audio' | 'image' | 'server-tool' }>): JsonObject {
    const place = part.place ?? 'messages';
    if (part.type === 'audio' && part.source.type === 'file' && part.source.provider === this.#target.provider) {
      return { audio: { id: part.source.id } };
    }
    if (part.type === 'image' && part.source.type !== 'file') {
      this.#dropped.add(place, 'an assistant message holds no images here: sent with the next user message');
      this.#waiting.push(part);
      return {};
    }
    this.#dropped.add(
      place,
      `no ${part.type === 'server-tool' ? part.name : part.type} in assistant messages of openai-chat`,
    );
    return {};
  }
}

function urlOf(source: MediaSource, place: string): string {
  if (source.type === 'url') return source.url;
  if (source.type === 'base64') return toDataUrl(source.mime, source.data);
  throw invalid(place, `refers to a file kept by ${source.provider}; send the file itself as base64 or by URL`);
}

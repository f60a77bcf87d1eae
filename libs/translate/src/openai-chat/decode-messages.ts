/**
 * chat-completions messages, and what vendors added to them, to turns (docs/wire/openai-chat.md#request-fields,
 * docs/wire/chat-translation.md#instructions-and-roles, #content-parts, #tool-calls-and-results).
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ImagePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../conversation.ts';
import { synthesisedCallId } from '../shared/ids.ts';
import { audioMime, isDataUrl, mediaFromBase64, mediaFromUrl, mimeOfUrl } from '../shared/media.ts';
import { readOpaque } from '../shared/opaque-envelope.ts';
import { readCacheMark } from '../shared/openai-words.ts';
import {
  at,
  invalid,
  objectOf,
  optional,
  present,
  readArray,
  readName,
  readObject,
  readString,
  textOf,
  wordOf,
  wrongKind,
  wrongWord,
} from '../shared/read.ts';
import { readReasoning } from './reasoning.ts';

export interface Messages {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
}

const ROLES = 'system, developer, user, assistant, tool';

/** Leading system messages are instructions; later ones stay where they are. */
export function decodeMessages(value: Json | undefined): Messages {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  const open = new OpenCalls();
  readArray(value, 'messages').forEach((item, index) => {
    const place = at('messages', index);
    const message = readObject(item, place);
    const role = readName(message['role'], at(place, 'role'));
    switch (role) {
      case 'system':
      case 'developer': {
        const parts = decodeTexts(message['content'], at(place, 'content'));
        if (turns.length === 0) system.push(...parts);
        else turns.push({ role: 'system', parts, place });
        return;
      }
      case 'user':
        turns.push({
          role,
          parts: decodeUserContent(message['content'], at(place, 'content')),
          ...nameOf(message, place),
          place,
        });
        return;
      case 'assistant': {
        const parts = decodeAssistant(message, place, index);
        for (const part of parts) if (part.type === 'tool-call') open.add(part);
        turns.push({ role, parts, ...nameOf(message, place), place });
        return;
      }
      case 'tool':
      case 'function':
        turns.push({ role: 'user', parts: [decodeToolResult(message, role, open, place)], place });
        return;
      default:
        throw invalid(at(place, 'role'), `must be one of ${ROLES}, not ${JSON.stringify(role.slice(0, 80))}`);
    }
  });
  return { system, turns };
}

function nameOf(message: JsonObject, place: string): { readonly name?: string } {
  return present({ name: optional(message, 'name', readString, place) });
}

/** A string or text parts. */
function decodeTexts(content: Json | undefined, place: string): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  return readArray(content, place).map((item, index) => {
    const where = at(place, index);
    const part = readObject(item, where);
    if (part['type'] !== 'text') throw wrongWord(part['type'], at(where, 'type'), '"text" here');
    return decodeText(part, where);
  });
}

function decodeText(part: JsonObject, place: string): TextPart {
  return present({
    type: 'text' as const,
    text: readString(part['text'], at(place, 'text')),
    cache: readCacheMark(part),
    place,
  });
}

function decodeUserContent(content: Json | undefined, place: string): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  if (!Array.isArray(content)) throw wrongKind(content, place, 'a string or an array of parts');
  return content.map((item, index) => decodeUserPart(readObject(item, at(place, index)), at(place, index)));
}

const USER_PARTS = 'text, image_url, input_audio, file, video_url';

function decodeUserPart(part: JsonObject, place: string): UserPart {
  const cache = readCacheMark(part);
  const base = { ...(cache !== undefined && { cache }), place };
  switch (part['type']) {
    case 'text':
      return decodeText(part, place);
    case 'image_url':
      return { ...decodeImage(part, place), ...base };
    case 'video_url':
      return { type: 'video', source: urlSource(part, 'video_url', place, 'video/mp4'), ...base };
    case 'audio_url':
      return { type: 'audio', source: urlSource(part, 'audio_url', place, 'audio/wav'), ...base };
    case 'input_audio':
      return { type: 'audio', source: decodeAudio(part, place), ...base };
    case 'file':
      return { ...decodeFile(part, place), ...base };
    default:
      throw wrongWord(part['type'], at(place, 'type'), `one of ${USER_PARTS}`);
  }
}

function urlSource(part: JsonObject, key: string, place: string, mime: string): ImagePart['source'] {
  const value = part[key];
  const where = at(place, key);
  if (typeof value === 'string') return mediaFromUrl(value, where, mime);
  return mediaFromUrl(readName(readObject(value, where)['url'], at(where, 'url')), at(where, 'url'), mime);
}

function decodeImage(part: JsonObject, place: string): ImagePart {
  const image = objectOf(part['image_url']);
  const detail = wordOf(image?.['detail']);
  return {
    type: 'image',
    source: urlSource(part, 'image_url', place, 'image/png'),
    ...(detail !== undefined && { detail }),
  };
}

function decodeAudio(part: JsonObject, place: string): ImagePart['source'] {
  const where = at(place, 'input_audio');
  const audio = readObject(part['input_audio'], where);
  const data = readName(audio['data'], at(where, 'data'));
  if (/^https?:/i.test(data.slice(0, 6))) return mediaFromUrl(data, at(where, 'data'));
  const format = optional(audio, 'format', readName, where);
  return mediaFromBase64(
    data,
    format === undefined ? undefined : (audioMime(format) ?? `audio/${format}`),
    at(where, 'data'),
  );
}

/** A file is what its bytes are: an image in a file part is an image. */
function decodeFile(part: JsonObject, place: string): Exclude<UserPart, TextPart | ToolResultPart> {
  const where = at(place, 'file');
  const file = readObject(part['file'], where);
  const filename = optional(file, 'filename', readString, where);
  const title = filename === undefined ? {} : { title: filename };
  const id = optional(file, 'file_id', readName, where);
  if (id !== undefined) return { type: 'document', source: { type: 'file', provider: 'openai', id }, ...title };
  const data = readName(file['file_data'], at(where, 'file_data'));
  const declared = mimeOfUrl(filename ?? '');
  const source = isDataUrl(data)
    ? mediaFromUrl(data, at(where, 'file_data'), declared)
    : /^https?:/i.test(data.slice(0, 6))
      ? mediaFromUrl(data, at(where, 'file_data'))
      : mediaFromBase64(data, declared, at(where, 'file_data'));
  return mediaPart(source, title);
}

function mediaPart(
  source: ImagePart['source'],
  title: { readonly title?: string },
): Exclude<UserPart, TextPart | ToolResultPart> {
  const kind = (source.mime ?? '').split('/', 1)[0];
  if (kind === 'image') return { type: 'image', source };
  if (kind === 'audio') return { type: 'audio', source };
  if (kind === 'video') return { type: 'video', source };
  return { type: 'document', source, ...title };
}

function decodeAssistant(message: JsonObject, place: string, turn: number): AssistantPart[] {
  const parts: AssistantPart[] = readReasoning(message, place);
  // Refusals after texts: the wire says both at once.
  const content = decodeAssistantContent(message['content'], at(place, 'content'));
  parts.push(
    ...content.filter((part) => part.type !== 'refusal'),
    ...content.filter((part) => part.type === 'refusal'),
  );
  const refusal = wordOf(message['refusal']);
  if (refusal !== undefined) parts.push({ type: 'refusal', text: refusal, place: at(place, 'refusal') });
  const audioId = wordOf(objectOf(message['audio'])?.['id']);
  if (audioId !== undefined) {
    parts.push({ type: 'audio', source: { type: 'file', provider: 'openai', id: audioId }, place: at(place, 'audio') });
  }
  optional(message, 'tool_calls', readArray, place)?.forEach((item, index) => {
    const where = at(at(place, 'tool_calls'), index);
    parts.push(decodeToolCall(readObject(item, where), where, synthesisedCallId(turn, index)));
  });
  const legacy = objectOf(message['function_call']);
  if (legacy !== undefined) {
    parts.push(decodeToolCall({ function: legacy }, at(place, 'function_call'), synthesisedCallId(turn, 0)));
  }
  return parts;
}

/** Null and '' say nothing (docs/wire/known-bugs-in-other-gateways.md#chat, bug 48). */
function decodeAssistantContent(content: Json | undefined, place: string): AssistantPart[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  return readArray(content, place).flatMap((item, index): AssistantPart[] => {
    const where = at(place, index);
    const part = readObject(item, where);
    if (part['type'] === 'refusal') {
      return [{ type: 'refusal', text: readString(part['refusal'], at(where, 'refusal')), place: where }];
    }
    if (part['type'] === 'image_url') return [{ ...decodeImage(part, where), place: where }];
    if (part['type'] !== 'text') {
      throw wrongWord(part['type'], at(where, 'type'), '"text" or "refusal" in an assistant message');
    }
    return part['text'] === '' ? [] : [decodeText(part, where)];
  });
}

function decodeToolCall(call: JsonObject, place: string, ownId: string): ToolCallPart {
  const id = optional(call, 'id', readString, place);
  const signature = wordOf(objectOf(objectOf(call['extra_content'])?.['google'])?.['thought_signature']);
  const opaque = readOpaque(signature, { provider: 'gemini', kind: 'signature' });
  const base = {
    type: 'tool-call' as const,
    id: id === undefined || id === '' ? ownId : id,
    ...(opaque !== undefined && { opaque }),
    place,
  };
  if (call['type'] === 'custom') {
    const where = at(place, 'custom');
    const custom = readObject(call['custom'], where);
    const input = readString(custom['input'] ?? '', at(where, 'input'));
    return { ...base, kind: 'custom', name: readName(custom['name'], at(where, 'name')), arguments: input };
  }
  const where = at(place, 'function');
  const fn = readObject(call['function'], where);
  return {
    ...base,
    kind: 'function',
    name: readName(fn['name'], at(where, 'name')),
    arguments: argumentsText(fn['arguments']),
  };
}

/** Some clients write the object itself. */
export function argumentsText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function decodeToolResult(
  message: JsonObject,
  role: 'tool' | 'function',
  open: OpenCalls,
  place: string,
): ToolResultPart {
  const call = role === 'tool' ? callById(message, open, place) : callByName(message, open, place);
  return present({
    type: 'tool-result' as const,
    callId: call.id,
    name: call.name ?? optional(message, 'name', readString, place),
    content: decodeResultContent(message['content'], at(place, 'content')),
    place,
  });
}

interface Answered {
  readonly id: string;
  readonly name?: string;
}

/** Calls without an answer yet. A request may have tens of thousands: each is found by its id or name without looking through the others. */
class OpenCalls {
  readonly #open = new Set<ToolCallPart>();
  /** Those of one id or name, the newest last; some are answered by now. */
  readonly #byId = new Map<string, ToolCallPart[]>();
  readonly #byName = new Map<string, ToolCallPart[]>();

  get size(): number {
    return this.#open.size;
  }

  add(call: ToolCallPart): void {
    this.#open.add(call);
    for (const [calls, word] of [
      [this.#byId, call.id],
      [this.#byName, call.name],
    ] as const) {
      const known = calls.get(word);
      if (known === undefined) calls.set(word, [call]);
      else known.push(call);
    }
  }

  /** The newest of this id, which is open no longer. */
  takeById(id: string): ToolCallPart | undefined {
    return this.#take(this.#byId.get(id));
  }

  /** The newest of this name, which is open no longer. */
  takeByName(name: string): ToolCallPart | undefined {
    return this.#take(this.#byName.get(name));
  }

  /** The oldest, which is open no longer. */
  takeFirst(): ToolCallPart | undefined {
    const [call] = this.#open;
    if (call !== undefined) this.#open.delete(call);
    return call;
  }

  #take(calls: ToolCallPart[] = []): ToolCallPart | undefined {
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) if (this.#open.delete(call)) return call;
    return undefined;
  }
}

/** The call a tool message answers; never a guess when several are open (theopenco/llmgateway#2789). */
function callById(message: JsonObject, open: OpenCalls, place: string): Answered {
  const id = textOf(message['tool_call_id']) ?? '';
  if (id === '' && open.size !== 1) {
    throw invalid(
      at(place, 'tool_call_id'),
      `must be the id of the call this message answers; ${open.size} calls are open`,
    );
  }
  return (id === '' ? open.takeFirst() : open.takeById(id)) ?? { id };
}

/** The deprecated role `function` names its function only. */
function callByName(message: JsonObject, open: OpenCalls, place: string): Answered {
  const name = readName(message['name'], at(place, 'name'));
  const call = open.takeByName(name);
  if (call === undefined)
    throw invalid(
      at(place, 'name'),
      `answers function ${JSON.stringify(name)}, but no open call before it has that name`,
    );
  return call;
}

function decodeResultContent(content: Json | undefined, place: string): ToolResultPart['content'] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  // Some clients hand over the object a tool returned.
  if (isJsonObject(content)) return [{ type: 'text', text: JSON.stringify(content), place }];
  return readArray(content, place).flatMap((item, index): readonly ToolResultPart['content'][number][] => {
    const where = at(place, index);
    const part = decodeUserPart(readObject(item, where), where);
    if (part.type === 'text') return part.text === '' ? [] : [part];
    if (part.type === 'image' || part.type === 'document') return [part];
    throw invalid(at(where, 'type'), 'must be text, image_url or file in a tool message');
  });
}

/**
 * Parts of the Google wire read into ours; the same in requests and replies (docs/wire/gemini-generate.md#request, #answer).
 * Field names are camelCase by now.
 */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  Opaque,
  ServerToolPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
  VideoPart,
} from '../conversation.ts';
import { mediaFromBase64, mediaFromUrl, mimeOfUrl } from '../shared/media.ts';
import { readOpaque } from '../shared/opaque-envelope.ts';
import {
  at,
  invalid,
  objectOf,
  optional,
  present,
  readArray,
  readList,
  readName,
  readObject,
  readString,
  textOf,
  wordOf,
} from '../shared/read.ts';

export interface PartContext {
  readonly provider: string;
  readonly model?: string | undefined;
  readonly nested: string[];
  /** The id of a call that has none on the wire. */
  readonly newCallId: (call: JsonObject) => string;
  /** The id of the call that a response without an id answers. */
  readonly callOf?: (name: string, id: string | undefined) => string;
}

/** What stands for a signature that was lost: says so, and holds nothing (docs/wire/gemini-generate.md#thought-signatures). */
export const SKIP_SIGNATURE = 'skip_thought_signature_validator';
const PLACEHOLDERS = new Set([SKIP_SIGNATURE, 'context_engineering_is_the_way_to_go']);

type Media = ImagePart | DocumentPart | AudioPart | VideoPart;

const ATTRIBUTES = [
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
  'mediaProcessing',
];
const SERVER_KINDS: Readonly<Record<string, { readonly phase: 'call' | 'result'; readonly name: string }>> = {
  executableCode: { phase: 'call', name: 'code_execution' },
  codeExecutionResult: { phase: 'result', name: 'code_execution' },
  toolCall: { phase: 'call', name: 'tool' },
  toolResponse: { phase: 'result', name: 'tool' },
};

export function readSignature(part: JsonObject, context: PartContext): Opaque | undefined {
  const text = textOf(part['thoughtSignature']);
  if (text === undefined || PLACEHOLDERS.has(text)) return undefined;
  const native = present({ provider: context.provider, model: context.model, kind: 'signature' as const });
  return readOpaque(text, native);
}

/** A part of a user turn; empty ones are passed over. */
export function readUserPart(part: JsonObject, place: string, context: PartContext): UserPart[] {
  noteAttributes(part, place, context);
  if (part['functionResponse'] !== undefined) return [readResponse(part, place, context)];
  if (typeof part['text'] === 'string') {
    return part['text'] === '' ? [] : [{ type: 'text', text: part['text'], place }];
  }
  const media = readMedia(part, place, context);
  if (media !== undefined) return [media];
  if (kindsOf(part).length === 0) return [];
  throw invalid(place, `has no meaning in a user turn: ${kindsOf(part).join(', ').slice(0, 80)}`);
}

/** A part of a model turn or of an answer; empty ones are passed over unless they carry a signature. */
export function readModelPart(part: JsonObject, place: string, context: PartContext): AssistantPart[] {
  noteAttributes(part, place, context);
  const opaque = readSignature(part, context);
  if (opaque !== undefined && opaque.provider !== context.provider && isSigned(part)) {
    // Another vendor's state stands ahead of what it was written on (reply.ts).
    const { thoughtSignature: _, ...unsigned } = part;
    return [{ type: 'reasoning', text: '', opaque, place }, ...readModelPart(unsigned, place, context)];
  }
  const common = present({ opaque, place });
  if (part['functionCall'] !== undefined) return [{ ...readCall(part, place, context), ...common }];
  const text = textOf(part['text']);
  if (part['thought'] === true) {
    return text === undefined || (text === '' && opaque === undefined) ? [] : [{ type: 'reasoning', text, ...common }];
  }
  if (text !== undefined || (kindsOf(part).length === 0 && opaque !== undefined)) {
    return text === '' && opaque === undefined ? [] : [{ type: 'text', text: text ?? '', ...common }];
  }
  const media = readMedia(part, place, context);
  if (media?.type === 'image' || media?.type === 'audio') return [{ ...media, ...common }];
  return kindsOf(part).length === 0 ? [] : [readServerPart(part, place, context)];
}

/** Whether a signature stands on words or a call, rather than on a thought or alone. */
function isSigned(part: JsonObject): boolean {
  return part['functionCall'] !== undefined || (part['thought'] !== true && (textOf(part['text']) ?? '') !== '');
}

function noteAttributes(part: JsonObject, place: string, context: PartContext): void {
  for (const key of ATTRIBUTES) {
    if (key !== 'thought' && key !== 'thoughtSignature' && part[key] !== undefined) context.nested.push(at(place, key));
  }
}

/** What a part is: its fields that are no attributes. */
function kindsOf(part: JsonObject): string[] {
  return Object.keys(part).filter((key) => !ATTRIBUTES.includes(key) && part[key] !== null);
}

function readServerPart(part: JsonObject, place: string, context: PartContext): ServerToolPart {
  const kind = kindsOf(part)[0] ?? '';
  const inner = objectOf(part[kind]);
  const known = SERVER_KINDS[kind];
  return present({
    type: 'server-tool' as const,
    provider: context.provider,
    name: known === undefined ? kind : (wordOf(inner?.['toolType'])?.toLowerCase() ?? known.name),
    phase: known?.phase ?? ('result' as const),
    id: wordOf(inner?.['id']),
    raw: part,
    place,
  });
}

function readCall(part: JsonObject, place: string, context: PartContext): ToolCallPart {
  const where = at(place, 'functionCall');
  const call = readObject(part['functionCall'], where);
  const args = optional(call, 'args', readObject, where);
  return {
    type: 'tool-call',
    id: wordOf(call['id']) ?? context.newCallId(call),
    name: readName(call['name'], at(where, 'name')),
    kind: 'function',
    arguments: args === undefined ? '' : JSON.stringify(args),
  };
}

function readResponse(part: JsonObject, place: string, context: PartContext): ToolResultPart {
  const where = at(place, 'functionResponse');
  const wire = readObject(part['functionResponse'], where);
  const name = readName(wire['name'], at(where, 'name'));
  const data = optional(wire, 'response', readObject, where) ?? {};
  const isError = data['error'] !== undefined && data['output'] === undefined && data['result'] === undefined;
  const text = resultText(data);
  const media = (optional(wire, 'parts', readArray, where) ?? []).flatMap((item, index) => {
    const inner = at(at(where, 'parts'), index);
    const found = readMedia(readObject(item, inner), inner, context);
    if (found?.type === 'image' || found?.type === 'document') return [found];
    context.nested.push(inner);
    return [];
  });
  const id = wordOf(wire['id']);
  return {
    type: 'tool-result',
    callId: context.callOf?.(name, id) ?? id ?? name,
    name,
    content: [...(text === '' ? [] : [{ type: 'text' as const, text, place: where }]), ...media],
    data,
    ...(isError && { isError }),
    place,
  };
}

/** The words of a result object: its one text, else the whole as JSON. */
function resultText(data: JsonObject): string {
  const keys = Object.keys(data);
  const [key] = keys;
  if (key === undefined) return '';
  const only = keys.length === 1 ? data[key] : undefined;
  return typeof only === 'string' && ['output', 'result', 'error', 'content'].includes(key)
    ? only
    : JSON.stringify(data);
}

/** Bytes or an address, as the kind their MIME type says; undefined for any other part. */
function readMedia(part: JsonObject, place: string, context: PartContext): Media | undefined {
  if (part['inlineData'] !== undefined) {
    const where = at(place, 'inlineData');
    const blob = readObject(part['inlineData'], where);
    const mime = wordOf(blob['mimeType']);
    const data = readString(blob['data'], at(where, 'data'));
    return mediaPart(mediaFromBase64(data, mime, at(where, 'data')), blob, place);
  }
  if (part['fileData'] === undefined) return undefined;
  const where = at(place, 'fileData');
  const file = readObject(part['fileData'], where);
  const uri = readName(file['fileUri'], at(where, 'fileUri'));
  const mime = wordOf(file['mimeType']) ?? mimeOfUrl(uri);
  const own = uri.startsWith('gs://') || uri.startsWith('files/') || OWN_FILES.test(uri);
  const source: MediaSource = own
    ? present({ type: 'file' as const, provider: context.provider, id: uri, mime })
    : withMime(mediaFromUrl(uri, at(where, 'fileUri')), mime);
  return mediaPart(source, file, place);
}

const OWN_FILES = /^https:\/\/generativelanguage\.googleapis\.com\//;
/** Videos every model reads by their address. */
export const YOUTUBE = /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//;

function withMime(source: MediaSource, mime: string | undefined): MediaSource {
  return mime === undefined || source.type === 'base64' ? source : { ...source, mime };
}

function mediaPart(source: MediaSource, wire: JsonObject, place: string): Media {
  const mime = source.mime ?? (source.type === 'url' && YOUTUBE.test(source.url) ? 'video/*' : '');
  if (mime.startsWith('image/')) return { type: 'image', source, place };
  if (mime.startsWith('audio/')) return { type: 'audio', source, place };
  if (mime.startsWith('video/')) return { type: 'video', source, place };
  return present({ type: 'document' as const, source, title: wordOf(wire['displayName']), place });
}

/** Looks up which call a response answers: by its id, else by name, the latest turn and its first open call of that name. */
export function createCallIds(): {
  note(calls: readonly ToolCallPart[]): void;
  callOf(name: string, id: string | undefined): string;
} {
  const turns: ToolCallPart[][] = [];
  return {
    note: (calls) => {
      if (calls.length > 0) turns.push([...calls]);
    },
    callOf: (name, id) => {
      for (let turn = turns.length - 1; turn >= 0; turn -= 1) {
        const open = turns[turn] ?? [];
        const found = open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
        if (found >= 0) return open.splice(found, 1)[0]?.id ?? name;
      }
      return id ?? name;
    },
  };
}

/** `parts` of a content, each an object. */
export function readParts(content: JsonObject, place: string): { readonly part: JsonObject; readonly place: string }[] {
  const parts: Json = content['parts'] ?? [];
  const where = at(place, 'parts');
  return readList(parts, where).map((item, index) => ({
    part: readObject(item, at(where, index)),
    place: at(where, index),
  }));
}

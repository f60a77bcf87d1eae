/** What is inside messages and tool outputs on the Responses wire (docs/wire/openai-responses.md#input-items). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../conversation.ts';
import { audioMime, isDataUrl, mediaFromBase64, mediaFromUrl, mimeOfUrl } from '../shared/media.ts';
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
  wordOf,
  wrongKind,
  wrongWord,
} from '../shared/read.ts';

const TEXT_TYPES: ReadonlySet<Json | undefined> = new Set(['input_text', 'output_text', 'text']);

export function decodeTexts(content: Json | undefined, place: string): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  return readArray(content, place).map((item, index) => {
    const where = at(place, index);
    const part = readObject(item, where);
    if (!TEXT_TYPES.has(part['type'])) {
      throw wrongWord(part['type'], at(where, 'type'), '"input_text" here');
    }
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

export function decodeAssistantContent(content: Json | undefined, place: string): AssistantPart[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  return readArray(content, place).map((item, index): AssistantPart => {
    const where = at(place, index);
    const part = readObject(item, where);
    if (part['type'] === 'refusal') {
      return { type: 'refusal', text: readString(part['refusal'], at(where, 'refusal')), place: where };
    }
    if (!TEXT_TYPES.has(part['type'])) {
      throw wrongWord(part['type'], at(where, 'type'), '"output_text" or "refusal" in an assistant message');
    }
    return decodeText(part, where);
  });
}

export function decodeUserContent(content: Json | undefined, place: string): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, place }];
  if (!Array.isArray(content)) throw wrongKind(content, place, 'a string or an array of parts');
  return content.map((item, index) => decodeUserPart(readObject(item, at(place, index)), at(place, index)));
}

const USER_PARTS = 'input_text, input_image, input_file, input_audio';

function decodeUserPart(part: JsonObject, place: string): Exclude<UserPart, ToolResultPart> {
  const cache = readCacheMark(part);
  const base = { ...(cache !== undefined && { cache }), place };
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return decodeText(part, place);
    case 'input_image':
      return { ...decodeImage(part, place), ...base };
    case 'input_file':
      return { ...decodeFile(part, place), ...base };
    case 'input_audio':
      return { type: 'audio', source: decodeAudio(part, place), ...base };
    // Ark's Responses.
    case 'input_video':
      return {
        type: 'video',
        source: mediaFromUrl(readName(part['video_url'], at(place, 'video_url')), at(place, 'video_url'), 'video/mp4'),
        ...base,
      };
    default:
      throw wrongWord(part['type'], at(place, 'type'), `one of ${USER_PARTS}`);
  }
}

function decodeImage(part: JsonObject, place: string): ImagePart {
  const detail = wordOf(part['detail']);
  const id = optional(part, 'file_id', readName, place);
  const nested = objectOf(part['image_url']);
  const where = nested === undefined ? at(place, 'image_url') : at(at(place, 'image_url'), 'url');
  const source: MediaSource =
    id !== undefined
      ? { type: 'file', provider: 'openai', id }
      : mediaFromUrl(readName(nested === undefined ? part['image_url'] : nested['url'], where), where, 'image/png');
  return { type: 'image', source, ...(detail !== undefined && { detail }) };
}

function decodeAudio(part: JsonObject, place: string): MediaSource {
  const nested = isJsonObject(part['input_audio']);
  const audio = nested ? readObject(part['input_audio'], at(place, 'input_audio')) : part;
  const where = nested ? at(place, 'input_audio') : place;
  const format = optional(audio, 'format', readName, where);
  const mime = format === undefined ? undefined : (audioMime(format) ?? `audio/${format}`);
  return mediaFromBase64(readName(audio['data'], at(where, 'data')), mime, at(where, 'data'));
}

/** A file is what its bytes are: an image in a file part is an image. */
function decodeFile(part: JsonObject, place: string): DocumentPart | ImagePart {
  const filename = optional(part, 'filename', readString, place);
  const title = filename === undefined ? {} : { title: filename };
  const id = optional(part, 'file_id', readName, place);
  if (id !== undefined) return { type: 'document', source: { type: 'file', provider: 'openai', id }, ...title };
  const url = optional(part, 'file_url', readName, place);
  if (url !== undefined) {
    return { type: 'document', source: mediaFromUrl(url, at(place, 'file_url'), mimeOfUrl(filename ?? '')), ...title };
  }
  const data = readName(part['file_data'], at(place, 'file_data'));
  const declared = mimeOfUrl(filename ?? '');
  const source = isDataUrl(data)
    ? mediaFromUrl(data, at(place, 'file_data'), declared)
    : mediaFromBase64(data, declared, at(place, 'file_data'));
  if (source.mime?.startsWith('image/') === true) return { type: 'image', source };
  return { type: 'document', source, ...title };
}

export function decodeResultContent(output: Json, place: string): ToolResultPart['content'] {
  if (typeof output === 'string') return [{ type: 'text', text: output, place }];
  // Some clients hand over the object a tool returned.
  if (isJsonObject(output)) return [{ type: 'text', text: JSON.stringify(output), place }];
  return readArray(output, place).map((item, index) => {
    const where = at(place, index);
    const part = decodeUserPart(readObject(item, where), where);
    if (part.type === 'text' || part.type === 'image' || part.type === 'document') return part;
    throw invalid(at(where, 'type'), 'must be input_text, input_image or input_file in a tool output');
  });
}

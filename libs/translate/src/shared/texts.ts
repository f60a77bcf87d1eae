/** Where people's and models' words stand in bodies and events, for whoever looks through them or changes them. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** A text, by what holds it. */
export interface TextPlace {
  readonly in: JsonObject | Json[];
  readonly at: string | number;
  /** `messages[2].content[0].text` */
  readonly param: string;
  /** The text is JSON itself, or a piece of it: arguments of a call. */
  readonly isJson?: true;
}

/** A piece of a text that comes in several events. */
export interface TextPiece extends TextPlace {
  /** The same for all pieces of one text. */
  readonly of: string;
  /** Texts of one lane come one after the other: a piece of the next ends the one before. */
  readonly lane: string;
}

/** What one event of a stream has. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[];
  /** Texts that are there whole: repetitions, and what comes at once. */
  readonly wholes: readonly TextPlace[];
  /** Lanes in which nothing more is said for now; `all` at the end of the answer. */
  readonly closes: readonly string[] | 'all';
}

export interface DialectTexts {
  /** Of a conversation and its instructions; not those of tools. */
  inRequest(body: JsonObject): readonly TextPlace[];
  inReply(body: JsonObject): readonly TextPlace[];
  inEvent(data: JsonObject): EventTexts;
}

/** Names whose values are no words: what they are, ids, addresses, media, opaque state. */
const NO_WORDS =
  /^(?:type|role|id|.*_id|.*Id|model|status|phase|format|detail|url|uri|fileUri|file_uri|image_url|file_url|data|file_data|b64_json|result|mime_?[tT]ype|media_type|signature|thought_?[sS]ignature|encrypted_content|cache_control|finish_?[rR]eason|stop_reason)$/;
const JSON_NAMES = new Set(['arguments', 'partial_json']);

/** Every text below a value, in order. */
export function textsBelow(value: Json | undefined, param: string): readonly TextPlace[] {
  const found: TextPlace[] = [];
  if (value !== undefined) collect({ root: value }, 'root', param, found);
  return found;
}

/** Every text below members of a body, the members that are texts themselves among them. */
export function textsOf(body: JsonObject, names: readonly string[], param = ''): readonly TextPlace[] {
  const found: TextPlace[] = [];
  for (const name of names)
    if (body[name] !== undefined) collect(body, name, param === '' ? name : `${param}.${name}`, found);
  return found;
}

function collect(holder: JsonObject | Json[], at: string | number, param: string, found: TextPlace[]): void {
  const value = (holder as Record<string | number, Json>)[at];
  if (typeof value === 'string') {
    if (value !== '') found.push({ in: holder, at, param, ...(JSON_NAMES.has(String(at)) && { isJson: true }) });
  } else if (Array.isArray(value)) {
    value.forEach((_, index) => collect(value, index, `${param}[${index}]`, found));
  } else if (isJsonObject(value)) {
    // A document that is sent as text stands where bytes do.
    const isText = value['type'] === 'text' && typeof value['media_type'] === 'string';
    for (const name of Object.keys(value))
      if (!NO_WORDS.test(name) || (isText && name === 'data')) collect(value, name, `${param}.${name}`, found);
  }
}

/** The text at a place. */
export function textAt({ in: holder, at }: TextPlace): string {
  return named((holder as Record<string | number, Json>)[at]);
}

/** Puts another text there. */
export function putText({ in: holder, at }: TextPlace, text: string): void {
  (holder as Record<string | number, Json>)[at] = text;
}

/** An index or an id as text; `other` where it is neither. */
export function named(value: Json | undefined, other: string | number = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : String(other);
}

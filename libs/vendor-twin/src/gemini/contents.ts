import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { isSealed } from '../core/auth.ts';
import { textOf } from '../core/values.ts';
import type { ToolResult, Turn } from '../chat/talk.ts';
import type { GeminiAbilities } from './models.ts';
import { badContent } from './errors.ts';

export const THOUGHT_SEAL = 'gemini-thought';
const SENTINELS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];
const KINDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** Reads `contents`: who speaks, what a part is, and that calls and responses fit together. */
export function readContents(value: readonly JsonObject[], abilities: GeminiAbilities): Content[] {
  const contents = value.map((content, index) => readContent(content, index));
  checkCalls(contents);
  checkSignatures(contents, abilities);
  return contents;
}

function readContent(content: JsonObject, index: number): Content {
  const role = content['role'] ?? 'user';
  if (role !== 'user' && role !== 'model' && role !== 'function')
    throw badContent('Please use a valid role: user, model.');
  const parts = partsOf(content);
  if (parts.length === 0)
    throw badContent(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
  parts.forEach((part, at) => checkPart(part, `contents[${index}].parts[${at}]`));
  return { role: role === 'model' ? 'model' : 'user', parts };
}

export function partsOf(content: JsonObject | undefined): JsonObject[] {
  const parts = content?.['parts'];
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}

function checkPart(part: JsonObject, at: string): void {
  const kinds = KINDS.filter((kind) => part[kind] !== undefined);
  const signature = part['thoughtSignature'];
  if (kinds.length > 1)
    throw badContent(
      `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${kinds[1] ?? ''}'`,
    );
  const blank = kinds.length === 0 || (part['text'] === '' && signature === undefined);
  if (blank && signature === undefined) {
    throw badContent(
      `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`,
    );
  }
  const { inlineData, functionCall, functionResponse } = part;
  if (isJsonObject(inlineData)) checkBlob(inlineData, at);
  for (const named of [functionCall, functionResponse]) {
    if (isJsonObject(named) && (typeof named['name'] !== 'string' || named['name'] === '')) {
      throw badContent(
        `* GenerateContentRequest.${at}.${named === functionCall ? 'function_call' : 'function_response'}.name: Name cannot be empty.`,
      );
    }
  }
  if (isJsonObject(functionResponse) && !isJsonObject(functionResponse['response'])) {
    throw badContent(`* GenerateContentRequest.${at}.function_response.response: required field is missing.`);
  }
  if (typeof signature === 'string' && !SENTINELS.includes(signature) && !isOurs(part, signature)) {
    throw badContent('Corrupted thought signature.');
  }
}

const MEDIA =
  /^(image\/(png|jpeg|webp|heic|heif|gif|bmp)|audio\/[\w.+-]+(;.*)?|video\/[\w.+-]+|application\/pdf|text\/[\w.+-]+)$/;

function checkBlob(blob: JsonObject, at: string): void {
  const { mimeType, data } = blob;
  if (typeof mimeType !== 'string' || !MEDIA.test(mimeType))
    throw badContent(`Unsupported MIME type: ${textOf(mimeType)}`);
  if (typeof data !== 'string' || data === '' || !/^[A-Za-z0-9+/_-]+=*$/.test(data.slice(0, 1024))) {
    throw badContent(`Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`);
  }
}

function isOurs(part: JsonObject, signature: string): boolean {
  return isSealed(THOUGHT_SEAL, sealedContent(part), signature.replaceAll('-', '+').replaceAll('_', '/'));
}

/** What a signature vouches for: the function of a call; of other parts nothing in particular. */
export function sealedContent(part: JsonObject): string {
  const call = part['functionCall'];
  return isJsonObject(call) && typeof call['name'] === 'string' ? call['name'] : '';
}

function checkCalls(contents: readonly Content[]): void {
  contents.forEach((content, index) => {
    const calls = namesOf(content, 'functionCall');
    const responses = namesOf(content, 'functionResponse');
    const before = contents[index - 1];
    const next = contents[index + 1];
    if (content.role === 'user' && calls.length > 0)
      throw badContent('Please ensure that function call parts come from the model role.');
    if (calls.length > 0 && before?.role !== 'user') {
      throw badContent(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (calls.length > 0 && next !== undefined && namesOf(next, 'functionResponse').length !== calls.length) {
      const message =
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
      throw badContent(message);
    }
    if (responses.length === 0) return;
    const asked = before === undefined ? [] : namesOf(before, 'functionCall');
    if (asked.length === 0)
      throw badContent('Please ensure that function response turn comes immediately after a function call turn.');
    for (const name of responses) {
      if (!asked.includes(name))
        throw badContent(`Function response '${name}' does not match any function call of the preceding turn.`);
    }
    checkIds(content, before);
  });
}

/** Ids are optional, but an id must be one that was asked with. */
function checkIds(content: Content, before: Content | undefined): void {
  const ids = (from: Content | undefined, kind: string): string[] =>
    (from?.parts ?? []).flatMap((part) => {
      const named = part[kind];
      return isJsonObject(named) && typeof named['id'] === 'string' ? [named['id']] : [];
    });
  const asked = ids(before, 'functionCall');
  for (const id of ids(content, 'functionResponse')) {
    if (asked.length > 0 && !asked.includes(id))
      throw badContent(`Function response id '${id}' does not match any function call id.`);
  }
}

function namesOf(content: Content, kind: 'functionCall' | 'functionResponse'): string[] {
  return content.parts.flatMap((part) => {
    const named = part[kind];
    return isJsonObject(named) ? [textOf(named['name'])] : [];
  });
}

/** Since the user last spoke, the first call of every step must carry its signature (https://ai.google.dev/gemini-api/docs/thought-signatures). */
function checkSignatures(contents: readonly Content[], abilities: GeminiAbilities): void {
  if (!abilities.signs) return;
  const spoke = contents.findLastIndex(
    (content) => content.role === 'user' && content.parts.some((part) => part['functionResponse'] === undefined),
  );
  contents.slice(spoke + 1).forEach((content, index) => {
    const first = content.parts.find((part) => part['functionCall'] !== undefined);
    if (content.role !== 'model' || first === undefined || first['thoughtSignature'] !== undefined) return;
    const name = sealedContent(first);
    throw badContent(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. ' +
        `Additional data, function call \`default_api:${name}\`, position ${spoke + 1 + index}.`,
    );
  });
}

/** The conversation as the brain knows it. */
export function turnsOf(contents: readonly Content[]): Turn[] {
  return contents.map(({ role, parts }) => {
    const texts: string[] = [];
    const results: ToolResult[] = [];
    const seen = { images: 0, documents: 0, audios: 0 };
    for (const part of parts) {
      const { text, thought, functionResponse } = part;
      if (typeof text === 'string' && thought !== true && text !== '') texts.push(text);
      if (isJsonObject(functionResponse)) {
        results.push(resultOf(functionResponse));
        for (const inner of partsOf(functionResponse)) countMedia(inner, seen);
      }
      countMedia(part, seen);
    }
    return { role: role === 'model' ? 'assistant' : 'user', text: texts.join('\n'), results, ...seen };
  });
}

function resultOf(functionResponse: JsonObject): ToolResult {
  const { response, name } = functionResponse;
  const given = isJsonObject(response) ? response : {};
  const isError = given['error'] !== undefined;
  const said = given['error'] ?? given['output'] ?? given['result'] ?? given;
  return { name: textOf(name), text: typeof said === 'string' ? said : JSON.stringify(said), isError };
}

function countMedia(part: JsonObject, seen: { images: number; documents: number; audios: number }): void {
  const media = part['inlineData'] ?? part['fileData'];
  if (!isJsonObject(media)) return;
  const type = textOf(media['mimeType']);
  if (type.startsWith('image/')) seen.images += 1;
  else if (type.startsWith('audio/')) seen.audios += 1;
  else seen.documents += 1;
}

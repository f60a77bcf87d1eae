/** POST …/models/{model}:generateContent, read (docs/wire/gemini-generate.md#request). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ChatRequest,
  OutputFormat,
  ReasoningRequest,
  TextPart,
  Turn,
  Unportable,
} from '../conversation.ts';
import { synthesisedCallId } from '../shared/ids.ts';
import {
  at,
  invalid,
  objectOf,
  optional,
  present,
  readBoolean,
  readInteger,
  readList,
  readNumber,
  readObject,
  readString,
  readStrings,
  readWord,
  textOf,
  unknownFields,
  wordOf,
} from '../shared/read.ts';
import { unportableFields } from '../shared/translation.ts';
import { camelFields } from './field-case.ts';
import { createCallIds, readModelPart, readParts, readUserPart, type PartContext } from './parts.ts';
import { fromOpenApi } from './schema.ts';
import { decodeToolConfig, decodeTools } from './tools.ts';

const KNOWN = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'serviceTier',
  'continuationToken',
]);
const KNOWN_CONFIG = new Set([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'speechConfig',
  'imageConfig',
  'thinkingConfig',
]);

/** What an answer of another vendor would silently lack. */
const ONLY_HERE: Readonly<Record<string, Omit<Unportable, 'field'>>> = {
  cachedContent: { reason: 'is content kept at Google, which this model cannot read; send it in `contents`' },
  continuationToken: {
    reason: 'resumes an answer that only its own vendor can go on with; send the request without it',
  },
  previousInteractionId: {
    reason: 'is a conversation kept at Google, which this model cannot read; send the whole of it in `contents`',
  },
};

/** Reads a generateContent body in either spelling of its field names; model and stream come from the path. */
export function decodeRequest(body: Json, path?: { readonly model: string; readonly stream: boolean }): ChatRequest {
  const wire = readObject(camelFields(body), '');
  const nested: string[] = [];
  const config = optional(wire, 'generationConfig', readObject, '') ?? {};
  for (const key of Object.keys(unknownFields(config, KNOWN_CONFIG))) nested.push(`generationConfig.${key}`);
  const system = decodeSystem(wire['systemInstruction']);
  const tools = decodeTools(wire['tools'], nested);
  const choice = decodeToolConfig(wire['toolConfig'], nested);
  const unportable = unportableFields(wire, ONLY_HERE);
  const tier = optional(wire, 'serviceTier', readString, '')?.toLowerCase();
  return present({
    dialect: 'gemini-generate' as const,
    model: path?.model ?? modelName(textOf(wire['model']) ?? ''),
    stream: path?.stream ?? false,
    system,
    turns: decodeContents(wire['contents'], nested, system.length > 0),
    tools: choice.validated
      ? tools.map((tool) => (tool.type === 'function' ? { ...tool, strict: true } : tool))
      : tools,
    toolChoice: choice.toolChoice,
    ...decodeConfig(config, nested),
    serviceTier: tier === 'standard' ? 'default' : tier === 'unspecified' ? undefined : tier,
    extra: unknownFields(wire, KNOWN),
    unportable: unportable.length === 0 ? undefined : unportable,
    nested: nested.length === 0 ? undefined : nested,
    continuation: wordOf(wire['continuationToken']),
  });
}

/** `models/gemini-3-pro` → `gemini-3-pro`. */
function modelName(name: string): string {
  return name.startsWith('models/') ? name.slice('models/'.length) : name;
}

function decodeSystem(value: Json | undefined): TextPart[] {
  const place = 'systemInstruction';
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value, place }];
  return readParts(readObject(value, place), place).flatMap(({ part, place: where }): TextPart[] => {
    const text = readString(part['text'] ?? '', at(where, 'text'));
    return text === '' ? [] : [{ type: 'text', text, place: where }];
  });
}

/** None where the instructions are all that is said. */
function decodeContents(value: Json | undefined, nested: string[], instructed: boolean): Turn[] {
  const contents = readList(value ?? (instructed ? [] : undefined), 'contents');
  if (contents.length === 0 && !instructed) throw invalid('contents', 'must hold at least one turn');
  const book = createCallIds();
  const turns: Turn[] = [];
  for (const [index, item] of contents.entries()) {
    const place = at('contents', index);
    const content = readObject(item, place);
    const role = readWord(content['role'] ?? 'user', ['user', 'model', 'function'], at(place, 'role'));
    const found = readParts(content, place);
    const last = turns.at(-1);
    // Google's SDK keeps a streamed answer as one content per chunk: neighbours of the model are one turn.
    const before = role === 'model' && last?.role === 'assistant' ? last : undefined;
    let calls = before?.parts.filter((part) => part.type === 'tool-call').length ?? 0;
    const turn = before === undefined ? turns.length : turns.length - 1;
    const context: PartContext = {
      provider: 'gemini',
      nested,
      newCallId: () => synthesisedCallId(turn, calls++),
      callOf: (name, id) => book.callOf(name, id),
    };
    if (role !== 'model') {
      turns.push({ role: 'user', parts: found.flatMap((each) => readUserPart(each.part, each.place, context)), place });
      continue;
    }
    const parts = found.flatMap((each) => readModelPart(each.part, each.place, context));
    book.note(parts.filter((part) => part.type === 'tool-call'));
    if (before === undefined) turns.push({ role: 'assistant', parts: joinPieces(parts), place });
    else turns[turn] = { ...before, parts: joinPieces([...before.parts, ...parts]) };
  }
  return turns;
}

/** Pieces of one text, or of one thought up to its signature, as the whole they were. */
function joinPieces(parts: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  let pieces: string[] = [];
  const settle = (): void => {
    const last = joined.at(-1);
    if (pieces.length > 1 && last !== undefined && 'text' in last)
      joined[joined.length - 1] = { ...last, text: pieces.join('') };
    pieces = [];
  };
  for (const part of parts) {
    const last = joined.at(-1);
    const open = last !== undefined && last.opaque === undefined && last.type === part.type;
    if (open && part.type === 'reasoning') {
      pieces.push(part.text);
      if (part.opaque !== undefined) joined[joined.length - 1] = { ...last, opaque: part.opaque };
    } else if (open && part.type === 'text' && part.opaque === undefined) {
      pieces.push(part.text);
    } else {
      settle();
      joined.push(part);
      if (part.type === 'text' || part.type === 'reasoning') pieces = [part.text];
    }
  }
  settle();
  return joined;
}

const CONFIG = 'generationConfig';

function decodeConfig(config: JsonObject, nested: string[]) {
  const number = (key: string): number | undefined => optional(config, key, readNumber, CONFIG);
  const integer = (key: string): number | undefined => optional(config, key, readInteger, CONFIG);
  const modalities = optional(config, 'responseModalities', readStrings, CONFIG)
    ?.map((word) => word.toLowerCase())
    .filter((modality) => modality !== 'text' && modality !== 'modality_unspecified');
  const image = optional(config, 'imageConfig', readObject, CONFIG);
  return {
    maxOutputTokens: integer('maxOutputTokens'),
    stop: optional(config, 'stopSequences', readStrings, CONFIG),
    temperature: number('temperature'),
    topP: number('topP'),
    topK: number('topK'),
    presencePenalty: number('presencePenalty'),
    frequencyPenalty: number('frequencyPenalty'),
    seed: integer('seed'),
    count: integer('candidateCount'),
    logprobs: optional(config, 'responseLogprobs', readBoolean, CONFIG),
    topLogprobs: integer('logprobs'),
    format: decodeFormat(config, nested),
    reasoning: decodeThinking(config),
    modalities: modalities === undefined || modalities.length === 0 ? undefined : modalities,
    audio: decodeSpeech(config),
    image:
      image === undefined
        ? undefined
        : present({ aspectRatio: wordOf(image['aspectRatio']), size: wordOf(image['imageSize']) }),
  };
}

function decodeFormat(config: JsonObject, nested: string[]): OutputFormat | undefined {
  const mime = optional(config, 'responseMimeType', readString, CONFIG);
  if (mime !== undefined && mime !== 'application/json' && mime !== 'text/plain')
    nested.push(`${CONFIG}.responseMimeType`);
  const schema = optional(config, 'responseJsonSchema', readObject, CONFIG);
  const subset = optional(config, 'responseSchema', readObject, CONFIG);
  if (schema !== undefined) return { type: 'json-schema', schema };
  if (subset !== undefined) return { type: 'json-schema', schema: fromOpenApi(subset) };
  return mime === 'application/json' ? { type: 'json-object' } : undefined;
}

const LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const;
const EFFORTS = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' } as const;

function decodeThinking(config: JsonObject): ReasoningRequest | undefined {
  const thinking = optional(config, 'thinkingConfig', readObject, CONFIG);
  if (thinking === undefined) return undefined;
  const place = `${CONFIG}.thinkingConfig`;
  const level = optional(thinking, 'thinkingLevel', readString, place)?.toUpperCase();
  return present({
    effort:
      level === undefined || level === 'THINKING_LEVEL_UNSPECIFIED'
        ? undefined
        : EFFORTS[readWord(level, LEVELS, at(place, 'thinkingLevel'))],
    budgetTokens: optional(thinking, 'thinkingBudget', readInteger, place),
    visible: optional(thinking, 'includeThoughts', readBoolean, place),
  });
}

function decodeSpeech(config: JsonObject): ChatRequest['audio'] {
  const speech = optional(config, 'speechConfig', readObject, CONFIG);
  const voice = objectOf(objectOf(speech?.['voiceConfig'])?.['prebuiltVoiceConfig']);
  const name = wordOf(voice?.['voiceName']);
  if (speech === undefined) return undefined;
  return name === undefined ? { voice: speech } : { voice: name };
}

/** POST …:countTokens: contents alone, or a whole request inside. */
export function decodeCountRequest(body: Json, path?: { readonly model: string }): ChatRequest {
  const wire = camelFields(body);
  const inner = isJsonObject(wire) ? wire['generateContentRequest'] : undefined;
  return decodeRequest(inner ?? wire, path === undefined ? undefined : { model: path.model, stream: false });
}

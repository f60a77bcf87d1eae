/**
 * The history as Google wants it: user and model in turn, every response right behind its call
 * (docs/wire/gemini-generate.md#thought-signatures, docs/wire/chat-translation.md#instructions-and-roles,
 * #tool-calls-and-results).
 */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  AudioPart,
  ChatRequest,
  DocumentPart,
  ImagePart,
  MediaSource,
  Opaque,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
  VideoPart,
} from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { quirk, requireInput } from '../shared/translation.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { fieldName } from '../shared/field-names.ts';
import { LOST_RESULT, settleToolResults, wordsOfAudio, noteCitations } from '../shared/history.ts';
import { opaqueFits } from '../shared/opaque-envelope.ts';
import { argumentsObject, at, invalid, parseJson } from '../shared/read.ts';
import type { ToolNames } from '../shared/tool-names.ts';
import { isForeign } from './media.ts';
import { SKIP_SIGNATURE } from './parts.ts';

export interface ContentContext {
  readonly request: ChatRequest;
  readonly target: Target;
  readonly dropped: DroppedList;
  readonly names: ToolNames;
}

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
}

/** Ids this dialect made up where the wire had none: Google never saw them. */
const MADE_UP_ID = /^call_\d+_\d+$/;

/** Throws `invalid_request` with the place for what this wire cannot say and no answer makes sense without. */
export function encodeContents(context: ContentContext): Content[] {
  const contents: Content[] = [];
  const write = (role: 'user' | 'model', parts: readonly JsonObject[]): void => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };
  let open: readonly ToolCallPart[] = [];
  for (const turn of settleToolResults(context.request.turns)) {
    if (turn.role === 'assistant') {
      write('model', encodeModelTurn(turn.parts, context));
      open = turn.parts.filter((part) => part.type === 'tool-call');
    } else if (turn.role === 'system') {
      write('user', encodeSystemTurn(turn, context));
    } else {
      const results = turn.parts.filter((part) => part.type === 'tool-result');
      const encoded = results.map((result, index) => encodeResult(result, open[index], context));
      write(
        'user',
        encoded.map(({ response }) => response),
      );
      write(
        'user',
        encoded.flatMap(({ behind }) => behind),
      );
      write(
        'user',
        turn.parts.flatMap((part) => encodeUserPart(part, context)),
      );
      open = [];
    }
  }
  if (contents.length === 0) {
    throw invalid(fieldName(context.request, 'turns'), 'must hold at least one message that says something');
  }
  return contents;
}

function encodeSystemTurn(turn: Extract<Turn, { role: 'system' }>, { dropped }: ContentContext): JsonObject[] {
  const text = turn.parts.map((part) => part.text).join('\n\n');
  if (text === '') return [];
  dropped.add(turn.place ?? 'contents', 'there are no system messages in mid-conversation here: sent as user text');
  return [{ text: `<system>\n${text}\n</system>` }];
}

function encodeUserPart(part: UserPart, context: ContentContext): JsonObject[] {
  if (part.type === 'tool-result') return [];
  const place = part.place ?? 'contents';
  if (part.cache !== undefined) context.dropped.add(at(place, 'cache_control'), 'caches are implicit here');
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  return [encodeMedia(part, context)];
}

/** Bytes as `inlineData`, an address as `fileData`. */
function encodeMedia(part: ImagePart | DocumentPart | AudioPart | VideoPart, context: ContentContext): JsonObject {
  const place = part.place ?? 'contents';
  requireInput(context.target, part.type, place);
  if (part.type === 'image' && part.detail !== undefined && part.detail !== 'auto') {
    context.dropped.add(at(place, 'detail'), 'no such setting in gemini-generate');
  }
  if (part.type === 'document' && part.title !== undefined) {
    context.dropped.add(at(place, 'title'), 'documents have no names here');
  }
  if (part.source.type === 'text')
    return inlineData('text/plain', Buffer.from(part.source.text, 'utf8').toString('base64'));
  return encodeSource(part.source, place, context);
}

function inlineData(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType: mimeType === 'audio/mpeg' ? 'audio/mp3' : mimeType, data } };
}

function encodeSource(source: MediaSource, place: string, { target }: ContentContext): JsonObject {
  if (source.type === 'base64') return inlineData(source.mime, source.data);
  // A video of no declared type: the address says enough.
  const mime = source.mime === undefined || source.mime.endsWith('/*') ? {} : { mimeType: source.mime };
  if (source.type === 'file') {
    if (source.provider === target.provider) return { fileData: { ...mime, fileUri: source.id } };
    throw invalid(place, `is a file kept at ${source.provider}, which this model cannot read; send its bytes or a URL`);
  }
  if (isForeign(source, quirk(target, 'media_urls') !== false)) {
    throw invalid(place, 'is a URL, which this model does not fetch; send the bytes as base64');
  }
  return { fileData: { ...mime, fileUri: source.url } };
}

/** One step of the model. State that came ahead of the part it signs is put onto it. */
function encodeModelTurn(parts: readonly AssistantPart[], context: ContentContext): JsonObject[] {
  const written: JsonObject[] = [];
  let carried: Opaque | undefined;
  let called = false;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'reasoning') {
      const reasoning = encodeReasoning(part, parts[index + 1], context);
      written.push(...reasoning.parts);
      carried = reasoning.carried ?? carried;
      continue;
    }
    const own = part.opaque !== undefined && fits(part.opaque, context) ? part.opaque : undefined;
    if (part.opaque !== undefined && own === undefined) {
      context.dropped.add(part.place ?? 'contents', 'reasoning state of another model');
    }
    const signed = own ?? carried;
    const said = encodeModelPart(part, context);
    if (said === undefined) continue;
    const signature =
      signed?.value ?? (part.type === 'tool-call' && !called && wantsSignatures(context) ? SKIP_SIGNATURE : undefined);
    if (part.type === 'tool-call') called = true;
    if (part.type === 'text' && part.text === '' && signature === undefined) continue;
    written.push(signature === undefined ? said : { ...said, thoughtSignature: signature });
    if (own === undefined) carried = undefined;
  }
  if (carried !== undefined) written.push({ text: '', thoughtSignature: carried.value });
  return written;
}

function fits(opaque: Opaque, { target }: ContentContext): boolean {
  return opaque.kind === 'signature' && opaque.value !== '' && opaqueFits(opaque, target);
}

/** Only models that think in levels check signatures, and refuse calls without one (docs/wire/gemini-generate.md#thought-signatures). */
function wantsSignatures({ target }: ContentContext): boolean {
  return (quirk(target, 'thinking') ?? 'levels') === 'levels';
}

interface EncodedReasoning {
  readonly parts: readonly JsonObject[];
  /** State for the next part. */
  readonly carried?: Opaque;
}

function encodeReasoning(
  part: ReasoningPart,
  next: AssistantPart | undefined,
  context: ContentContext,
): EncodedReasoning {
  const { opaque, text } = part;
  const native = context.request.dialect === 'gemini-generate';
  if (opaque === undefined || !fits(opaque, context)) {
    // Google's own clients send thoughts back as they came; nobody else's mean anything to this model.
    if (native && opaque === undefined) return { parts: [{ text, thought: true }] };
    context.dropped.add(part.place ?? 'contents', 'reasoning that this model has not signed');
    return { parts: [] };
  }
  if (native) return { parts: [{ text, thought: true, thoughtSignature: opaque.value }] };
  // Elsewhere the signature of a call travels as reasoning ahead of it.
  const signsNext = text === '' || (next?.type === 'tool-call' && next.opaque === undefined);
  return signsNext
    ? { parts: [], carried: opaque }
    : { parts: [{ text, thought: true, thoughtSignature: opaque.value }] };
}

function encodeModelPart(part: Exclude<AssistantPart, ReasoningPart>, context: ContentContext): JsonObject | undefined {
  const { dropped, names, target } = context;
  const place = part.place ?? 'contents';
  switch (part.type) {
    case 'text':
      noteCitations(part, dropped);
      return { text: part.text };
    case 'refusal':
      return { text: part.text };
    case 'tool-call':
      return {
        functionCall: {
          ...callId(part.id, target),
          name: names.toWire(part.name),
          args: part.kind === 'custom' ? { input: part.arguments } : argumentsObject(part.arguments),
        },
      };
    case 'server-tool':
      if (part.provider !== target.provider) {
        dropped.add(place, `a tool that ran at ${part.provider}`);
        return undefined;
      }
      // Grounding is told beside the parts, not as one, and is not sent back.
      return part.raw['groundingMetadata'] === undefined ? part.raw : undefined;
    case 'image':
      return encodeSource(part.source, place, context);
    case 'audio':
      if (part.source.type === 'base64') return encodeSource(part.source, place, context);
      dropped.add(place, 'audio that only its own vendor keeps: its words are sent');
      return { text: wordsOfAudio(part) };
  }
}

/** The Gemini API wants an id back where it gave one; Vertex refuses the field (vercel/ai#15317, #17902). */
function callId(id: string, target: Target): JsonObject {
  return quirk(target, 'call_ids') === false || id === '' || MADE_UP_ID.test(id) ? {} : { id };
}

/** `behind`: media that must follow all responses of the turn, on models whose responses hold none. */
function encodeResult(
  result: ToolResultPart,
  call: ToolCallPart | undefined,
  context: ContentContext,
): { readonly response: JsonObject; readonly behind: readonly JsonObject[] } {
  const { dropped, names, target } = context;
  const first = result.content[0];
  if (first?.type === 'text' && first.text === LOST_RESULT) {
    dropped.add(result.place ?? 'contents', 'a call without a result: an error result stands in for it');
  }
  if (result.cache !== undefined)
    dropped.add(at(result.place ?? 'contents', 'cache_control'), 'caches are implicit here');
  const media = result.content.flatMap((part) => (part.type === 'text' ? [] : [encodeMedia(part, context)]));
  const inside = quirk(target, 'tool_result_media') !== false;
  return {
    response: {
      functionResponse: {
        ...callId(call?.id ?? result.callId, target),
        name: names.toWire(call?.name ?? result.name ?? ''),
        response: result.data ?? responseObject(result),
        ...(inside && media.length > 0 && { parts: media }),
      },
    },
    behind: inside ? [] : media,
  };
}

/** An object is sent as it is, any other text under the key Google reads. */
function responseObject(result: ToolResultPart): JsonObject {
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (result.isError === true) return { error: text };
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  return isJsonObject(parsed) ? parsed : { output: text };
}

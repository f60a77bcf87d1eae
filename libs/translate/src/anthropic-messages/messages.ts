/**
 * The history as Anthropic wants it: alternating turns, every result right behind its call
 * (docs/wire/chat-translation.md#instructions-and-roles, #content-parts, #tool-calls-and-results).
 */
import type { JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ChatRequest,
  Citation,
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
import { fieldName } from '../shared/field-names.ts';
import { LOST_RESULT, settleToolResults, wordsOfAudio } from '../shared/history.ts';
import { opaqueFits } from '../shared/opaque-envelope.ts';
import { argumentsObject, at, invalid } from '../shared/read.ts';
import type { ToolNames } from '../shared/tool-names.ts';
import { writeCacheMark } from './cache.ts';
import { sendId } from './ids.ts';

export interface MessageContext {
  readonly request: ChatRequest;
  readonly target: Target;
  readonly dropped: DroppedList;
  readonly names: ToolNames;
}

interface Message {
  readonly role: string;
  readonly content: JsonObject[];
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Throws `invalid_request` with the place for what this wire cannot say and no answer makes sense without. */
export function encodeMessages(context: MessageContext): Message[] {
  const writer = createWriter();
  const idOf = createIds();
  let open: readonly ToolCallPart[] = [];
  let images: JsonObject[] = [];
  for (const turn of settleToolResults(context.request.turns)) {
    if (turn.role === 'assistant') {
      writer.write('assistant', ...turn.parts.flatMap((part) => encodeAssistantPart(part, idOf, context)));
      open = turn.parts.filter((part) => part.type === 'tool-call');
      images = turn.parts.flatMap((part) => (part.type === 'image' ? [encodeImage(part, context)] : []));
      continue;
    }
    if (turn.role === 'system') {
      writer.write(...encodeSystemTurn(turn, context));
      continue;
    }
    const results = turn.parts.filter((part) => part.type === 'tool-result');
    writer.write('user', ...results.map((result, index) => encodeResult(result, idOf(open[index]), context)));
    writer.write('user', ...images);
    writer.write('user', ...turn.parts.flatMap((part) => encodeUserPart(part, context)));
    open = [];
    images = [];
  }
  writer.write('user', ...images);
  if (writer.messages.length === 0) {
    throw invalid(fieldName(context.request, 'turns'), 'must hold at least one message that says something');
  }
  return opened(writer.messages, context);
}

/** Whatever stands there must be of the user: this wire's conversations do not begin with the model. */
const OPENING: Message = { role: 'user', content: [{ type: 'text', text: '.' }] };

function opened(messages: Message[], { request, dropped }: MessageContext): Message[] {
  const first = messages.find(({ role }) => role !== 'system');
  if (first?.role !== 'assistant' || request.dialect === 'anthropic-messages') return messages;
  const place = request.turns.find(({ role }) => role === 'assistant')?.place ?? fieldName(request, 'turns');
  dropped.add(place, 'this model does not begin a conversation: a full stop of the user is put ahead');
  const at = messages.indexOf(first);
  return [...messages.slice(0, at), OPENING, ...messages.slice(at)];
}

/** Collects blocks into messages; neighbours of one role become one. */
function createWriter(): { readonly messages: Message[]; write(role: string, ...blocks: JsonObject[]): void } {
  const messages: Message[] = [];
  return {
    messages,
    write: (role, ...blocks) => {
      if (blocks.length === 0) return;
      const last = messages.at(-1);
      if (last?.role === role && role !== 'system') last.content.push(...blocks);
      else messages.push({ role, content: blocks });
    },
  };
}

type IdOf = (call: ToolCallPart | undefined) => string;

/** One wire id per call; equal ids of different calls are told apart, as the vendor wants them unique. */
function createIds(): IdOf {
  const given = new Map<ToolCallPart | undefined, string>();
  const taken = new Set<string>();
  return (call) => {
    const known = given.get(call);
    if (known !== undefined) return known;
    const wish = call?.id ?? '';
    let id = sendId(wish);
    for (let round = 2; taken.has(id); round += 1) id = sendId(`${wish}#${round}`);
    taken.add(id);
    given.set(call, id);
    return id;
  };
}

/** Whether manual thinking would be refused: the tool turn under way does not start with thinking (docs/wire/chat-translation.md#reasoning-state). */
export function lacksThinking(messages: readonly Message[]): boolean {
  const lastQuestion = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every((block) => block['type'] !== 'tool_result'),
  );
  const last = messages.findLast(({ role }) => role === 'assistant');
  return messages.some((message, index) => {
    if (message.role !== 'assistant' || (index < lastQuestion && message !== last)) return false;
    const first = message.content[0]?.['type'];
    const calls = message.content.some((block) => block['type'] === 'tool_use');
    return calls && first !== 'thinking' && first !== 'redacted_thinking';
  });
}

function encodeSystemTurn(turn: Extract<Turn, { role: 'system' }>, context: MessageContext): [string, ...JsonObject[]] {
  const blocks = turn.parts.flatMap((part) => encodeText(part, context));
  if (blocks.length === 0 || quirk(context.target, 'system_turns') !== false) return ['system', ...blocks];
  context.dropped.add(
    turn.place ?? 'messages',
    'this model has no system messages in mid-conversation: sent as user text',
  );
  const text = turn.parts.map((part) => part.text).join('\n\n');
  return ['user', { type: 'text', text: `<system>\n${text}\n</system>` }];
}

/** Blank text is refused, so it is left out. */
export function encodeText(part: TextPart, { dropped }: Pick<MessageContext, 'dropped'>): JsonObject[] {
  if (part.text.trim() === '') return [];
  return [{ type: 'text', text: part.text, ...writeCacheMark(part.cache, part.place ?? 'messages', dropped) }];
}

function encodeUserPart(part: UserPart, context: MessageContext): JsonObject[] {
  const place = part.place ?? 'messages';
  switch (part.type) {
    case 'text':
      return encodeText(part, context);
    case 'image':
      return [encodeImage(part, context)];
    case 'document':
      return [encodeDocument(part, context)];
    case 'audio':
      throw invalid(place, 'this model takes no audio; send a transcript as text');
    case 'video':
      throw invalid(place, 'this model takes no video; send single frames as images');
    case 'tool-result':
      return [];
  }
}

function encodeImage(part: ImagePart, context: MessageContext): JsonObject {
  const place = part.place ?? 'messages';
  requireInput(context.target, 'image', place);
  if (part.detail !== undefined && part.detail !== 'auto') {
    context.dropped.add(at(place, 'detail'), 'no such setting in anthropic-messages');
  }
  const { source } = part;
  if (source.type === 'base64' && !IMAGE_TYPES.has(source.mime)) {
    throw invalid(place, `is ${source.mime}; this model takes JPEG, PNG, GIF and WebP images`);
  }
  return {
    type: 'image',
    source: encodeSource(source, place, context),
    ...writeCacheMark(part.cache, place, context.dropped),
  };
}

function encodeSource(source: MediaSource, place: string, { target }: MessageContext): JsonObject {
  switch (source.type) {
    case 'base64':
      return { type: 'base64', media_type: source.mime, data: source.data };
    case 'url':
      if (!/^https?:/i.test(source.url))
        throw invalid(place, 'must have an address that begins with https:// or http://');
      return { type: 'url', url: source.url };
    case 'file':
      if (source.provider === target.provider) return { type: 'file', file_id: source.id };
      throw invalid(
        place,
        `is a file kept at ${source.provider}, which this model cannot read; send its bytes or a URL`,
      );
  }
}

function encodeDocument(part: DocumentPart, context: MessageContext): JsonObject {
  const place = part.place ?? 'messages';
  requireInput(context.target, 'document', place);
  return {
    type: 'document',
    source: encodeDocumentSource(part.source, place, context),
    ...(part.title !== undefined && part.title !== '' && { title: part.title }),
    ...writeCacheMark(part.cache, place, context.dropped),
  };
}

function encodeDocumentSource(source: DocumentPart['source'], place: string, context: MessageContext): JsonObject {
  if (source.type === 'text') return { type: 'text', media_type: 'text/plain', data: source.text };
  if (source.type !== 'base64' || source.mime === 'application/pdf') return encodeSource(source, place, context);
  if (source.mime.startsWith('text/') || source.mime === 'application/json') {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') };
  }
  throw invalid(place, `is ${source.mime}; this model takes PDF and plain text documents`);
}

function encodeAssistantPart(part: AssistantPart, idOf: IdOf, context: MessageContext): JsonObject[] {
  const { dropped, target, names } = context;
  const place = part.place ?? 'messages';
  switch (part.type) {
    case 'text':
      return encodeText(part, context).map((block) => ({ ...block, ...ownCitations(part.citations) }));
    case 'refusal':
      return encodeText({ type: 'text', text: part.text }, context);
    case 'reasoning':
      return encodeReasoning(part, context);
    case 'tool-call':
      if (part.opaque !== undefined) dropped.add(place, 'reasoning state of another model');
      return [
        {
          type: 'tool_use',
          id: idOf(part),
          name: names.toWire(part.name),
          input: part.kind === 'custom' ? { input: part.arguments } : argumentsObject(part.arguments),
          ...writeCacheMark(part.cache, place, dropped),
        },
      ];
    case 'server-tool':
      if (part.provider === target.provider) return [{ ...part.raw }];
      dropped.add(place, `a tool that ran at ${part.provider}`);
      return [];
    case 'image':
      dropped.add(place, 'an assistant message holds no images here: sent with the next user message');
      return [];
    case 'audio':
      dropped.add(place, 'an assistant message holds no audio here: its words are sent');
      return encodeText({ type: 'text', text: wordsOfAudio(part) }, context);
  }
}

/** Only Anthropic's own citations: the vendor checks their shape. */
function ownCitations(citations: readonly Citation[] | undefined): JsonObject {
  const raw = (citations ?? []).flatMap((citation) => {
    const type = citation.raw?.['type'];
    return citation.raw !== undefined && typeof type === 'string' && type.endsWith('_location') ? [citation.raw] : [];
  });
  return raw.length === 0 ? {} : { citations: raw };
}

/** Signed thinking goes back to its maker as it came, empty or not; anything else would be a 400. */
function encodeReasoning(part: ReasoningPart, { dropped, target }: MessageContext): JsonObject[] {
  const { opaque } = part;
  if (opaque === undefined || opaque.kind === 'encrypted' || opaque.value === '' || !opaqueFits(opaque, target)) {
    dropped.add(part.place ?? 'messages', 'reasoning that this model has not signed');
    return [];
  }
  return opaque.kind === 'redacted'
    ? [{ type: 'redacted_thinking', data: opaque.value }]
    : [{ type: 'thinking', thinking: part.text, signature: opaque.value }];
}

/** `settleToolResults` put the results in the order of their calls, so the id is the call's. */
function encodeResult(result: ToolResultPart, id: string, context: MessageContext): JsonObject {
  const place = result.place ?? 'messages';
  const first = result.content[0];
  if (first?.type === 'text' && first.text === LOST_RESULT) {
    context.dropped.add(place, 'a call without a result: an error result stands in for it');
  }
  const content = result.content.flatMap((part) => {
    if (part.type === 'text') return encodeText(part, context);
    return [part.type === 'image' ? encodeImage(part, context) : encodeDocument(part, context)];
  });
  const only = content.length === 1 ? content[0] : undefined;
  const plain = only?.['type'] === 'text' && only['cache_control'] === undefined ? only['text'] : undefined;
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(content.length > 0 && { content: plain ?? content }),
    ...(result.isError !== undefined && { is_error: result.isError }),
    ...writeCacheMark(result.cache, place, context.dropped),
  };
}

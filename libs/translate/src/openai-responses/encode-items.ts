/**
 * Turns to Responses input items (docs/wire/openai-responses.md#input-items, docs/wire/chat-translation.md#content-parts,
 * #tool-calls-and-results, #reasoning-state).
 */
import type { JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  AudioPart,
  ChatRequest,
  DocumentPart,
  ImagePart,
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
import { settleToolResults, wordsOfAudio, noteCitations } from '../shared/history.ts';
import { fittingId } from '../shared/ids.ts';
import { audioFormat, toDataUrl } from '../shared/media.ts';
import { opaqueFits, wrapOpaque, writeOpaque } from '../shared/opaque-envelope.ts';
import { CacheMarks, flaggedText } from '../shared/openai-words.ts';
import { invalid, present } from '../shared/read.ts';
import type { ToolNames } from '../shared/tool-names.ts';
import { wrapsCustom, wrapText } from '../shared/wrapped-tools.ts';

/** OpenAI refuses longer call ids on this wire. */
const LONGEST_ID = 64;

export interface EncodedInput {
  readonly instructions?: string;
  readonly input: JsonObject[];
}

export function encodeInput(
  request: ChatRequest,
  target: Target,
  names: ToolNames,
  dropped: DroppedList,
): EncodedInput {
  return new ItemEncoder(request, target, names, dropped).encode(request);
}

type MessagePart = TextPart | Extract<AssistantPart, { type: 'refusal' }>;

class ItemEncoder {
  readonly #target: Target;
  readonly #names: ToolNames;
  readonly #dropped: DroppedList;
  readonly #marks: CacheMarks;
  readonly #native: boolean;
  readonly #custom = new Set<string>();
  readonly #items: JsonObject[] = [];
  /** Images of the model's, for the next message of the user. */
  readonly #behind: ImagePart[] = [];

  constructor(request: ChatRequest, target: Target, names: ToolNames, dropped: DroppedList) {
    this.#target = target;
    this.#names = names;
    this.#dropped = dropped;
    this.#marks = new CacheMarks(target, dropped);
    this.#native = request.dialect === 'openai-responses';
  }

  /** The first instruction goes into `instructions`, where it can carry no cache mark; the others follow as messages. */
  encode({ system, turns }: ChatRequest): EncodedInput {
    const [first, ...others] = system;
    // Nobody is asked anything by instructions without input.
    const said = this.#native || turns.length > 0;
    const alone = said && first !== undefined && (first.cache === undefined || this.#marks.style === undefined);
    if (alone) this.#marks.write(first.cache, first.place);
    const messages = alone ? others : system;
    if (messages.length > 0)
      this.#message(
        'developer',
        messages.map((part) => this.#part(part)),
      );
    for (const turn of this.#native ? turns : settleToolResults(turns)) this.#turn(turn);
    if (this.#behind.length > 0) this.#turn({ role: 'user', parts: [] });
    return { ...(alone && { instructions: first.text }), input: this.#items };
  }

  #turn(turn: Turn): void {
    switch (turn.role) {
      case 'system':
        this.#message(
          'developer',
          turn.parts.map((part) => this.#part(part)),
        );
        return;
      case 'user': {
        const rest: JsonObject[] = [];
        for (const part of [...turn.parts, ...this.#behind.splice(0)]) {
          if (part.type === 'tool-result') this.#result(part);
          else if (this.#native || part.type !== 'text' || part.text !== '') rest.push(this.#part(part));
        }
        if (rest.length > 0 || turn.parts.length === 0) this.#message('user', rest);
        return;
      }
      case 'assistant':
        this.#assistant(turn);
        return;
    }
  }

  #message(role: 'developer' | 'user' | 'assistant', content: JsonObject[]): void {
    this.#items.push({ type: 'message', role, content });
  }

  #assistant(turn: Extract<Turn, { role: 'assistant' }>): void {
    let said: MessagePart[] = [];
    const flush = (): void => {
      if (said.length === 0) return;
      this.#items.push(
        present({ type: 'message', role: 'assistant', content: said.map(outputPart), phase: turn.phase }),
      );
      said = [];
    };
    for (const part of turn.parts) {
      if (part.type === 'text' || part.type === 'refusal') {
        if (part.type === 'text') noteCitations(part, this.#dropped);
        if (!this.#native && part.text === '') continue;
        if (part.opaque !== undefined && this.#native) {
          flush();
          this.#items.push({ type: 'reasoning', summary: [], encrypted_content: wrapOpaque(part.opaque) });
        }
        said.push(part);
        continue;
      }
      flush();
      this.#assistantItem(part);
    }
    flush();
  }

  #assistantItem(part: Exclude<AssistantPart, MessagePart>): void {
    switch (part.type) {
      case 'reasoning':
        this.#reasoning(part);
        return;
      case 'tool-call':
        this.#call(part);
        return;
      case 'server-tool':
        if (part.provider === (this.#native ? 'openai' : this.#target.provider)) this.#items.push(part.raw);
        else this.#lose(part.place, `what ${part.name} of another vendor did cannot be replayed`);
        return;
      case 'image':
        this.#behind.push(part);
        this.#lose(part.place, 'an assistant message holds no images here: sent with the next user message');
        return;
      case 'audio':
        this.#lose(part.place, 'an assistant message holds no audio here: its words are sent');
        this.#message('assistant', [{ type: 'output_text', text: wordsOfAudio(part) }]);
        return;
    }
  }

  #lose(place: string | undefined, reason: string): void {
    this.#dropped.add(place ?? 'messages', reason);
  }

  /** Only reasoning whose state the target can read; without server ids, because nothing is stored (vercel/ai#13234). */
  #reasoning({ text, summaries, opaque, place }: ReasoningPart): void {
    const texts = summaries ?? (text === '' ? [] : [text]);
    const summary = texts.map((piece) => ({ type: 'summary_text', text: piece }));
    if (this.#native) {
      const encrypted = opaque === undefined ? undefined : writeOpaque(opaque, 'openai');
      const id = opaque?.provider === 'openai' ? opaque.itemId : undefined;
      this.#items.push(present({ type: 'reasoning', id, summary, encrypted_content: encrypted }));
    } else if (opaque !== undefined && opaqueFits(opaque, this.#target)) {
      this.#items.push({ type: 'reasoning', summary, encrypted_content: opaque.value });
    } else this.#lose(place, 'this model cannot read earlier reasoning of another one');
  }

  #call(part: ToolCallPart): void {
    const id = this.#id(part.id);
    const wraps = part.kind === 'custom' && !this.#native && wrapsCustom(this.#target);
    const isCustom = part.kind === 'custom' && !wraps;
    if (isCustom) this.#custom.add(part.id);
    if (part.opaque !== undefined && this.#native) {
      this.#items.push({ type: 'reasoning', summary: [], encrypted_content: wrapOpaque(part.opaque) });
    }
    const base = {
      call_id: id,
      ...(this.#native && part.group !== undefined ? part.group : { name: this.#names.toWire(part.name) }),
      ...(this.#native && part.itemId !== undefined && { id: part.itemId }),
    };
    if (isCustom) this.#items.push({ type: 'custom_tool_call', ...base, input: part.arguments });
    else {
      const plain = part.arguments === '' && !this.#native ? '{}' : part.arguments;
      const text = wraps ? wrapText(part.arguments) : plain;
      this.#items.push({ type: 'function_call', ...base, arguments: text });
    }
  }

  #id(id: string): string {
    return this.#native ? id : fittingId(id, LONGEST_ID);
  }

  #result(part: ToolResultPart): void {
    const place = part.place ?? 'messages';
    const isError = part.isError === true;
    if (isError) this.#dropped.add(`${place}.is_error`, 'no error flag in openai-responses; said in the text');
    const content = [...part.content];
    if (content.length === 0 && part.data !== undefined)
      content.push({ type: 'text', text: JSON.stringify(part.data) });
    if (isError) flagError(content);
    const only = content[0];
    const type = this.#custom.has(part.callId) ? 'custom_tool_call_output' : 'function_call_output';
    const output =
      only === undefined
        ? ''
        : content.length === 1 && only.type === 'text' && only.cache === undefined
          ? only.text
          : content.map((piece) => this.#part(piece));
    this.#items.push({ type, call_id: this.#id(part.callId), output });
  }

  #part(part: Exclude<UserPart, ToolResultPart> | TextPart): JsonObject {
    return { ...this.#bare(part), ...this.#marks.write(part.cache, part.place) };
  }

  #bare(part: Exclude<UserPart, ToolResultPart>): JsonObject {
    const place = part.place ?? 'messages';
    switch (part.type) {
      case 'text':
        return { type: 'input_text', text: part.text };
      case 'image':
        requireInput(this.#target, 'image', place);
        return this.#image(part, place);
      case 'document':
        return this.#document(part, place);
      case 'audio':
        requireInput(this.#target, 'audio', place);
        return audioItem(part, place);
      case 'video':
        requireInput(this.#target, 'video', place);
        if (quirk(this.#target, 'video_input') === false || part.source.type === 'file') {
          throw invalid(place, 'this model takes no video input');
        }
        return {
          type: 'input_video',
          video_url: part.source.type === 'url' ? part.source.url : toDataUrl(part.source.mime, part.source.data),
        };
    }
  }

  #image({ source, detail }: ImagePart, place: string): JsonObject {
    const base = { type: 'input_image', ...((detail !== undefined || !this.#native) && { detail: detail ?? 'auto' }) };
    if (source.type === 'url') return { ...base, image_url: source.url };
    if (source.type === 'base64') return { ...base, image_url: toDataUrl(source.mime, source.data) };
    return { ...base, file_id: this.#fileId(source, place) };
  }

  #document({ source, title }: DocumentPart, place: string): JsonObject {
    if (source.type === 'text') {
      return { type: 'input_text', text: title === undefined ? source.text : `${title}\n\n${source.text}` };
    }
    requireInput(this.#target, 'document', place);
    const name = title === undefined ? {} : { filename: title };
    if (source.type === 'url') return { type: 'input_file', file_url: source.url, ...name };
    if (source.type === 'file') return { type: 'input_file', file_id: this.#fileId(source, place), ...name };
    // The wire wants a name beside data.
    const filename = title ?? (this.#native ? undefined : 'document');
    return present({ type: 'input_file', filename, file_data: toDataUrl(source.mime, source.data) });
  }

  #fileId(source: { readonly provider: string; readonly id: string }, place: string): string {
    if (source.provider === this.#target.provider || this.#native) return source.id;
    throw invalid(place, `refers to a file kept by ${source.provider}; send the file itself as base64 or by URL`);
  }
}

function audioItem({ source }: AudioPart, place: string): JsonObject {
  if (source.type !== 'base64') throw invalid(place, 'this model takes audio as base64 only, not by URL');
  const format = audioFormat(source.mime);
  if (format === undefined) throw invalid(place, `is ${source.mime}; this model takes wav and mp3`);
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

function outputPart(part: MessagePart): JsonObject {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  return { type: 'output_text', text: part.text };
}

/** Says in the first text that the tool failed. */
function flagError(content: ToolResultPart['content'][number][]): void {
  const index = content.findIndex((piece) => piece.type === 'text');
  const piece = content[index];
  if (piece?.type === 'text') content[index] = { ...piece, text: flaggedText(piece.text, true) };
  else content.unshift({ type: 'text', text: 'Error' });
}

/**
 * Middle events as fragments of an answer (docs/wire/gemini-generate.md#stream-grammar,
 * docs/wire/chat-streams.md#writing-each-wire): one line of JSON each, calls whole, the end in the last one.
 */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, Citation, Opaque, StreamError, ToolCallPart } from '../conversation.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { CUT_STREAM, fromStreamError } from '../shared/openai-error.ts';
import { writeOpaque } from '../shared/opaque-envelope.ts';
import { objectOf } from '../shared/read.ts';
import { formatSse } from '../shared/sse.ts';
import { mergeUsage } from '../shared/usage.ts';
import { errorInStream } from './error.ts';
import { writeFinish } from './finish.ts';
import { writeGrounding, type CitedText } from './grounding.ts';
import { writeLogprobs } from './logprobs.ts';
import { writePart } from './reply.ts';
import { writeUsage } from './usage.ts';

/** Characters of tool calls that may be held until they are whole. */
const MOST_HELD = 16 * 1024 * 1024;
/** What pieces of raw audio are, when they come without a name (docs/service.md: 24 kHz mono PCM16). */
const STREAMED_AUDIO = 'audio/L16;codec=pcm;rate=24000';

type Start = Extract<ChatEvent, { type: 'text-start' | 'refusal-start' | 'reasoning-start' | 'tool-call-start' }>;
type Within = Extract<ChatEvent, { type: 'delta' | 'reasoning-break' | 'opaque' | 'citation' | 'block-stop' }>;

interface Block {
  readonly start: Start;
  /** Arguments of a call; the words of a text, which citations count in. */
  readonly pieces: string[];
  readonly citations: Citation[];
  opaque: Opaque | undefined;
  stopped: boolean;
}

interface Choice {
  readonly index: number;
  /** Calls not yet written, in the order they began. */
  readonly calls: Block[];
  readonly texts: Block[];
  grounding: JsonObject | undefined;
  finish: Extract<ChatEvent, { type: 'finish' }> | undefined;
  spoke: boolean;
}

const TOO_MUCH_HELD: StreamError = {
  code: 'upstream_malformed',
  message: 'The model wrote tool calls too large to hold.',
};

export function streamEncoder(context: ReplyContext): StreamEncoder {
  return new GeminiStreamEncoder(context);
}

class GeminiStreamEncoder implements StreamEncoder {
  private readonly context: ReplyContext;
  /** Open blocks, by their number. */
  private readonly blocks = new Map<number, Block>();
  private readonly choices = new Map<number, Choice>();
  /** Characters of tool calls that are not whole yet. */
  private held = 0;
  private usage: Usage | undefined;
  private responseId: string;
  /** What every fragment ends with: made once, for there are many. */
  private fragmentEnd: string;
  private over = false;

  constructor(context: ReplyContext) {
    this.context = context;
    this.responseId = context.id;
    this.fragmentEnd = fragmentEndOf(context.model, context.id);
  }

  /** Nothing: between two fragments readers of this wire take nothing but the next one, and its vendor is as quiet. */
  keepAlive(): string {
    return '';
  }

  push(event: ChatEvent): string {
    if (this.over) return '';
    switch (event.type) {
      case 'start':
        this.begin(event);
        return '';
      case 'delta':
      case 'reasoning-break':
      case 'opaque':
      case 'citation':
      case 'block-stop':
        return this.within(event);
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
        this.open(event);
        return '';
      case 'server-tool':
      case 'image':
        return this.wholePart(event);
      case 'audio-delta':
        return event.data === undefined ? '' : this.sound(event.choice, event.data);
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        return '';
      case 'finish':
        this.choiceAt(event.choice).finish = event;
        return '';
      case 'ping':
        return '';
      case 'error':
        return this.fail(event.error);
      case 'end':
        return this.end();
      case 'continuation':
        return '';
    }
  }

  private begin({ id, usage }: Extract<ChatEvent, { type: 'start' }>): void {
    this.responseId = id ?? this.responseId;
    this.fragmentEnd = fragmentEndOf(this.context.model, this.responseId);
    this.usage = mergeUsage(this.usage, usage);
  }

  private open(start: Start): void {
    const block: Block = { start, pieces: [], citations: [], opaque: undefined, stopped: false };
    this.blocks.set(start.block, block);
    const choice = this.choiceAt(start.choice);
    if (start.type === 'tool-call-start') choice.calls.push(block);
    else if (start.type === 'text-start') choice.texts.push(block);
  }

  private choiceAt(index: number): Choice {
    let choice = this.choices.get(index);
    if (choice === undefined) {
      choice = { index, calls: [], texts: [], grounding: undefined, finish: undefined, spoke: false };
      this.choices.set(index, choice);
    }
    return choice;
  }

  private within(event: Within): string {
    const block = this.blocks.get(event.block);
    if (block === undefined) return '';
    switch (event.type) {
      case 'delta':
        return this.delta(block, event.text, event.logprobs);
      case 'reasoning-break':
        return this.delta(block, '\n\n');
      case 'opaque':
        block.opaque = event.opaque;
        return '';
      case 'citation':
        block.citations.push(event.citation);
        return '';
      case 'block-stop':
        return this.stop(block);
    }
  }

  private delta(block: Block, text: string, logprobs?: readonly Json[]): string {
    const { start } = block;
    if (text === '') return '';
    switch (start.type) {
      case 'tool-call-start':
        block.pieces.push(text);
        this.held += text.length;
        return this.held > MOST_HELD ? this.fail(TOO_MUCH_HELD) : '';
      case 'reasoning-start':
        return this.fragment(this.choiceAt(start.choice), `{"text":${JSON.stringify(text)},"thought":true}`);
      case 'text-start':
        block.pieces.push(text);
        return this.fragment(this.choiceAt(start.choice), `{"text":${JSON.stringify(text)}}`, besideText(logprobs));
      case 'refusal-start':
        return this.fragment(this.choiceAt(start.choice), `{"text":${JSON.stringify(text)}}`);
    }
  }

  private stop(block: Block): string {
    block.stopped = true;
    this.blocks.delete(block.start.block);
    const choice = this.choiceAt(block.start.choice);
    if (block.start.type === 'tool-call-start') return this.wholeCalls(choice);
    if (block.opaque === undefined || block.opaque.value === '') return '';
    const thoughtSignature = writeOpaque(block.opaque, 'gemini');
    const thought = block.start.type === 'reasoning-start' && { thought: true };
    return this.fragment(choice, JSON.stringify({ text: '', ...thought, thoughtSignature }));
  }

  /** Writes the calls that are whole, as far as those before them are. */
  private wholeCalls(choice: Choice): string {
    let text = '';
    for (let first = choice.calls[0]; first?.stopped === true; first = choice.calls[0]) {
      choice.calls.shift();
      text += this.fragment(choice, callPart(first));
      for (const piece of first.pieces) this.held -= piece.length;
    }
    return text;
  }

  private wholePart(event: Extract<ChatEvent, { type: 'server-tool' | 'image' }>): string {
    const choice = this.choiceAt(event.choice);
    const grounding = event.type === 'server-tool' ? objectOf(event.part.raw['groundingMetadata']) : undefined;
    if (grounding !== undefined && event.part.type === 'server-tool' && event.part.provider === 'gemini') {
      choice.grounding = grounding;
    }
    return writePart(event.part)
      .map((part) => this.fragment(choice, JSON.stringify(part)))
      .join('');
  }

  private sound(choice: number, data: string): string {
    const inlineData = { mimeType: STREAMED_AUDIO, data };
    return this.fragment(this.choiceAt(choice), JSON.stringify({ inlineData }));
  }

  private fragment(choice: Choice, part: string, beside = ''): string {
    choice.spoke = true;
    const candidate = oneLine(`{"content":{"role":"model","parts":[${part}]},"index":${choice.index}${beside}}`);
    return `data: {"candidates":[${candidate}],${this.fragmentEnd}`;
  }

  private end(): string {
    let text = '';
    for (const block of [...this.blocks.values()]) text += this.stop(block);
    const list = [...this.choices.values()].sort((one, other) => one.index - other.index);
    if (list.length === 0 || list.some((choice) => choice.finish === undefined)) return text + this.fail(CUT_STREAM);
    this.over = true;
    const [only] = list;
    const silent = only?.spoke === false && list.length === 1 && only.finish?.stop === 'content-filter';
    const last = silent ? blockedPrompt(only) : { candidates: list.map(lastFragment) };
    const usageMetadata = writeUsage(this.usage);
    const whole = { ...last, usageMetadata, modelVersion: this.context.model, responseId: this.responseId };
    return text + formatSse(oneLine(JSON.stringify(whole)));
  }

  private fail(error: StreamError): string {
    this.over = true;
    return errorInStream(fromStreamError(error), this.context.requestId);
  }
}

function fragmentEndOf(model: string, responseId: string): string {
  return `"modelVersion":${JSON.stringify(model)},"responseId":${JSON.stringify(responseId)}}\n\n`;
}

/** What some clients' line readers (Google's Python SDK over httpx) take for the end of a line; JSON lets it stand as it is. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function oneLine(json: string): string {
  return json.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Log probabilities as a further field of the candidate. */
function besideText(logprobs: readonly Json[] | undefined): string {
  if (logprobs === undefined || logprobs.length === 0) return '';
  return `,${JSON.stringify(writeLogprobs(logprobs)).slice(1, -1)}`;
}

function callPart({ start, pieces, opaque }: Block): string {
  if (start.type !== 'tool-call-start') return '{}';
  const part: ToolCallPart = {
    type: 'tool-call',
    id: start.id,
    name: start.name,
    kind: start.kind,
    arguments: pieces.join(''),
    ...(opaque !== undefined && { opaque }),
  };
  return JSON.stringify(writePart(part)[0]);
}

function blockedPrompt(choice: Choice | undefined): JsonObject {
  const message = choice?.finish?.refusal;
  return { promptFeedback: { blockReason: 'OTHER', ...(message !== undefined && { blockReasonMessage: message }) } };
}

/** Google's SDK forgets an answer of which any fragment has no part: the last one has an empty text. */
function lastFragment(choice: Choice): JsonObject {
  const grounding = choice.grounding ?? writeGrounding(citedTexts(choice));
  const { finish } = choice;
  return {
    content: { role: 'model', parts: [{ text: '' }] },
    finishReason: writeFinish(finish?.stop ?? 'stop'),
    ...(finish?.refusal !== undefined && { finishMessage: finish.refusal }),
    index: choice.index,
    ...(grounding !== undefined && { groundingMetadata: grounding }),
  };
}

function citedTexts({ texts }: Choice): CitedText[] {
  return texts.flatMap(({ pieces, citations }) =>
    citations.length === 0 ? [] : [{ part: 0, text: pieces.join(''), citations }],
  );
}

/** The blocks of a prompt as keyed hashes, in the order in which vendors cache them: a stored chain tells nothing of what was said. */
import { hash as hashOf } from 'node:crypto';
import { isJsonObject, UNITS_PER_DOLLAR, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects, isLongMark, MARK_NAMES, type PromptParts } from '@model-gateway/translate';
import type { Trace } from '../paid/trace.ts';
import type { KeptChain, PromptBlock, PromptChain, PromptReading } from '../ports.ts';

/** Characters of a hash: 48 bits, compared with a few chains of one key only. */
const HASH = 8;
/** Longer prompts are not examined. */
const MOST_BLOCKS = 2_000;
const MOST_CHARACTERS = 2_000_000;
/** Of longer texts, such as media, the beginning, the end and the length are hashed; media have few tokens for their length, too. */
const LONG_TEXT = 65_536;
/** Characters that are hashed before others may work. */
const SLICE = 131_072;
const SAMPLE = 8_192;
/** Chains of at most so many blocks are kept whole. Of longer ones, the blocks in the middle are kept in groups. */
const KEPT_WHOLE = 128;
const KEPT_HEAD = 32;
const KEPT_TAIL = 64;

type PlacedBlock = Pick<PromptBlock, 'place' | 'kind'>;

export interface ChainOptions {
  /** Secret of the gateway. */
  readonly secret: string;
  /** Only chains of one key are compared: hashes of others never match. */
  readonly keyId: number;
  /** Whether settings are a part of the prompt. */
  readonly withSettings: boolean;
  /** Length of the body, if it is known. */
  readonly bytes?: number;
}

/** Prompts with fewer bytes have fewer tokens than any vendor caches. */
const LEAST_BYTES = 3_072;

export interface PromptCall {
  readonly trace: Trace;
  readonly dialect: DialectName;
  readonly body: JsonObject;
  readonly bytes: number;
  readonly keyId: number;
  readonly secret: string;
}

/** Reads in steps what is needed to judge the prompt of a chat that has ended; undefined where caching it would have saved nothing. */
export function* readPromptTurn(call: PromptCall): PromptReading {
  const { trace, dialect, body, bytes, keyId, secret } = call;
  const { usage, offer, accountId, upstreamDialect, billed, bill } = trace;
  const { input, cached_input: cached } = billed?.price ?? {};
  if (bytes < LEAST_BYTES || upstreamDialect === undefined || offer === undefined || accountId === undefined) return;
  if (usage?.inputTokens === undefined || trace.cache === 'hit' || input === undefined || cached === undefined) return;
  const rules = dialects[upstreamDialect].promptCache;
  const options = { secret, keyId, bytes, withSettings: rules.settingsCount };
  const chain = yield* readPromptChain(dialects[dialect].promptParts({ ...offer.bodyFields, ...body }), options);
  if (chain === undefined) return;
  return {
    chain: trace.keepsPrompt === true ? { ...chain, markedBlock: chain.blocks.length - 1 } : chain,
    ...{ upstreamModel: offer.model, accountId },
    ...{ inputTokens: usage.inputTokens, readTokens: usage.cachedInputTokens ?? 0 },
    minimumTokens: rules.minimumTokens(offer.model),
    lifetimeMs: chain.isLong ? rules.longLifetimeMs : rules.lifetimeMs,
    ...{ needsMarks: rules.needsMarks, looksBack: rules.looksBack },
    savedPerMillion: Math.max(0, input - cached) * UNITS_PER_DOLLAR * (bill?.groupFactor ?? 1),
  };
}

/** Reads the chain of a prompt in one pass, a slice at a time; undefined if the rest of the prompt is elsewhere. */
export function* readPromptChain(
  prompt: PromptParts,
  options: ChainOptions,
): Generator<void, PromptChain | undefined, undefined> {
  if (prompt.isPartial) return undefined;
  const reading = new ChainReading(prompt.contentName, options);
  for (const { name, kind, value } of prompt.parts) {
    if (kind === 'settings') {
      // Also where it is not there: what comes behind keeps its place.
      if (options.withSettings) yield* reading.member(name, kind, value ?? null);
    } else if (value !== undefined && value !== null) yield* reading.member(name, kind, value);
  }
  if (prompt.mark !== undefined && prompt.mark !== null) reading.mark(prompt.mark);
  if (reading.isTooLong) return undefined;
  const { blocks, markedBlock, isLong } = reading;
  return { blocks, markedBlock, isLong };
}

class ChainReading {
  readonly blocks: PromptBlock[] = [];
  markedBlock = -1;
  isLong = false;
  isTooLong = false;
  private characters = 0;
  private nextSlice = SLICE;
  private readonly contentName: PromptParts['contentName'];
  /** Ahead of what is hashed: it is cut off after so few bits that nobody can go on from a hash. */
  private readonly secret: string;
  private readonly isShort: boolean;

  constructor(contentName: PromptParts['contentName'], { secret, keyId, bytes = Infinity }: ChainOptions) {
    this.contentName = contentName;
    this.secret = `${secret}\n${keyId}\n`;
    this.isShort = bytes < LONG_TEXT;
  }

  *member(name: string, kind: PromptBlock['kind'], value: Json): Generator<void, void, undefined> {
    const isList = Array.isArray(value);
    for (const [index, item] of (isList ? value : [value]).entries()) {
      if (this.isTooLong) return;
      const place = isList ? `${name}[${index}]` : name;
      const content = isJsonObject(item) ? item[this.contentName] : undefined;
      if (isJsonObject(item) && content !== undefined) yield* this.message({ place, kind }, item, content);
      // An instruction is the same as a text or as its one block.
      else
        yield* this.block({ place, kind }, '', typeof item === 'string' && kind === 'system' ? { text: item } : item);
    }
  }

  mark(mark: Json): void {
    this.markedBlock = this.blocks.length - 1;
    this.isLong ||= isLongMark(mark);
  }

  private *message(
    { place, kind: usual }: PlacedBlock,
    item: JsonObject,
    content: Json,
  ): Generator<void, void, undefined> {
    // Instructions among the messages are no part of what a conversation is known by.
    const kind = item['role'] === 'system' || item['role'] === 'developer' ? 'system' : usual;
    const { [this.contentName]: _content, ...head } = item;
    const about = this.textOf(withoutMarks(head));
    if (!Array.isArray(content)) yield* this.block({ place, kind }, about, { text: content });
    else
      for (const [index, part] of content.entries())
        yield* this.block({ place: `${place}.${this.contentName}[${index}]`, kind }, about, part);
    this.marksOf(item);
  }

  private *block({ place, kind }: PlacedBlock, about: string, value: Json): Generator<void, void, undefined> {
    const text = this.textOf(isJsonObject(value) ? withoutMarks(plainText(value)) : value);
    const characters = text.length + about.length;
    this.characters += characters;
    this.isTooLong ||= this.blocks.length >= MOST_BLOCKS || this.characters > MOST_CHARACTERS;
    if (this.isTooLong) return;
    const hash = hashOf('sha256', `${this.secret}${kind}\n${about}\n${text}`, 'base64url').slice(0, HASH);
    this.blocks.push({ place, kind, hash, characters });
    if (isJsonObject(value)) this.marksOf(value);
    if (this.characters < this.nextSlice) return;
    this.nextSlice = this.characters + SLICE;
    yield;
  }

  private textOf(value: Json): string {
    return this.isShort ? JSON.stringify(value) : JSON.stringify(value, shortened);
  }

  private marksOf(item: JsonObject): void {
    for (const name of MARK_NAMES) {
      const mark = item[name];
      if (mark !== undefined && mark !== null) this.mark(mark);
    }
  }
}

/** `{type: 'text', text: 'Hello'}` is the same prompt as `'Hello'`, which clients change between turns. */
function plainText(value: JsonObject): JsonObject {
  const { type, text } = value;
  if (typeof text !== 'string' || (type !== 'text' && type !== 'input_text' && type !== 'output_text')) return value;
  const { type: _type, ...rest } = value;
  return rest;
}

/** Marks move as a conversation grows, and are no part of the prompt. */
function withoutMarks(value: JsonObject): JsonObject {
  return MARK_NAMES.some((name) => name in value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !MARK_NAMES.some((mark) => mark === name)))
    : value;
}

function shortened(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > LONG_TEXT
    ? [value.slice(0, SAMPLE), value.length, value.slice(-SAMPLE)]
    : value;
}

/** Blocks that are kept together: where they begin, and how many. */
function* groupsOf(count: number): Generator<readonly [from: number, size: number]> {
  const middle = count - KEPT_HEAD - KEPT_TAIL;
  const size = count <= KEPT_WHOLE ? 1 : Math.ceil(middle / (KEPT_WHOLE - KEPT_HEAD - KEPT_TAIL));
  for (let from = 0; from < count;) {
    const isMiddle = count > KEPT_WHOLE && from >= KEPT_HEAD && from < count - KEPT_TAIL;
    const taken = isMiddle ? Math.min(size, count - KEPT_TAIL - from) : 1;
    yield [from, taken];
    from += taken;
  }
}

/** The chain as it is kept: at most 128 hashes. */
export function keptChain({ blocks }: PromptChain): KeptChain {
  const hashes = [...groupsOf(blocks.length)].map(([from, size]) => groupHash(blocks, from, size)).join('');
  return {
    count: blocks.length,
    hashes,
    tools: blocks.filter(({ kind }) => kind === 'tools').map(({ hash }) => hash).slice(0, KEPT_WHOLE), // prettier-ignore
    messagesFrom: messagesFrom(blocks),
  };
}

/** Where the conversation begins, behind tools and instructions. */
export function messagesFrom(blocks: readonly PromptBlock[]): number {
  const found = blocks.findIndex(({ kind }) => kind === 'messages');
  return found < 0 ? blocks.length : found;
}

function groupHash(blocks: readonly PromptBlock[], from: number, size: number): string {
  if (size === 1) return blocks[from]?.hash ?? '';
  const all = blocks.slice(from, from + size).map(({ hash }) => hash);
  return hashOf('sha256', all.join(''), 'base64url').slice(0, HASH);
}

/** How many blocks at the beginning of a prompt are those of a kept one. */
export function sharedBlocks(kept: KeptChain, blocks: readonly PromptBlock[]): number {
  let at = 0;
  for (const [from, size] of groupsOf(kept.count)) {
    if (from + size > blocks.length) return from;
    if (groupHash(blocks, from, size) !== kept.hashes.slice(at, at + HASH)) return from;
    at += HASH;
  }
  return kept.count;
}

/** The hashes of single blocks of the conversation. */
export function messageHashes({ count, hashes, messagesFrom: first }: KeptChain): readonly string[] {
  const found: string[] = [];
  let at = 0;
  for (const [from, size] of groupsOf(count)) {
    if (from >= first && size === 1) found.push(hashes.slice(at, at + HASH));
    at += HASH;
  }
  return found;
}

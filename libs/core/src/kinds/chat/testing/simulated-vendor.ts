/**
 * A chat vendor's account in simulated time, on OpenAI's chat wire: says words one by one, keeps the beginnings of prompts, bills what it
 * reads and writes, and fails as the vendor twin does. Not part of the product (npm run verify -- simulate).
 */
import { Readable } from 'node:stream';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { UpstreamReply, UpstreamStream, VendorLimits } from '@model-gateway/provider-kit';
import type { SimulatedTime } from '../../../paid/testing/simulated-time.ts';

/** Seconds since the start; all the time when absent. */
interface Span {
  readonly from?: number;
  readonly until?: number;
}

export type VendorFault = Span &
  (
    | { readonly kind: 'outage' }
    /** A part of the requests is refused. */
    | { readonly kind: 'refuse'; readonly share: number }
    /** So many times as long until the answer begins, for a part of the requests. */
    | { readonly kind: 'late'; readonly times: number; readonly share: number }
    /** A part of the answers is cut in the middle; of an `outage` those are cut that are under way. */
    | { readonly kind: 'cut'; readonly share: number }
    /** 429 beyond so many requests in any minute. */
    | { readonly kind: 'rate-limit'; readonly perMinute: number; readonly retryAfterSeconds: number }
  );

export interface VendorShape {
  readonly id: number;
  /** Milliseconds to the first word of a prompt that it has not read before, and for each word. */
  readonly firstMs: number;
  readonly wordMs: number;
  readonly faults?: readonly VendorFault[];
}

/** What the account has done. */
export interface VendorTally {
  requests: number;
  /** Requests that were refused with 429. */
  limited: number;
  /** Answers that somebody has hung up on before they began. */
  hungUp: number;
  /** Tokens that it bills. */
  readonly billed: { read: number; fromCache: number; written: number };
}

export interface VendorWorld {
  readonly time: SimulatedTime;
  readonly start: number;
  readonly random: () => number;
  /** Words of an answer. */
  readonly words: number;
}

/** Four bytes: what a token usually has. */
const BYTES_PER_TOKEN = 4;
const PIECES = 10;
const REFUSAL_MS = 50;
/** Vendors forget a prompt that nobody sends again. */
const CACHED_MS = 300_000;
const CACHED_FROM_TOKENS = 1_024;
/** Of the time to the first word, what a prompt takes that is read from the cache. */
const CACHED_TIME = 0.4;
const MINUTE_MS = 60_000;

/** The word at a place of an answer, with its space: whoever reads an answer can tell what is missing and what came twice. */
export function wordAt(index: number): string {
  return `${String(index % 1_000).padStart(3, '0')} `;
}

type FaultOf<Kind extends VendorFault['kind']> = Extract<VendorFault, { kind: Kind }>;

/** One account. */
export class SimulatedVendor {
  readonly tally: VendorTally = { requests: 0, limited: 0, hungUp: 0, billed: { read: 0, fromCache: 0, written: 0 } };
  private readonly shape: VendorShape;
  private readonly world: VendorWorld;
  private readonly limit: FaultOf<'rate-limit'> | undefined;
  private readonly readUntil = new Map<string, number>();
  /** When it was asked in the last minute. */
  private recent: number[] = [];

  constructor(shape: VendorShape, world: VendorWorld) {
    this.shape = shape;
    this.world = world;
    this.limit = shape.faults?.find((fault): fault is FaultOf<'rate-limit'> => fault.kind === 'rate-limit');
  }

  async send(body: JsonObject, signal: AbortSignal | undefined): Promise<UpstreamReply> {
    const { from, read } = await this.begin(body, signal);
    const { time, words } = this.world;
    await leaving(signal, time.pause(this.shape.wordMs * (words - from)));
    this.tally.billed.written += words - from;
    const message = { role: 'assistant', content: wordsFrom(from, words) };
    const json: JsonObject = {
      ...HEAD,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: usageOf(read, words - from),
    };
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(json)), json };
  }

  async stream(body: JsonObject, signal: AbortSignal | undefined): Promise<UpstreamStream> {
    const answer = await this.begin(body, signal);
    const raw = new Readable({ read: () => undefined });
    const onGone = (): void => void raw.destroy(new GatewayError('upstream_unavailable', 'hung up on'));
    signal?.addEventListener('abort', onGone, { once: true });
    void this.speak(raw, answer).finally(() => signal?.removeEventListener('abort', onGone));
    return { status: 200, headers: {}, body: raw, raw };
  }

  /** What its headers say is left; undefined for an account without a limit. */
  limits(): VendorLimits | undefined {
    if (this.limit === undefined) return undefined;
    const resetMs = Math.max(0, (this.recent.at(-1) ?? 0) + MINUTE_MS - this.world.time.now());
    return { requests: { remaining: Math.max(0, this.limit.perMinute - this.taken()), resetMs } };
  }

  /** Waits until the answer begins, or refuses the request. */
  private async begin(body: JsonObject, signal: AbortSignal | undefined): Promise<Answer> {
    const { time, random, words } = this.world;
    this.tally.requests++;
    await this.refuse();
    this.recent.push(time.now());
    const messages = (body['messages'] ?? []) as unknown as readonly Message[];
    const read = this.readPrompt(messages);
    this.tally.billed.read += read.tokens;
    this.tally.billed.fromCache += read.cached;
    const late = this.faultNow('late');
    const times = (late !== undefined && random() < late.share ? late.times : 1) * (0.7 + 0.6 * random());
    const isCut = random() < (this.faultNow('cut')?.share ?? 0);
    const newShare = read.tokens === 0 ? 1 : 1 - read.cached / read.tokens;
    const firstMs = this.shape.firstMs * times * (CACHED_TIME + (1 - CACHED_TIME) * newShare);
    await leaving(signal, time.pause(firstMs), () => {
      this.tally.hungUp++;
    });
    return { from: wordsSaid(messages), read, cutAt: isCut ? Math.floor(random() * words) : Infinity };
  }

  private async refuse(): Promise<void> {
    const { time, random } = this.world;
    if (this.faultNow('outage') !== undefined || random() < (this.faultNow('refuse')?.share ?? 0)) {
      await time.pause(REFUSAL_MS);
      throw new GatewayError('upstream_unavailable', 'the vendor is out', { taken: 'no' });
    }
    if (this.limit === undefined || this.taken() < this.limit.perMinute) return;
    this.tally.limited++;
    await time.pause(REFUSAL_MS);
    const { retryAfterSeconds } = this.limit;
    throw new GatewayError('upstream_rate_limited', 'the vendor has had enough', { retryAfterSeconds, taken: 'no' });
  }

  /** How long a prompt is, and how much of it was read before. */
  private readPrompt(messages: readonly Message[]): Prompt {
    const now = this.world.time.now();
    let name = '';
    let tokens = 0;
    let cached = 0;
    for (const { content } of messages) {
      // Texts of simulations say at their beginning what they are.
      name += `\n${content.length} ${content.slice(0, 40)}`;
      tokens += Math.ceil(content.length / BYTES_PER_TOKEN);
      if ((this.readUntil.get(name) ?? 0) > now) cached = tokens;
      this.readUntil.set(name, now + CACHED_MS);
    }
    return { tokens, cached: cached < CACHED_FROM_TOKENS ? 0 : cached };
  }

  private async speak(raw: Readable, { from, read, cutAt }: Answer): Promise<void> {
    const { time, words } = this.world;
    const piece = Math.ceil(words / PIECES);
    raw.push(chunk({ role: 'assistant', content: '' }));
    for (let at = from; at < words; at += piece) {
      const until = Math.min(words, at + piece);
      await time.pause(this.shape.wordMs * (until - at));
      if (raw.destroyed) return;
      const isOver = cutAt < until || this.faultNow('outage') !== undefined;
      const last = isOver ? Math.max(at, Math.min(until, cutAt)) : until;
      const said = wordsFrom(at, last);
      this.tally.billed.written += last - at;
      if (said !== '') raw.push(chunk({ content: said }));
      if (!isOver) continue;
      // What was said gets through before the connection breaks.
      setImmediate(() => raw.destroy(new GatewayError('upstream_unavailable', 'the connection broke')));
      return;
    }
    raw.push(chunk({}, 'stop', { usage: usageOf(read, words - from) }));
    raw.push('data: [DONE]\n\n');
    raw.push(null);
  }

  private faultNow<Kind extends VendorFault['kind']>(kind: Kind): FaultOf<Kind> | undefined {
    return this.shape.faults?.find((fault): fault is FaultOf<Kind> => fault.kind === kind && this.isOn(fault));
  }

  private isOn({ from = 0, until = Infinity }: Span): boolean {
    const seconds = (this.world.time.now() - this.world.start) / 1_000;
    return seconds >= from && seconds < until;
  }

  /** Requests of the last minute. */
  private taken(): number {
    const now = this.world.time.now();
    this.recent = this.recent.filter((at) => now - at < MINUTE_MS);
    return this.recent.length;
  }
}

/** The words from one place to another. */
function wordsFrom(from: number, until: number): string {
  return Array.from({ length: until - from }, (_, index) => wordAt(from + index)).join('');
}

interface Message {
  readonly role: string;
  readonly content: string;
}
interface Prompt {
  readonly tokens: number;
  readonly cached: number;
}
interface Answer {
  /** The word that it begins with. */
  readonly from: number;
  readonly read: Prompt;
  /** The word before which it is cut. */
  readonly cutAt: number;
}

/** Of an answer that another vendor began, which comes as the turn before the last. */
function wordsSaid(messages: readonly Message[]): number {
  const [before, last] = messages.slice(-2);
  if (before?.role !== 'assistant' || last?.content.startsWith('Your last answer was cut off') !== true) return 0;
  return Math.floor(before.content.length / wordAt(0).length);
}

/** Rejects as soon as the asker has gone. */
function leaving<T>(signal: AbortSignal | undefined, work: Promise<T>, left: () => void = () => undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onGone = (): void => {
      left();
      reject(new GatewayError('upstream_unavailable', 'hung up on'));
    };
    if (signal.aborted) {
      onGone();
      return;
    }
    signal.addEventListener('abort', onGone, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onGone));
  });
}

const HEAD = { id: 'x', created: 1, model: 'm' };

function usageOf({ tokens, cached }: Prompt, written: number): JsonObject {
  return {
    prompt_tokens: tokens,
    completion_tokens: written,
    total_tokens: tokens + written,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
}

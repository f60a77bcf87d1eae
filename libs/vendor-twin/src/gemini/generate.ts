import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import { isSealed, seal } from '../core/auth.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, pieces } from '../chat/answers.ts';
import { cachedTokens, lastWords, type Answer, inputTokens } from '../chat/talk.ts';
import { refuseMissingFile } from './batches.ts';
import { THOUGHT_SEAL } from './contents.ts';
import { badContent, googleError } from './errors.ts';
import { readCount, readGenerate, type GeminiOrder } from './request.ts';
import { seedOf } from '../core/values.ts';
import type { ImageSpec } from '../media/spec.ts';

const verb = (name: string): RegExp => new RegExp(`^/v1(?:beta)?/models/(?<model>[^/:]+):${name}$`);

export const generateRoutes: readonly Route[] = [
  { method: 'POST', path: verb('generateContent'), operation: 'chat', handle: generate },
  { method: 'POST', path: verb('streamGenerateContent'), operation: 'chat', handle: stream },
  { method: 'POST', path: verb('countTokens'), operation: 'count', handle: count },
];

type Part = Readonly<Record<string, unknown>>;

async function generate(exchange: Exchange): Promise<void> {
  const reply = await prepare(exchange);
  reply.record(false, 1, false);
  exchange.reply(200, reply.whole());
}

async function stream(exchange: Exchange): Promise<void> {
  const reply = await prepare(exchange);
  const asEvents = exchange.query.get('alt') === 'sse';
  const error = JSON.stringify({ error: googleError(503) });
  const type = asEvents ? 'text/event-stream' : 'application/json; charset=UTF-8';
  const events = exchange.events({ 'content-type': type }, asEvents ? `data: ${error}\n\n` : `,\n${error}]`);
  const chunks = reply.chunks();
  for (const [index, chunk] of chunks.entries()) {
    const last = index === chunks.length - 1;
    if (last) reply.record(true, 1, !events.open);
    const json = JSON.stringify(chunk);
    const frame = asEvents ? `data: ${json}\r\n\r\n` : `${index === 0 ? '[' : ',\r\n'}${json}${last ? ']' : ''}`;
    if (!(await events.send(frame)) && !last) return reply.record(true, index / chunks.length, true);
  }
  events.end();
}

function count(exchange: Exchange): void {
  const totalTokens = inputTokens(readCount(exchange));
  exchange.reply(200, { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] });
}

async function prepare(exchange: Exchange): Promise<GeminiReply> {
  refuseMissingFile(exchange);
  const order = readGenerate(exchange);
  const said = lastWords(order.talk);
  const markers = await exchange.obey(said);
  const reply = new GeminiReply(exchange, order, answerTo(order.talk, markers), markers);
  await reply.make(withoutMarkers(said), exchange.fate(markers) === 'moderation');
  return reply;
}

const FINISH = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  tools: 'STOP',
  refusal: 'SAFETY',
} as const;
const CONTINUATION_SEAL = 'gemini-continuation';
const SAFETY = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map((name) => ({
  category: `HARM_CATEGORY_${name}`,
  probability: 'NEGLIGIBLE',
}));

/** One answer on its way out: whole, or as a row of fragments. */
class GeminiReply {
  readonly #exchange: Exchange;
  readonly #order: GeminiOrder;
  readonly #answer: Answer;
  readonly #markers: Markers;
  readonly #cached: number;
  readonly #id: string;
  #parts: Part[] = [];
  #finish: string;
  #token: string | undefined;
  #blocked = false;
  #pictures = 0;

  constructor(exchange: Exchange, order: GeminiOrder, answer: Answer, markers: Markers) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answer = answer;
    this.#markers = markers;
    const { keptTokens, talk } = order;
    const { input } = answer.tokens;
    this.#cached = keptTokens > 0 ? Math.min(keptTokens, input) : cachedTokens(exchange.stage, talk, input, markers);
    this.#id = exchange.stage.newId('');
    this.#finish = FINISH[answer.finish];
  }

  async make(said: string, blocked: boolean): Promise<void> {
    this.#blocked = blocked;
    if (blocked) return;
    const { thinking, calls, finish } = this.#answer;
    const { abilities, modalities, showsThoughts } = this.#order;
    if (finish === 'refusal') {
      if (modalities.has('IMAGE')) this.#finish = 'IMAGE_SAFETY';
      return;
    }
    if (showsThoughts && thinking !== '') this.#parts.push({ text: thinking, thought: true });
    if (abilities.speaks) {
      this.#parts.push({ inlineData: await speakPart(this.#exchange, this.#order, said) });
      return;
    }
    calls.forEach((call, index) => {
      const id = abilities.signs ? { id: this.#exchange.stage.newId('') } : {};
      const signature = abilities.signs && index === 0 ? { thoughtSignature: seal(THOUGHT_SEAL, call.name) } : {};
      this.#parts.push({ functionCall: { ...id, name: call.name, args: call.input }, ...signature });
    });
    if (calls.length > 0) return;
    if (modalities.has('TEXT')) this.#parts.push(...this.#text());
    if (abilities.draws && modalities.has('IMAGE')) {
      const picture = await drawPart(this.#exchange, pictureSpec(this.#order, said));
      this.#parts.push({ inlineData: picture, ...(abilities.signs && { thoughtSignature: seal(THOUGHT_SEAL, '') }) });
      this.#pictures = 1;
    }
  }

  /** A long answer may come in two halves, the second for a token. */
  #text(): Part[] {
    const { text } = this.#answer;
    const signature = this.#order.abilities.signs ? { thoughtSignature: seal(THOUGHT_SEAL, '') } : {};
    const { continuationToken: token } = this.#order;
    if (!this.#markers.words.has('continue')) {
      if (token !== undefined) throw badContent('The continuation token does not belong to this request.');
      return [{ text, ...signature }];
    }
    const half = pieces(text);
    const middle = Math.ceil(half.length / 2);
    if (token === undefined) {
      this.#finish = 'CONTINUATION';
      this.#token = seal(CONTINUATION_SEAL, text);
      return [{ text: half.slice(0, middle).join('') }];
    }
    if (!isSealed(CONTINUATION_SEAL, text, token)) throw badContent('Invalid continuation token.');
    return [{ text: half.slice(middle).join(''), ...signature }];
  }

  whole(): Record<string, unknown> {
    if (this.#blocked) return { ...this.#blockedBody(), usageMetadata: this.#usage(0) };
    const candidates = Array.from({ length: this.#order.candidates }, (_, index) =>
      this.#candidate(index, this.#parts, true),
    );
    return { candidates, ...this.#tail(1) };
  }

  chunks(): Record<string, unknown>[] {
    if (this.#blocked) return [{ ...this.#blockedBody(), ...this.#tail(0) }];
    const fragments = this.#parts.flatMap((part) => fragmentsOf(part));
    if (fragments.length === 0) fragments.push({});
    return fragments.map((part, index) => {
      const last = index === fragments.length - 1;
      const parts = Object.keys(part).length === 0 ? [] : [part];
      return { candidates: [this.#candidate(0, parts, last)], ...this.#tail((index + 1) / fragments.length) };
    });
  }

  record(streamed: boolean, share: number, aborted: boolean): void {
    const { input, output, reasoning } = this.#answer.tokens;
    const drawn = this.#pictures * pictureTokens(this.#order);
    this.#exchange.record({
      kind: this.#pictures > 0 ? 'image' : 'chat',
      model: this.#order.talk.model,
      stream: streamed,
      aborted,
      billed: {
        inputTokens: input,
        cachedInputTokens: this.#cached,
        outputTokens: this.#blocked ? 0 : Math.ceil(output * share) + drawn,
        reasoningTokens: reasoning,
        ...(this.#pictures > 0 && { images: this.#pictures, outputImageTokens: drawn }),
      },
    });
  }

  #candidate(index: number, parts: readonly Part[], last: boolean): Record<string, unknown> {
    const silent = last && parts.length === 0;
    return {
      ...(!silent && { content: { role: 'model', parts } }),
      ...(last && { finishReason: this.#finish, safetyRatings: SAFETY }),
      ...(last && this.#token !== undefined && { continuationToken: this.#token }),
      ...(last && this.#answer.searched.length > 0 && { groundingMetadata: this.#grounding() }),
      index,
    };
  }

  #blockedBody(): Record<string, unknown> {
    return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings: SAFETY } };
  }

  #tail(share: number): Record<string, unknown> {
    return { usageMetadata: this.#usage(share), modelVersion: this.#order.talk.model, responseId: this.#id };
  }

  /** A running total: the share of the answer that is out. */
  #usage(share: number): Record<string, unknown> {
    const { input, output, reasoning } = this.#answer.tokens;
    const drawn = this.#pictures * pictureTokens(this.#order);
    const candidates = Math.ceil((output - reasoning) * share) * this.#order.candidates + drawn;
    return {
      promptTokenCount: input,
      ...(this.#cached > 0 && { cachedContentTokenCount: this.#cached }),
      ...(share > 0 && { candidatesTokenCount: candidates }),
      totalTokenCount: input + (share > 0 ? candidates + reasoning : 0),
      ...(share > 0 && reasoning > 0 && { thoughtsTokenCount: reasoning }),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      ...(drawn > 0 && { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: drawn }] }),
    };
  }

  /** Offsets count bytes, not characters. */
  #grounding(): Record<string, unknown> {
    const { searched, text } = this.#answer;
    return {
      webSearchQueries: searched.map(({ query }) => query),
      searchEntryPoint: { renderedContent: '<div></div>' },
      groundingChunks: searched.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports: [
        {
          segment: { startIndex: 0, endIndex: Buffer.byteLength(text), text },
          groundingChunkIndices: searched.map((_, index) => index),
        },
      ],
    };
  }
}

/** Text comes in bits, its signature last on an empty part; everything else comes whole. */
function fragmentsOf(part: Part): Part[] {
  const { text, thoughtSignature, ...rest } = part;
  if (typeof text !== 'string') return [part];
  const fragments = pieces(text).map((piece): Part => ({ text: piece, ...rest }));
  return thoughtSignature === undefined ? fragments : [...fragments, { text: '', thoughtSignature }];
}

const SIDES: Readonly<Record<string, number>> = { 512: 512, '1K': 1024, '2K': 2048, '4K': 4096 };
/** What a picture costs in output tokens. */
const TOKENS: Readonly<Record<string, number>> = { 512: 747, '1K': 1290, '2K': 1680, '4K': 2520 };

/** The picture of an order: the area of its size class in its ratio. */
export function pictureSpec(order: GeminiOrder, said: string): ImageSpec {
  const side = SIDES[order.image.imageSize] ?? 1024;
  const [across = 1, down = 1] = order.image.aspectRatio.split(':').map(Number);
  const scale = Math.sqrt(across / down);
  return {
    kind: 'image',
    width: Math.round((side * scale) / 32) * 32,
    height: Math.round(side / scale / 32) * 32,
    format: 'png',
    text: said,
    seed: seedOf(said),
  };
}

export function pictureTokens(order: GeminiOrder): number {
  return TOKENS[order.image.imageSize] ?? 1290;
}

/** A picture as an `inlineData` part. */
export async function drawPart(
  exchange: Exchange,
  spec: ImageSpec,
): Promise<{ readonly mimeType: string; readonly data: string }> {
  const file = await exchange.stage.media.file(spec);
  return { mimeType: 'image/png', data: file.toString('base64') };
}

/** Speech as an `inlineData` part: raw samples, the way the TTS models give them. */
export async function speakPart(
  exchange: Exchange,
  order: GeminiOrder,
  said: string,
): Promise<{ readonly mimeType: string; readonly data: string }> {
  const file = await exchange.stage.media.file({
    kind: 'speech',
    text: said,
    voice: order.voice,
    format: 'pcm',
    sung: false,
    speed: 1,
  });
  return { mimeType: 'audio/L16;codec=pcm;rate=24000', data: file.toString('base64') };
}

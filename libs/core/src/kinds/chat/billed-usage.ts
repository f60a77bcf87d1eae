/** What an answer is billed by: the vendor's report, or what was counted here. */
import { type Usage, isJsonObject, type JsonObject, type Json } from '@model-gateway/contracts';
import { dialects, type Delivered } from '@model-gateway/translate';
import { estimateTokenCount } from 'tokenx';
import { inputBound } from './pricing.ts';
import type { StreamEnd } from './chat-stream.ts';
import type { ChatCall } from './types.ts';
import { secondsOfSound, tokensOfSound } from '../../paid/token-estimates.ts';

/** What is known of a stream's costs beside the stream. */
export interface StreamBilling {
  readonly call: Pick<ChatCall, 'dialect' | 'body'>;
  /** The most it may use: what was set aside. */
  readonly most: Usage;
  /** The model may think without showing it. */
  readonly mayThink: boolean;
}

/**
 * What a stream is billed by. The vendor's last word wins, an explicit zero included. Without one, what was delivered is counted here, by
 * modality. Where the vendor was hung up on before it told what it had thought unseen, that is all that was set aside. Undefined for a
 * stream that its vendor broke off before it brought anything: it costs nothing.
 */
export function usageOf(end: StreamEnd, billing: StreamBilling): Usage | undefined {
  const { usage, delivered, finished, failed, cut } = end;
  if (isEmpty(delivered) && (failed || !finished) && !cut) return undefined;
  if (usage !== undefined && finished && isWhole(usage)) return usage;
  const guess = { ...inputOf(billing), ...outputOf(delivered, billing.call.body.json), estimated: true };
  if (usage === undefined) return cut && thinks(billing, delivered) ? reserved(billing) : guess;
  // What a finished report leaves out, or says in numbers that are none, is counted here.
  if (finished) return { ...guess, ...usage, estimated: true };
  // Some vendors count as they go, and know better than a guess; others say one token at the start and the rest at the end.
  const [counted, guessed] = [usage.outputTokens ?? 0, guess.outputTokens ?? 0];
  const countsAsItGoes = usage.outputTokens !== undefined && counted * 2 >= guessed;
  if (countsAsItGoes && (tellsThoughts(usage) || !cut || !thinks(billing, delivered)))
    return { ...guess, ...usage, estimated: true };
  if (cut && thinks(billing, delivered)) return { ...reserved(billing), ...inputTold(usage) };
  return { ...guess, ...inputTold(usage) };
}

/**
 * What a running stream would be charged if it were cut off now; undefined while that is unknown, because the model may be thinking
 * unseen. Counts that it does not have are as large as was set aside for them.
 */
export function usageSoFar(
  usage: Usage | undefined,
  delivered: Delivered,
  { call, mayThink }: Pick<StreamBilling, 'call' | 'mayThink'>,
): Usage | undefined {
  const output = outputOf(delivered, call.body.json);
  const counted = usage?.outputTokens ?? 0;
  const knowsThoughts = usage !== undefined && tellsThoughts(usage) && counted >= (output.outputTokens ?? 0) / 2;
  if ((mayThink || delivered.thinksUnseen) && !knowsThoughts) return undefined;
  return counted > (output.outputTokens ?? 0) ? { ...usage } : { ...inputTold(usage ?? {}), ...output };
}

/** Whether the request asks its model to think, or the model has a price for it. Models that think without being asked are known by that price. */
export function mayThink(
  { dialect, body }: Pick<ChatCall, 'dialect' | 'body'>,
  price: { readonly reasoning?: number },
): boolean {
  return price.reasoning !== undefined || dialects[dialect].forwarding.asksForThoughts(body.json);
}

function thinks({ mayThink: asked }: StreamBilling, { thinksUnseen }: Delivered): boolean {
  return asked || thinksUnseen;
}

/** Zero so far says nothing: some vendors begin with it and tell the rest at the end. */
function tellsThoughts({ reasoningTokens = 0 }: Usage): boolean {
  return reasoningTokens > 0;
}

function isEmpty({ text, audio, pictures, drafts }: Delivered): boolean {
  return text === 0 && audio === 0 && pictures === 0 && drafts === 0;
}

/** Both sides are told. */
function isWhole({ inputTokens, outputTokens }: Usage): boolean {
  return inputTokens !== undefined && outputTokens !== undefined;
}

function reserved({ most }: StreamBilling): Usage {
  return { ...most, estimated: true };
}

/** What a report says of the input, and of what is counted apart. */
function inputTold({
  outputTokens: _,
  reasoningTokens: _r,
  outputAudioTokens: _a,
  outputImageTokens: _i,
  ...rest
}: Usage): Usage {
  return rest;
}

/** A longer body is not read once more for a guess. */
const LONGEST_READ = 256 * 1024;

/** Of the input what a count of its tokens would say, never more than was set aside; all of that where the body refers to more than it holds. */
function inputOf({ call: { dialect, body }, most }: Pick<StreamBilling, 'call' | 'most'>): Usage {
  const held = most.inputTokens ?? Infinity;
  if (Number.isFinite(held) && dialects[dialect].readCost(body.json).outside !== undefined)
    return { inputTokens: held };
  const counted = body.bytes.length > LONGEST_READ ? inputBound(dialect, body) : estimateTokens(body.json);
  return { inputTokens: Math.min(held, counted) };
}

/** A guess marked as one, when the vendor reported nothing. */
export function estimate(call: Pick<ChatCall, 'dialect' | 'body'>, most: Usage, outputTokens: number): Usage {
  return { ...inputOf({ call, most }), outputTokens, estimated: true };
}

/** Four bytes of text are about a token. */
const BYTES_PER_TOKEN = 4;
/** Vendors bill 270 to 4,200 tokens for a picture, the larger ones 1,300 to 2,000. */
const TOKENS_PER_PICTURE = 2_000;

/** Tokens of so many bytes of text. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The output a stream has brought so far; sound and pictures are parts of the whole. `body` is the caller's. */
export function outputOf(delivered: Delivered, body: JsonObject): Usage {
  const { audio } = body;
  const format = isJsonObject(audio) ? audio['format'] : undefined;
  const sound = delivered.audio === 0 ? 0 : tokensOfSound(secondsOfSound(delivered.audio, format));
  const pictures = picturesIn(delivered) * TOKENS_PER_PICTURE;
  return {
    outputTokens: tokensOf(delivered.text) + sound + pictures,
    ...(sound > 0 && { outputAudioTokens: sound }),
    ...(pictures > 0 && { outputImageTokens: pictures }),
  };
}

/** About how many tokens have come: for how often something is done. */
export function tokensIn(delivered: Delivered): number {
  const { text, audio } = delivered;
  const sound = audio === 0 ? 0 : tokensOfSound(secondsOfSound(audio, undefined));
  return text / BYTES_PER_TOKEN + sound + picturesIn(delivered) * TOKENS_PER_PICTURE;
}

/** Drafts are of a picture that the vendor bills whole. */
function picturesIn({ pictures, drafts }: Delivered): number {
  return drafts > 0 ? Math.max(1, pictures) : pictures;
}

const LONGEST_MEDIA_TEXT = 1000;
/** Characters that are counted: some hundredths of a second. */
const MOST_COUNTED = 256 * 1024;

/** About how many tokens the text of a body has; media counts as what vendors usually bill for one. Of a long text a part is counted and the rest reckoned by it. */
export function estimateTokens(body: Json): number {
  const TOKENS_PER_MEDIUM = 1000;
  let text = '';
  let length = 0;
  let media = 0;
  const walk = (value: Json): void => {
    if (typeof value === 'string') {
      if (value.length > LONGEST_MEDIA_TEXT && !value.includes(' ')) media++;
      else {
        length += value.length + 1;
        if (text.length < MOST_COUNTED) text += `${value.slice(0, MOST_COUNTED - text.length)}\n`;
      }
    } else if (Array.isArray(value)) value.forEach(walk);
    else if (isJsonObject(value)) Object.values(value).forEach(walk);
  };
  walk(body);
  const tokens = estimateTokenCount(text);
  const whole = length > text.length ? Math.ceil((tokens * length) / text.length) : tokens;
  return whole + media * TOKENS_PER_MEDIUM;
}

/** What an answer is billed by: the vendor's report, or what was counted here. */
import type { Usage } from '@model-gateway/contracts';
import { dialects, type Delivered } from '@model-gateway/translate';
import { inputBound } from './body.ts';
import type { StreamEnd } from './chat-stream.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { outputOf } from './delivered-tokens.ts';
import type { ChatCall } from './types.ts';

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

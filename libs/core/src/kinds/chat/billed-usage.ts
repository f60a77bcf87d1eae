/** What an answer is billed by: the vendor's report, or what was counted here. */
import type { Usage } from '@model-gateway/contracts';
import { inputBound } from './body.ts';
import type { StreamEnd } from './chat-stream.ts';
import { estimateTokens } from './count.ts';
import type { ChatCall } from './types.ts';

/**
 * What a stream is billed by. The vendor's report wins, an explicit zero included. Without one, or when the stream was cut after it,
 * what was said is counted here. A stream that failed or was cut before it said anything costs nothing.
 */
export function usageOf({ usage, said, finished, failed }: StreamEnd, call: ChatCall): Usage | undefined {
  if (said === 0 && (failed || !finished)) return undefined;
  if (usage !== undefined && finished) return usage;
  const guess = estimate(call, tokensOf(said));
  if (usage === undefined) return guess;
  // Some vendors count as they go, and know better than a guess; others say one token at the start and the rest at the end.
  const [counted, guessed] = [usage.outputTokens ?? 0, guess.outputTokens ?? 0];
  return { ...usage, outputTokens: counted * 2 >= guessed ? counted : guessed, estimated: true };
}

/** A longer body is not read once more for a guess. */
const LONGEST_READ = 256 * 1024;

/** A guess marked as one, when the vendor reported nothing: of the input what a count of its tokens would say, never more than was held for it. */
export function estimate({ dialect, body }: ChatCall, outputTokens: number): Usage {
  const most = inputBound(dialect, body);
  const inputTokens = body.bytes.length > LONGEST_READ ? most : Math.min(most, estimateTokens(body.json));
  return { inputTokens, outputTokens, estimated: true };
}

/** Four bytes of text are about a token. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Why an answer ended, both ways (docs/wire/chat-translation.md#why-an-answer-ended). */
import type { JsonObject } from '@model-gateway/contracts';
import { explanationOf, stopOfUnknown } from '../shared/unusual-stop.ts';
import type { StopReason } from '../conversation.ts';

const FROM_WIRE: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  pause_turn: 'paused',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-full',
};

const TO_WIRE: Readonly<Record<StopReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'context-full': 'model_context_window_exceeded',
  'tool-calls': 'tool_use',
  refusal: 'refusal',
  'content-filter': 'refusal',
  paused: 'pause_turn',
  // The only ending with a place for an explanation.
  'malformed-call': 'refusal',
};

/** What the calls say counts more than the word: compatible vendors send `end_turn` beside calls. */
export function readStop(word: string, hasCalls: boolean): StopReason {
  const stop = Object.hasOwn(FROM_WIRE, word) ? (FROM_WIRE[word] ?? 'stop') : (stopOfUnknown(word) ?? 'stop');
  if (stop === 'stop' && hasCalls) return 'tool-calls';
  if (stop === 'malformed-call' && hasCalls) return 'tool-calls';
  return stop === 'tool-calls' && !hasCalls ? 'stop' : stop;
}

export interface Ending {
  readonly stop: StopReason;
  readonly stopSequence?: string | undefined;
  readonly refusal?: string | undefined;
}

/** `stop_reason`, `stop_sequence` and `stop_details`. */
export function writeStop(ending: Ending): JsonObject {
  const { stop, stopSequence } = ending;
  const refusal = explanationOf(ending);
  const word = TO_WIRE[stop];
  return {
    stop_reason: word,
    stop_sequence: stop === 'stop-sequence' ? (stopSequence ?? null) : null,
    stop_details: word === 'refusal' ? { type: 'refusal', category: null, explanation: refusal ?? null } : null,
  };
}

/** A stop reason of our own for an answer whose call has no name. */
export const NAMELESS_CALL = 'malformed_tool_call';

/** A call that nobody can make. */
export function isNamelessCall(block: JsonObject): boolean {
  return block['type'] === 'tool_use' && (typeof block['name'] !== 'string' || block['name'] === '');
}

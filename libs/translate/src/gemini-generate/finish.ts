/** Why an answer ended, both ways (chat.md §5.3, §8.2). */
import type { StopReason } from '../conversation.ts';

const FROM_WIRE: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  FINISH_REASON_UNSPECIFIED: 'stop',
  NO_IMAGE: 'stop',
  MAX_TOKENS: 'length',
  // Only met where there is no token to go on with.
  CONTINUATION: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  // Broken off for no reason given: not a natural end.
  OTHER: 'content-filter',
  IMAGE_OTHER: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'malformed-call',
  UNEXPECTED_TOOL_CALL: 'malformed-call',
  TOO_MANY_TOOL_CALLS: 'malformed-call',
  MALFORMED_RESPONSE: 'malformed-call',
};

const TO_WIRE: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'context-full': 'MAX_TOKENS',
  'tool-calls': 'STOP',
  refusal: 'SAFETY',
  'content-filter': 'SAFETY',
  paused: 'OTHER',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
};

/** There is no word for tool calls: the calls themselves say it. */
export function readFinish(word: string, hasCalls: boolean): StopReason {
  const stop = Object.hasOwn(FROM_WIRE, word) ? (FROM_WIRE[word] ?? 'stop') : 'stop';
  return stop === 'stop' && hasCalls ? 'tool-calls' : stop;
}

export function writeFinish(stop: StopReason): string {
  return TO_WIRE[stop];
}

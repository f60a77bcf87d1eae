/** Why an answer ended, both ways (docs/wire/gemini-generate.md#answer, docs/wire/chat-translation.md#why-an-answer-ended). */
import type { JsonObject } from '@model-gateway/contracts';
import { objectOf, wordOf } from '../shared/read.ts';
import { stopOfUnknown } from '../shared/unusual-stop.ts';
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

/** There is no word for tool calls: the calls themselves say it. A word not known here is a refusal: Google's new words are. */
export function readFinish(word: string, hasCalls: boolean): StopReason {
  const stop = Object.hasOwn(FROM_WIRE, word)
    ? (FROM_WIRE[word] ?? 'content-filter')
    : (stopOfUnknown(word) ?? 'content-filter');
  // What is there of calls can be made, whatever else went wrong.
  return (stop === 'stop' || stop === 'malformed-call') && hasCalls ? 'tool-calls' : stop;
}

export function writeFinish(stop: StopReason): string {
  return TO_WIRE[stop];
}

/** The word for an answer whose call has no name. */
export const NAMELESS_CALL = 'MALFORMED_FUNCTION_CALL';

/** A call that nobody can make. */
export function isNamelessCall(part: JsonObject): boolean {
  const call = objectOf(part['functionCall']);
  return call !== undefined && wordOf(call['name']) === undefined;
}

/** Whether an ending is told with the vendor's explanation. */
export function isExplained(stop: StopReason): boolean {
  return stop === 'content-filter' || stop === 'malformed-call';
}

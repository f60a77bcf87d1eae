/** Messages bodies and their middle form, one field at a time, for the tests of this dialect. */
import { GatewayError } from '@model-gateway/contracts';
import type { ChatRequest, Turn } from '../../conversation.ts';
import type { Encoded, Target } from '../../dialect.ts';
import { anthropicMessages } from '../index.ts';
export { PNG } from '../../samples.ts';

export const PDF = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwvTGVuZ3RoIDMgMCBSPj4K';

/** A model that takes all this wire has. */
export const newest: Target = { model: 'claude-opus-5', provider: 'anthropic', maxOutputTokens: 128_000 };

/** A model without structured output. */
export const weak: Target = { ...newest, quirks: { structured_output: false } };

/** A model whose catalogue row says what it lacks. */
export const older: Target = {
  model: 'claude-haiku-4-5',
  provider: 'anthropic',
  maxOutputTokens: 64_000,
  quirks: { sampling: true, thinking: 'budget' },
};

/** A request in the middle form with these fields and nothing else of note. */
export function request(fields: Partial<ChatRequest>): ChatRequest {
  const turns: Turn[] = [{ role: 'user', parts: [{ type: 'text', text: 'hi', place: 'messages[0]' }] }];
  return { dialect: 'openai-chat', model: 'm', stream: false, system: [], turns, tools: [], extra: {}, ...fields };
}

/** The Messages body for a request with these fields. */
export function encode(fields: Partial<ChatRequest>, target: Target = newest): Encoded {
  return anthropicMessages.encodeRequest(request(fields), target);
}

/** The fields that the encoder reported as left out. */
export function fieldsDropped(encoded: Encoded): string[] {
  return encoded.dropped.map(({ field }) => field);
}

/** The error that `act` throws; anything else fails the test. */
export function thrown(act: () => unknown): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** A turn of the assistant with one call. */
export const call = (id: string, name = 'look', args = '{}'): Turn => ({
  role: 'assistant',
  parts: [{ type: 'tool-call', id, name, kind: 'function', arguments: args, place: `messages[1].tool_calls[0]` }],
});

/** A turn with the result of one call. */
export const result = (callId: string, text: string): Turn => ({
  role: 'user',
  parts: [{ type: 'tool-result', callId, content: text === '' ? [] : [{ type: 'text', text }], place: 'messages[2]' }],
});

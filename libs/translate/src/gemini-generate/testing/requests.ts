/** generateContent bodies and their middle form, one field at a time, for the tests of this dialect. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Opaque, Turn } from '../../conversation.ts';
import type { Encoded, Target } from '../../dialect.ts';
import { geminiGenerate } from '../index.ts';
export { PNG } from '../../samples.ts';

export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA';

/** What Google takes in place of a signature that was lost. */
export const SENTINEL = 'skip_thought_signature_validator';

/** A model that takes all this wire has. */
export const newest: Target = { model: 'gemini-3-pro', provider: 'gemini', maxOutputTokens: 65_536 };

/** A model that thinks by budgets. */
export const older: Target = { ...newest, model: 'gemini-2.5-flash', quirks: { thinking: 'budget' } };

/** A request in the middle form with these fields and nothing else of note. */
export function request(fields: Partial<ChatRequest>): ChatRequest {
  const turns: Turn[] = [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
  return { dialect: 'openai-chat', model: 'm', stream: false, system: [], turns, tools: [], extra: {}, ...fields };
}

/** The generateContent body for a request with these fields. */
export function encode(fields: Partial<ChatRequest>, target: Target = newest): Encoded {
  return geminiGenerate.encodeRequest(request(fields), target);
}

/** The turns of an encoded body. */
export function contents(encoded: Encoded): { role: string; parts: JsonObject[] }[] {
  return encoded.body['contents'] as { role: string; parts: JsonObject[] }[];
}

/** The `generationConfig` of an encoded body. */
export function config(encoded: Encoded): JsonObject {
  return (encoded.body['generationConfig'] ?? {}) as JsonObject;
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

/** A question of the user. */
export const ask: Turn = { role: 'user', parts: [{ type: 'text', text: 'q' }] };

/** One call of the assistant, with state of a vendor where given. */
export const callPart = (id: string, opaque?: Opaque, name = 'look'): AssistantPart => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: '{"x":1}',
  ...(opaque !== undefined && { opaque }),
});

/** A turn of the assistant with these parts. */
export const calls = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });

/** A turn with the result of one call. */
export const result = (callId: string, text = 'ok'): Turn => ({
  role: 'user',
  parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text }], place: 'messages[2]' }],
});

/** State that another vendor made. */
export const foreign: Opaque = { provider: 'anthropic', kind: 'signature', value: 'A' };

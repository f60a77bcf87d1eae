/** Requests in the middle form, part by part, for the tests of writing chat-completions bodies. */
import type { JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatRequest, Turn, UserPart } from '../../conversation.ts';
import type { Encoded, Target } from '../../dialect.ts';
import { OPENAI_QUIRKS } from '../../laws.ts';
import { encodeRequest } from '../encode-request.ts';

/** A model of the vendor whose wire this is. */
export const OPENAI: Target = { model: 'gpt', provider: 'openai', quirks: OPENAI_QUIRKS };

/** A model of another vendor that speaks this wire. */
export const OTHER: Target = { model: 'qwen', provider: 'dashscope' };

/** A request with these fields and nothing else of note. */
function requestOf(fields: Partial<ChatRequest>): ChatRequest {
  return {
    dialect: 'anthropic-messages',
    model: 'code',
    stream: false,
    system: [],
    turns: [],
    tools: [],
    extra: {},
    ...fields,
  };
}

/** The chat-completions body for a request with these fields. */
export const encode = (fields: Partial<ChatRequest>, target: Target = OPENAI): Encoded =>
  encodeRequest(requestOf(fields), target);

/** The messages of an encoded body. */
export const messagesOf = ({ body }: Encoded): unknown => body['messages'];
export const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
export const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
export const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });

/** A call in the middle form. */
export const call = (id: string, name = 'f', args = '{}'): Extract<AssistantPart, { type: 'tool-call' }> => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: args,
});

/** The same call on the wire. */
export const wireCall = (id: string, name = 'f', args = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** The result of a call in the middle form. */
export const result = (
  callId: string,
  ...content: Extract<UserPart, { type: 'tool-result' }>['content'][number][]
): UserPart => ({
  type: 'tool-result',
  callId,
  content,
});

/** Chat-completions streams, chunk by chunk, for the tests of this dialect. */
import type { Json, JsonObject } from '@model-gateway/contracts';

/** One event of the wire. */
export const line = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
export const DONE = 'data: [DONE]\n\n';

/** A chunk of one choice. */
export const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): string =>
  line({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });

/** A chunk with a piece of one call. */
export const tool = (call: JsonObject): string => chunk({ tool_calls: [call] });

/** A call in the middle form. */
export const call = (id: string, args: string, name = 'f'): object => ({
  type: 'tool-call',
  id,
  name,
  kind: 'function',
  arguments: args,
});

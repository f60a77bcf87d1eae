import type { ToolCallPart } from '../conversation.ts';
import { objectOf, objectsOf, parseJson, wordOf } from './read.ts';

/** The internal name under which OpenAI models sometimes write several calls as one (vercel/ai#19098). */
export const PARALLEL_WRAPPER = 'multi_tool_use.parallel';

/** The calls inside a wrapper call; any other call, and a wrapper that cannot be read, as it is. */
export function expandParallelCalls(call: ToolCallPart): ToolCallPart[] {
  if (call.name !== PARALLEL_WRAPPER) return [call];
  const uses = objectsOf(objectOf(parseJson(call.arguments))?.['tool_uses']);
  const calls = uses.flatMap((use, index): ToolCallPart[] => {
    const name = wordOf(use['recipient_name'])?.replace(/^functions\./, '');
    if (name === undefined) return [];
    const parameters = use['parameters'] ?? {};
    return [
      { type: 'tool-call', id: `${call.id}_${index}`, name, kind: 'function', arguments: JSON.stringify(parameters) },
    ];
  });
  return calls.length === 0 ? [call] : calls;
}

/** Where the counts of an answer or of a chunk stand (docs/wire/openai-chat.md#answer). */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import { objectOf, objectsOf } from '../shared/read.ts';
import { readOpenAiUsage } from '../shared/usage.ts';

/** Beside the choices; of some vendors in a choice (Moonshot) or in a member of their own (Groq). */
export function readWireUsage(body: JsonObject): Usage | undefined {
  const usual = readOpenAiUsage(body['usage']);
  if (usual !== undefined) return usual;
  for (const { usage } of objectsOf(body['choices'])) {
    const found = readOpenAiUsage(usage);
    if (found !== undefined) return found;
  }
  return readOpenAiUsage(objectOf(body['x_groq'])?.['usage']);
}

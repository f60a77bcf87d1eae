/** What is kept of the input with a task. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** The neutral input as it is kept with the task: no media, but what the bill, the record and the video object need. */
export function storedInput(input: Readonly<Record<string, unknown>>, more: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of KEPT) {
    const value = input[name];
    if (typeof value === 'string') kept[name] = value.slice(0, LONGEST_TEXT);
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
  }
  for (const name of ['images', 'videos', 'audios'] as const) {
    const items = input[name];
    if (Array.isArray(items) && items.length > 0) kept[name] = items.map(note);
  }
  if (Array.isArray(input['subjects']) && input['subjects'].length > 0) kept['subjects'] = input['subjects'] as Json[];
  return { ...kept, ...more };
}

const LONGEST_TEXT = 4000;
const KEPT = [
  'shape',
  'prompt',
  'negativePrompt',
  'duration',
  'resolution',
  'ratio',
  'size',
  'seed',
  'watermark',
  'audio',
] as const;

/** A medium as a note: its role and its link, or how much of it there was. */
function note(item: Json): JsonObject {
  if (!isJsonObject(item)) return {};
  const url = textOf(item['url']) ?? '';
  const short = url.length > 2048 || /^data:/i.test(url.slice(0, 5));
  return { role: item['role'] ?? '', url: short ? `[${url.length} characters of media]` : url };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

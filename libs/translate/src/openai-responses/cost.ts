/** What a request of the Responses API may be billed for (docs/wire/openai-responses.md). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  amountOf,
  costOf,
  isGiven,
  isHourMark,
  newReading,
  objectsIn,
  readAudio,
  readImage,
  readOption,
  readReferences,
  readUntold,
  refersOutside,
  type CostReading,
  type RequestCost,
  type Unbillable,
} from '../shared/request-cost.ts';

const REFERENCES = [
  'previous_response_id',
  'conversation',
  'container',
  'file_ids',
  'context_management',
  'search_parameters',
];
/** Tools whose work is the caller's. */
const OWN_TOOLS = new Set<Json | undefined>(['function', 'custom', 'local_shell', 'apply_patch', 'namespace']);
/** Items that hold all that the model reads of them. */
const OWN_ITEMS = new Set<Json | undefined>([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'local_shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'compaction',
]);
const TEXT_PARTS = new Set<Json | undefined>(['input_text', 'output_text', 'text', 'refusal', 'summary_text']);

export function readCost(body: JsonObject): RequestCost {
  const reading = newReading();
  readReferences(reading, body, REFERENCES);
  if (isGiven(body['prompt'])) {
    // A stored prompt brings its own tools.
    refersOutside(reading, 'prompt');
    reading.runsTools = true;
    reading.searches = Infinity;
  }
  if (Array.isArray(body['input']))
    body['input'].forEach((item, index) => {
      if (isJsonObject(item)) readItem(reading, item, `input[${index}]`);
    });
  objectsIn(body['tools']).forEach((tool, index) => readTool(reading, tool, body, `tools[${index}]`));
  const { text } = body;
  reading.explained ||= isJsonObject(text) && isGiven(text['format']);
  readOption(reading, 'service_tier', body['service_tier']);
  readOption(reading, 'speed', body['speed']);
  readOption(reading, 'inference_geo', body['inference_geo']);
  reading.cachesForAnHour ||= isHourMark(body['prompt_cache_options']);
  return costOf(reading, body, [body['max_output_tokens']]);
}

function readItem(reading: CostReading, item: JsonObject, place: string): void {
  const { type } = item;
  if (type === undefined || type === 'message') {
    readParts(reading, item['content'], `${place}.content`);
    return;
  }
  if (OWN_ITEMS.has(type)) return;
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    readParts(reading, item['output'], `${place}.output`);
    return;
  }
  if (type === 'reasoning') {
    // By its id alone the vendor finds what it keeps of it.
    if (isGiven(item['id']) && !isGiven(item['encrypted_content'])) refersOutside(reading, place);
    return;
  }
  refersOutside(reading, place);
}

function readParts(reading: CostReading, parts: Json | undefined, place: string): void {
  if (!Array.isArray(parts)) return;
  parts.forEach((part, index) => {
    if (isJsonObject(part)) readPart(reading, part, `${place}[${index}]`);
  });
}

function readPart(reading: CostReading, part: JsonObject, place: string): void {
  const { type } = part;
  reading.cachesForAnHour ||= isHourMark(part['prompt_cache_breakpoint']) || isHourMark(part['cache_control']);
  if (TEXT_PARTS.has(type)) return;
  if (type === 'input_image') {
    const url = part['image_url'];
    readImage(reading, isJsonObject(url) ? url['url'] : url, place);
    return;
  }
  if (type === 'input_audio') {
    const audio = part['input_audio'] ?? part;
    readAudio(reading, isJsonObject(audio) ? audio['data'] : undefined, place);
    return;
  }
  readUntold(reading, part['file_data'], place);
}

function readTool(reading: CostReading, tool: JsonObject, body: JsonObject, place: string): void {
  reading.explained = true;
  const { type } = tool;
  if (OWN_TOOLS.has(type)) return;
  reading.runsTools = true;
  refersOutside(reading, place);
  if (typeof type !== 'string' || !/search/.test(type)) return;
  reading.searches = Math.ceil(amountOf(body['max_tool_calls'])) || Infinity;
}

/** The caps that are above what the model gives, as members to write into a forwarded body. */
export function capEdits(body: JsonObject, most: number): Map<string, string> {
  return new Map(amountOf(body['max_output_tokens']) > most ? [['max_output_tokens', String(most)]] : []);
}

/** The acknowledgement of a background response says nothing of what the answer will cost. */
export function unbillable({ background }: JsonObject): Unbillable | undefined {
  if (!isGiven(background)) return undefined;
  return {
    field: 'background',
    reason: 'asks for an answer that is fetched later, which is not possible here; leave it out, or send false',
  };
}

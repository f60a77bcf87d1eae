/** What a message may be billed for (docs/wire/anthropic-messages.md). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  amountOf,
  costOf,
  isGiven,
  isHourMark,
  newReading,
  objectsIn,
  readBudget,
  readOption,
  readReferences,
  readUntold,
  refersOutside,
  type CostReading,
  type RequestCost,
} from '../shared/request-cost.ts';

const REFERENCES = ['container', 'mcp_servers', 'diagnostics'];
/** Blocks that hold all that the model reads of them; results of hosted tools are sent back whole. */
const TEXT_BLOCK =
  /^(?:text|tool_use|thinking|redacted_thinking|server_tool_use|mcp_tool_use|tool_reference|compaction|.+_tool_result)$/;
/** Client-run tools that have dated types. */
const OWN_TOOL = /^(?:custom|bash_|text_editor_|memory_|tool_search_)/;
/** A longer context, in millions of tokens (docs/wire/anthropic-messages.md#transport). */
const LONG_CONTEXT = /^context-(\d{1,2})m-/;

export function readCost(body: JsonObject, headers: Readonly<Record<string, string>> = {}): RequestCost {
  const reading = newReading();
  readReferences(reading, body, REFERENCES);
  if (/"compact/.test(JSON.stringify(body['context_management'] ?? null))) {
    refersOutside(reading, 'context_management');
    // The history is read to be summed up, and what is left of it is read again.
    reading.runsTools = true;
  }
  readBlocks(reading, body['system'], 'system');
  objectsIn(body['messages']).forEach((message, index) =>
    readBlocks(reading, message['content'], `messages[${index}].content`),
  );
  objectsIn(body['tools']).forEach((tool, index) => readTool(reading, tool, `tools[${index}]`));
  const { thinking, output_config: output } = body;
  if (isJsonObject(thinking)) readBudget(reading, thinking['budget_tokens']);
  reading.explained ||= (isJsonObject(output) && isGiven(output['format'])) || isGiven(body['output_format']);
  reading.cachesForAnHour ||= isHourMark(body['cache_control']);
  readOption(reading, 'service_tier', body['service_tier']);
  readOption(reading, 'speed', body['speed']);
  readOption(reading, 'inference_geo', body['inference_geo']);
  readBetas(reading, headers['anthropic-beta']);
  return costOf(reading, body, [body['max_tokens']]);
}

function readBlocks(reading: CostReading, blocks: Json | undefined, place: string): void {
  if (!Array.isArray(blocks)) return;
  blocks.forEach((block, index) => {
    if (isJsonObject(block)) readBlock(reading, block, `${place}[${index}]`);
  });
}

function readBlock(reading: CostReading, block: JsonObject, place: string): void {
  const { type, source } = block;
  reading.cachesForAnHour ||= isHourMark(block['cache_control']);
  switch (type) {
    case 'image':
      reading.images++;
      if (!isJsonObject(source) || source['type'] !== 'base64') refersOutside(reading, place);
      else if (typeof source['data'] === 'string') reading.mediaCharacters += source['data'].length;
      return;
    case 'document': {
      const form = isJsonObject(source) ? source['type'] : undefined;
      if (form === 'text') return;
      if (isJsonObject(source) && form === 'content') readBlocks(reading, source['content'], `${place}.source.content`);
      else readUntold(reading, isJsonObject(source) ? source['data'] : undefined, place);
      return;
    }
    case 'tool_result':
    case 'search_result':
      readBlocks(reading, block['content'], `${place}.content`);
      return;
    default:
      if (type !== undefined && (typeof type !== 'string' || !TEXT_BLOCK.test(type))) refersOutside(reading, place);
  }
}

function readTool(reading: CostReading, tool: JsonObject, place: string): void {
  reading.explained = true;
  reading.cachesForAnHour ||= isHourMark(tool['cache_control']);
  const { type } = tool;
  if (type === undefined || type === null || (typeof type === 'string' && OWN_TOOL.test(type))) return;
  reading.runsTools = true;
  refersOutside(reading, place);
  if (typeof type !== 'string' || !type.startsWith('web_search')) return;
  reading.searches += Math.ceil(amountOf(tool['max_uses'])) || Infinity;
}

/** Any of them may have a price in a row; most change none. */
function readBetas(reading: CostReading, header: string | undefined): void {
  for (const given of (header ?? '').split(',')) {
    const value = given.trim();
    if (value === '') continue;
    const [, millions] = LONG_CONTEXT.exec(value) ?? [];
    if (millions !== undefined) reading.context = Math.max(reading.context ?? 0, Number(millions) * 1_000_000);
    reading.options.push({ name: 'anthropic-beta', value, field: 'anthropic-beta', header: 'anthropic-beta' });
  }
}

/** The cap that is above what the model gives, as a member to write into a forwarded body. */
export function capEdits(body: JsonObject, most: number): Map<string, string> {
  return new Map(amountOf(body['max_tokens']) > most ? [['max_tokens', String(most)]] : []);
}

/** What an encoder of Responses streams remembers of each open item. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { Opaque, StreamError } from '../conversation.ts';
import type { CallFields } from './output.ts';

export interface Block {
  readonly kind: 'text' | 'refusal' | 'reasoning' | 'tool';
  readonly index: number;
  readonly id: string;
  /** `"item_id":…,"output_index":…` of every event about it. */
  readonly where: string;
  texts: string[];
  length: number;
  readonly annotations: JsonObject[];
  readonly logprobs: Json[];
  /** Finished summary parts, and whether one is being written. */
  readonly summaries: string[];
  summaryOpen: boolean;
  opaque: Opaque | undefined;
  readonly call: Omit<CallFields, 'text'> | undefined;
}

export function newBlock(kind: Block['kind'], index: number, id: string, call: Block['call']): Block {
  return {
    kind,
    index,
    id,
    where: `"item_id":${JSON.stringify(id)},"output_index":${index}`,
    texts: [],
    length: 0,
    annotations: [],
    logprobs: [],
    summaries: [],
    summaryOpen: false,
    opaque: undefined,
    call,
  };
}

/** The event of a call's arguments or free text. */
export function argumentsEvent(block: Block, step: 'delta' | 'done'): string {
  return block.call?.custom === true
    ? `response.custom_tool_call_input.${step}`
    : `response.function_call_arguments.${step}`;
}

/** The codes this wire knows for a failed response (docs/wire/openai-responses.md#answer). */
export function errorCode(error: StreamError): string {
  if (error.code === 'upstream_rate_limited') return 'rate_limit_exceeded';
  if (error.code === 'content_refused' || error.code === 'invalid_request') return 'invalid_prompt';
  return 'server_error';
}

/** What a tool that the vendor or the gateway runs is announced with. */
export function begunServerItem(item: JsonObject): JsonObject {
  switch (item['type']) {
    case 'web_search_call':
      return { ...item, status: 'in_progress' };
    case 'mcp_call':
      return { ...item, status: 'in_progress', arguments: '', output: null, error: null };
    case 'mcp_list_tools':
      return { ...item, tools: [] };
    default:
      return item;
  }
}

/** The events between its announcement and its end: their names, and what they say beside where it stands. */
export function serverItemSteps(item: JsonObject): readonly (readonly [name: string, fields: string])[] {
  switch (item['type']) {
    case 'web_search_call':
      return ['in_progress', 'searching', 'completed'].map((step) => [`web_search_call.${step}`, '']);
    case 'mcp_call': {
      const text = JSON.stringify(item['arguments'] ?? '');
      return [
        ['mcp_call.in_progress', ''],
        ['mcp_call_arguments.delta', `,"delta":${text}`],
        ['mcp_call_arguments.done', `,"arguments":${text}`],
        [`mcp_call.${item['status'] === 'failed' ? 'failed' : 'completed'}`, ''],
      ];
    }
    case 'mcp_list_tools':
      return ['in_progress', 'completed'].map((step) => [`mcp_list_tools.${step}`, '']);
    default:
      return [];
  }
}

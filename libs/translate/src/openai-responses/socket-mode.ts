/** Requests and answers of OpenAI's Responses as messages of a WebSocket (docs/wire/openai-responses.md#websocket-mode). */
import { createHash } from 'node:crypto';
import { isJsonObject, setTopLevel, withoutTopLevel, type Json, type JsonObject } from '@model-gateway/contracts';
import type { SocketMode, SocketTurn } from '../dialect.ts';
import { objectOf, parseJson } from '../shared/read.ts';
import { isGiven } from '../shared/request-cost.ts';
import { historyAfter, isEnding, responseIn } from './kept.ts';

/** Members that are of HTTP alone: over a socket everything is streamed, and nothing answered in the background. */
const OF_HTTP: ReadonlySet<string> = new Set(['stream', 'background']);
/** What needs no reading tells it: most events are pieces of text. */
const MAY_END = /"type": ?"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"/;

export const socketMode: SocketMode = {
  message({ bytes, json }, known) {
    const left = withoutTopLevel(bytes, OF_HTTP);
    const edits = new Map([['type', '"response.create"']]);
    const items = known === undefined ? undefined : itemsBehind(json, known);
    if (known !== undefined && items !== undefined) {
      edits.set('input', JSON.stringify(items));
      edits.set('previous_response_id', JSON.stringify(known.id));
    }
    return { text: setTopLevel(left, edits).toString('utf8'), goesOn: items !== undefined };
  },

  endOf(text) {
    const event = MAY_END.test(text) ? objectOf(parseJson(text)) : undefined;
    return event !== undefined &&
      (isEnding(event) || event['type'] === 'response.cancelled' || event['type'] === 'error')
      ? event
      : undefined;
  },

  refusalIn(text) {
    const event = MAY_END.test(text) ? objectOf(parseJson(text)) : undefined;
    const { type, status, headers } = event ?? {};
    if (event === undefined || type !== 'error' || typeof status !== 'number' || status < 400) return undefined;
    const told = Object.entries(objectOf(headers) ?? {});
    return {
      status,
      headers: Object.fromEntries(
        told.map(([name, value]) => [name.toLowerCase(), typeof value === 'string' ? value : JSON.stringify(value)]),
      ),
      json: { error: event['error'] ?? null },
    };
  },

  remembered({ json }, end) {
    const response = responseIn(end);
    const { id } = response ?? {};
    if (response === undefined || typeof id !== 'string' || namesMore(json)) return undefined;
    if (end['type'] !== 'response.completed' && end['type'] !== 'response.incomplete') return undefined;
    const items = historyAfter(json, response);
    return { id, count: items.length, digest: digestOf(items) };
  },
};

/** Whether a request goes on from what the vendor keeps: then its input is not all that was said. */
function namesMore(json: JsonObject): boolean {
  return isGiven(json['previous_response_id']) || isGiven(json['conversation']);
}

/** What a request says beyond the turn; undefined where it does not go on from that. */
function itemsBehind(json: JsonObject, { count, digest }: SocketTurn): Json[] | undefined {
  const { input } = json;
  if (namesMore(json) || !Array.isArray(input) || input.length <= count || !input.every(isJsonObject)) return undefined;
  return digestOf(input.slice(0, count)) === digest ? input.slice(count) : undefined;
}

/** The same of items that mean the same: a text is a message of one part, and ids are nobody's business. */
function digestOf(items: readonly JsonObject[]): string {
  const hash = createHash('sha256');
  for (const { id: _id, type = 'message', status: _status, content, ...rest } of items) {
    const word = rest['role'] === 'assistant' ? 'output_text' : 'input_text';
    const parts = typeof content === 'string' ? [{ type: word, text: content }] : content;
    hash.update(JSON.stringify(sorted({ ...rest, type, ...(parts !== undefined && { content: parts }) })));
  }
  return hash.digest('base64');
}

function sorted(item: JsonObject): [string, Json][] {
  return Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
}

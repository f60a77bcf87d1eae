/** Tools of free text on wires whose tools take JSON only: one string field, `input` (docs/wire/chat-translation.md#tools). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Tool } from '../conversation.ts';
import type { DroppedList } from './dropped.ts';
import { at, objectOf, parseJson } from './read.ts';

type CustomTool = Extract<Tool, { type: 'custom' }>;

/** The schema that stands for free text. */
export const FREE_TEXT: JsonObject = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** What the model is told of a custom tool; its grammar, which cannot be enforced, is part of that and reported. */
export function describeCustom(tool: CustomTool, place: string, dropped: DroppedList): string {
  const grammar = objectOf(tool.format?.['grammar'])?.['definition'] ?? tool.format?.['definition'];
  if (tool.format !== undefined && tool.format['type'] !== 'text') {
    dropped.add(at(place, 'format'), 'tools have no grammar here; it is told in the description');
  }
  const rules = typeof grammar === 'string' ? `The input follows this grammar:\n${grammar}` : undefined;
  return [tool.description, rules].filter((text) => text !== undefined && text !== '').join('\n\n');
}

/** The free text in a call's arguments; arguments of another form are taken as the text itself. */
export function freeText(json: string): string {
  const input = objectOf(parseJson(json))?.['input'];
  return typeof input === 'string' ? input : json;
}

/** Messages between a caller and a vendor who both speak it. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { ForwardingRules } from '../dialect.ts';
import { modelEdit } from '../forwarding/forward-request.ts';
import { isThinkingOn } from '../shared/asks-for-thoughts.ts';

export const forwarding: ForwardingRules = {
  requestEdits: (body, { model }) => modelEdit(body, model),
  usageName: 'usage":',
  outputNames: ['text"', 'partial_json"', 'thinking"'],
  thinksUnseen: /"type": ?"(?:redacted_)?thinking"/,
  asksForThoughts: ({ thinking }) => isThinkingOn(thinking),
  isAnswer: ({ content }) => Array.isArray(content),
  finished: /"type": ?"message_stop"|^event: ?(?:message_stop|error)/m,
  failed: /^event: ?error|"type": ?"error"/m,
};

/** Only tools that the vendor runs itself make it pause. */
export function mayPause({ tools }: JsonObject): boolean {
  if (!Array.isArray(tools)) return false;
  return tools.some((tool) => isJsonObject(tool) && typeof tool['type'] === 'string' && tool['type'] !== 'custom');
}

/**
 * Grouped tools (`namespace`) under names of their own: other wires have no groups, so each tool in one is known by one flat name
 * (docs/wire/chat-translation.md#tools). Calls are shown to the caller by group and name again.
 */
import type { Json } from '@model-gateway/contracts';
import type { ChatRequest, ToolGroup } from '../conversation.ts';
import { objectsOf, wordOf } from '../shared/read.ts';

export interface GroupNames {
  /** The flat name of a tool, the same for the same two words; without a namespace the name itself. */
  nameOf(name: string, namespace: string | undefined): { readonly name: string; readonly group: ToolGroup | undefined };
}

/** Names that are told apart from those of the tools outside groups, and from each other. */
export function createGroupNames(tools: Json | undefined): GroupNames {
  const taken = new Set(
    objectsOf(tools).flatMap((tool) => (tool['type'] === 'namespace' ? [] : (wordOf(tool['name']) ?? []))),
  );
  const flat = new Map<string, string>();
  return {
    nameOf(name, namespace) {
      if (namespace === undefined || namespace === '') return { name, group: undefined };
      const group = { namespace, name };
      const key = JSON.stringify([namespace, name]);
      const known = flat.get(key);
      if (known !== undefined) return { name: known, group };
      const stem = `${namespace}__${name}`;
      let chosen = stem;
      for (let round = 2; taken.has(chosen); round += 1) chosen = `${stem}_${round}`;
      taken.add(chosen);
      flat.set(key, chosen);
      return { name: chosen, group };
    },
  };
}

/** How a call of the tool is shown to the caller. */
export function callName(
  request: Pick<ChatRequest, 'tools'>,
  name: string,
): { readonly name: string; readonly namespace?: string } {
  for (const tool of request.tools) {
    if ((tool.type === 'function' || tool.type === 'custom') && tool.name === name && tool.group !== undefined) {
      return { namespace: tool.group.namespace, name: tool.group.name };
    }
  }
  return { name };
}

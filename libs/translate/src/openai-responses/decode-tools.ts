/** Tools and their choice of a Responses request (docs/wire/openai-responses.md#request-fields, docs/wire/chat-translation.md#tools). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { GroupMember, Tool, ToolChoice } from '../conversation.ts';
import { readParameters, readWebSearch } from '../shared/openai-words.ts';
import {
  at,
  invalid,
  optional,
  present,
  readArray,
  readBoolean,
  readName,
  readObject,
  readString,
  readWord,
} from '../shared/read.ts';
import type { GroupNames } from './group-names.ts';

const SPOKEN_FUNCTION: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const SPOKEN_SEARCH: ReadonlySet<string> = new Set(['type', 'search_context_size', 'user_location', 'filters']);

interface ToolReading {
  /** Places of fields that the middle form has no word for. */
  readonly nested: string[];
  readonly groups: GroupNames;
}

/** Groups are opened: each tool in one stands for itself, under a flat name. */
export function decodeTools(tools: readonly Json[], reading: ToolReading): Tool[] {
  return tools.flatMap((item, index): Tool[] => {
    const place = at('tools', index);
    const tool = readObject(item, place);
    const type = readName(tool['type'] ?? 'function', at(place, 'type'));
    if (type === 'namespace') return decodeGroup(tool, place, reading);
    const own = decodeOwnTool(tool, type, { place, reading });
    if (own !== undefined) return [own];
    if (type.startsWith('web_search')) {
      unspoken(tool, SPOKEN_SEARCH, place, reading.nested);
      return [readWebSearch(tool, place)];
    }
    return [{ type: 'hosted', provider: 'openai', name: type, raw: tool, place }];
  });
}

/** The model is told of the group with its first tool: there is no other place for it. */
function decodeGroup(raw: JsonObject, place: string, reading: ToolReading): Tool[] {
  const namespace = readName(raw['name'], at(place, 'name'));
  const about = optional(raw, 'description', readString, place) ?? '';
  return readArray(raw['tools'], at(place, 'tools')).map((item, index): Tool => {
    const where = at(at(place, 'tools'), index);
    const tool = readObject(item, where);
    const type = readName(tool['type'] ?? 'function', at(where, 'type'));
    const own = decodeOwnTool(tool, type, { place: where, reading, within: { namespace, raw } });
    if (own === undefined) throw invalid(at(where, 'type'), 'must be "function" or "custom" in a namespace');
    if (index > 0 || about === '' || (own.type !== 'function' && own.type !== 'custom')) return own;
    const told = `${namespace}: ${about}`;
    return { ...own, description: own.description === undefined ? told : `${told}\n\n${own.description}` };
  });
}

interface ToolSituation {
  readonly place: string;
  readonly reading: ToolReading;
  readonly within?: Pick<GroupMember, 'namespace' | 'raw'>;
}

/** A tool of the caller's own; undefined for those that a vendor runs. */
function decodeOwnTool(tool: JsonObject, type: string, { place, reading, within }: ToolSituation): Tool | undefined {
  if (type !== 'function' && type !== 'custom') return undefined;
  const { name, group } = reading.groups.nameOf(readName(tool['name'], at(place, 'name')), within?.namespace);
  const common = {
    name,
    description: optional(tool, 'description', readString, place),
    group: group === undefined || within === undefined ? undefined : { ...group, raw: within.raw },
    place,
  };
  if (type === 'custom') {
    return present({ type: 'custom' as const, ...common, format: optional(tool, 'format', readObject, place) });
  }
  unspoken(tool, SPOKEN_FUNCTION, place, reading.nested);
  return present({
    type: 'function' as const,
    ...common,
    parameters: readParameters(tool, 'parameters', place),
    strict: optional(tool, 'strict', readBoolean, place),
  });
}

/** Notes the fields of an object that the middle form has no word for. */
export function unspoken(object: JsonObject, spoken: ReadonlySet<string>, place: string, nested: string[]): void {
  for (const [key, value] of Object.entries(object))
    if (!spoken.has(key) && value !== null) nested.push(at(place, key));
}

const CHOICES = ['auto', 'none', 'required'] as const;

/** `hosted`: the choice is of a tool that a vendor runs. */
export function decodeToolChoice(
  value: Json | undefined,
  groups: GroupNames,
  tools: readonly Tool[],
): ToolChoice | 'hosted' | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { type: readWord(value, CHOICES, 'tool_choice') };
  const choice = readObject(value, 'tool_choice');
  const type = readName(choice['type'], 'tool_choice.type');
  if (type === 'function' || type === 'custom') {
    return { type: 'tool', name: chosenName(choice, 'tool_choice', { groups, tools }) };
  }
  if (type === 'namespace')
    return { type: 'subset', mode: 'required', names: namesOfGroup(choice, 'tool_choice', tools) };
  if (type !== 'allowed_tools') return 'hosted';
  const names: string[] = [];
  for (const [index, item] of readArray(choice['tools'], 'tool_choice.tools').entries()) {
    const place = at('tool_choice.tools', index);
    const tool = readObject(item, place);
    if (tool['type'] === 'namespace') names.push(...namesOfGroup(tool, place, tools));
    else if (tool['type'] !== 'function' && tool['type'] !== 'custom') return 'hosted';
    else names.push(chosenName(tool, place, { groups, tools }));
  }
  return { type: 'subset', mode: readWord(choice['mode'], ['auto', 'required'], 'tool_choice.mode'), names };
}

interface Choosable {
  readonly groups: GroupNames;
  readonly tools: readonly Tool[];
}

function chosenName(choice: JsonObject, place: string, { groups, tools }: Choosable): string {
  const namespace = optional(choice, 'namespace', readString, place);
  const own = readName(choice['name'], at(place, 'name'));
  const { name } = groups.nameOf(own, namespace);
  if (namespace !== undefined && tools.length > 0 && !tools.some((tool) => 'name' in tool && tool.name === name)) {
    const tool = `${JSON.stringify(own)} of the namespace ${JSON.stringify(namespace)}`;
    throw invalid(place, `names the tool ${tool}, which is not among tools`);
  }
  return name;
}

function namesOfGroup(choice: JsonObject, place: string, tools: readonly Tool[]): string[] {
  const namespace = readName(choice['name'], at(place, 'name'));
  const names = tools.flatMap((tool) =>
    (tool.type === 'function' || tool.type === 'custom') && tool.group?.namespace === namespace ? [tool.name] : [],
  );
  if (names.length > 0) return names;
  throw invalid(at(place, 'name'), `names the namespace ${JSON.stringify(namespace)}, which is not among tools`);
}

/**
 * Responses input items to turns (docs/wire/openai-responses.md#input-items, docs/wire/chat-translation.md#content-parts,
 * #tool-calls-and-results, #reasoning-state).
 */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ReasoningPart,
  ServerToolPart,
  TextPart,
  ToolResultPart,
  Turn,
  Unportable,
} from '../conversation.ts';
import { readOpaque } from '../shared/opaque-envelope.ts';
import {
  at,
  invalid,
  objectOf,
  objectsOf,
  optional,
  present,
  readArray,
  readName,
  readObject,
  readString,
  textOf,
  wordOf,
} from '../shared/read.ts';
import { decodeAssistantContent, decodeResultContent, decodeTexts, decodeUserContent } from './decode-content.ts';
import type { GroupNames } from './group-names.ts';

export interface Items {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
  /** References into the vendor's memory that nobody else can follow. */
  readonly unportable: readonly Unportable[];
}

/** `instructions` and leading system items are instructions; neighbouring items of the model are one turn. */
export function decodeInput(instructions: string | undefined, input: Json | undefined, groups: GroupNames): Items {
  const reader = new ItemReader(groups);
  if (instructions !== undefined) reader.system.push({ type: 'text', text: instructions, place: 'instructions' });
  if (typeof input === 'string') {
    reader.turns.push({ role: 'user', parts: [{ type: 'text', text: input, place: 'input' }], place: 'input' });
  } else if (input !== undefined && input !== null) {
    readArray(input, 'input').forEach((item, index) => {
      reader.read(readObject(item, at('input', index)), at('input', index));
    });
  }
  reader.settle();
  return reader;
}

/** What the caller's own machine did for a tool that only OpenAI's models know. */
const CALLERS_RESULTS: ReadonlySet<string> = new Set([
  'computer_call_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'mcp_approval_response',
]);
const NOT_READABLE =
  'is the result of a tool that only OpenAI’s models know, so this model cannot read it; declare the tool as a function and send a function_call_output';

class ItemReader implements Items {
  readonly system: TextPart[] = [];
  readonly turns: Turn[] = [];
  readonly unportable: Unportable[] = [];
  readonly #names = new Map<string, string>();
  /** A signature without reasoning that belongs to the item after it (Gemini's, docs/wire/chat-translation.md#reasoning-state). */
  #rider: ReasoningPart | undefined;
  readonly #groups: GroupNames;
  /** The parts of the turn that items join, and whether text is among them. */
  #joined: AssistantPart[] = [];
  #joinedSpoke = false;

  constructor(groups: GroupNames) {
    this.#groups = groups;
  }

  read(item: JsonObject, place: string): void {
    const type = optional(item, 'type', readName, place) ?? (item['role'] === undefined ? undefined : 'message');
    switch (type) {
      case undefined:
        throw invalid(place, 'must have a type, or a role if it is a message');
      case 'message':
        this.#message(item, place);
        return;
      case 'reasoning':
        this.#reasoning(item, place);
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.#call(item, type, place);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.settle();
        this.turns.push({ role: 'user', parts: [this.#output(item, place)], place });
        return;
      case 'item_reference':
        this.unportable.push({
          field: place,
          reason: 'refers to an item kept by OpenAI; send the item itself (SDKs: store: false)',
        });
        this.#assistant([serverTool(item, type, place)], place);
        return;
      case 'compaction':
        this.unportable.push({ field: place, reason: 'is a history only OpenAI can read; send the items themselves' });
        this.#assistant([serverTool(item, type, place)], place);
        return;
      default:
        this.settle();
        if (CALLERS_RESULTS.has(type)) this.unportable.push({ field: place, reason: NOT_READABLE });
        this.#assistant([serverTool(item, type, place)], place);
    }
  }

  /** A signature that nothing followed is reasoning of its own. */
  settle(): void {
    const rider = this.#rider;
    this.#rider = undefined;
    if (rider !== undefined) this.#assistant([rider], rider.place ?? 'input');
  }

  /** The parts of a message, the first signed by what stands ahead of it. */
  #signed(parts: readonly AssistantPart[]): readonly AssistantPart[] {
    const [first, ...others] = parts;
    const opaque = this.#rider?.opaque;
    if (first?.type !== 'text' || opaque === undefined) {
      this.settle();
      return parts;
    }
    this.#rider = undefined;
    return [{ ...first, opaque }, ...others];
  }

  /** Puts the signature on the text before it; false when there is none. */
  #signText(rider: ReasoningPart): boolean {
    const turn = this.turns.at(-1);
    if (turn?.role !== 'assistant') return false;
    const parts = signedText(turn.parts, rider);
    if (parts === undefined) return false;
    this.turns[this.turns.length - 1] = { ...turn, parts };
    return true;
  }

  /** Items of the model join its turn; a message of another phase than the turn's begins a new one. */
  #assistant(parts: readonly AssistantPart[], place: string, message?: { readonly phase: string | undefined }): void {
    const last = this.turns.at(-1);
    const turn = last?.role === 'assistant' ? last : undefined;
    const spoke = turn !== undefined && this.#spoke(turn.parts);
    const joins = turn !== undefined && (message === undefined || !spoke || turn.phase === message.phase);
    const phase = joins && (spoke || message === undefined) ? turn.phase : message?.phase;
    const said = phase === undefined ? {} : { phase };
    if (!joins) {
      this.turns.push({ role: 'assistant', parts, ...said, place });
      return;
    }
    // A turn may have tens of thousands of items: its parts are copied when the first one joins.
    if (turn.parts !== this.#joined) {
      this.#joined = [...turn.parts];
      this.#joinedSpoke = spoke;
    }
    for (const part of parts) {
      this.#joined.push(part);
      this.#joinedSpoke ||= isSpoken(part);
    }
    this.turns[this.turns.length - 1] = { ...turn, parts: this.#joined, ...said };
  }

  #spoke(parts: readonly AssistantPart[]): boolean {
    return parts === this.#joined ? this.#joinedSpoke : parts.some(isSpoken);
  }

  #message(item: JsonObject, place: string): void {
    const role = readName(item['role'], at(place, 'role'));
    const where = at(place, 'content');
    switch (role) {
      case 'assistant': {
        const parts = decodeAssistantContent(item['content'], where);
        if (parts.length === 0) return;
        this.#assistant(this.#signed(parts), place, { phase: optional(item, 'phase', readString, place) });
        return;
      }
      case 'system':
      case 'developer': {
        this.settle();
        const parts = decodeTexts(item['content'], where);
        if (this.turns.length === 0) this.system.push(...parts);
        else this.turns.push({ role: 'system', parts, place });
        return;
      }
      case 'user':
        this.settle();
        this.turns.push({ role: 'user', parts: decodeUserContent(item['content'], where), place });
        return;
      default:
        throw invalid(
          at(place, 'role'),
          `must be one of system, developer, user, assistant, not ${JSON.stringify(role.slice(0, 80))}`,
        );
    }
  }

  #reasoning(item: JsonObject, place: string): void {
    this.settle();
    const part = readReasoningItem(item);
    const rides = ridesOn(part);
    if (rides === 'next') this.#rider = { ...part, place };
    else if (rides !== 'before' || !this.#signText(part)) this.#assistant([{ ...part, place }], place);
  }

  #call(item: JsonObject, type: 'function_call' | 'custom_tool_call', place: string): void {
    const custom = type === 'custom_tool_call';
    const id = readName(item['call_id'], at(place, 'call_id'));
    const called = readName(item['name'], at(place, 'name'));
    const namespace = optional(item, 'namespace', readString, place);
    const { name, group } = this.#groups.nameOf(called, namespace);
    this.#names.set(id, name);
    const field = custom ? 'input' : 'arguments';
    const rider = this.#rider;
    this.#rider = undefined;
    this.#assistant(
      [
        present({
          type: 'tool-call' as const,
          id,
          name,
          kind: custom ? ('custom' as const) : ('function' as const),
          arguments: optional(item, field, readString, place) ?? '',
          group,
          itemId: wordOf(item['id']),
          opaque: rider?.opaque,
          place,
        }),
      ],
      place,
    );
  }

  #output(item: JsonObject, place: string): ToolResultPart {
    const callId = readName(item['call_id'], at(place, 'call_id'));
    const output = item['output'];
    const where = at(place, 'output');
    const content = output === undefined || output === null || output === '' ? [] : decodeResultContent(output, where);
    return present({ type: 'tool-result' as const, callId, name: this.#names.get(callId), content, place });
  }
}

/** What an item is. xAI tells steps of its own search as calls of custom tools: nobody waits for their results. */
export function typeOfItem(item: JsonObject): string {
  const type = textOf(item['type']) ?? '';
  const isOwn = type === 'custom_tool_call' && textOf(item['call_id'])?.startsWith('xs_call_') === true;
  return isOwn ? 'x_search_call' : type;
}

/** Any item of a hosted tool, kept whole for the vendor that knows it. */
export function serverTool(item: JsonObject, type: string, place?: string): ServerToolPart {
  const search = type === 'web_search_call';
  const name = search ? 'web_search' : type.replace(/_(call|call_output)$/, '');
  return present({
    type: 'server-tool' as const,
    provider: 'openai',
    name,
    phase: type.endsWith('_output') ? ('result' as const) : ('call' as const),
    id: wordOf(item['id']),
    query: search ? wordOf(objectOf(item['action'])?.['query']) : undefined,
    raw: item,
    place,
  });
}

/** The item id that says: this state is of the text before it. Written by earlier versions; their histories come back. */
const OF_TEXT = 'msg';

/**
 * What an item without reasoning signs: Google's signatures are of calls and texts, which have no place for them here, so each
 * travels in a reasoning item of its own, ahead of what it signs (docs/wire/chat-translation.md#reasoning-state).
 */
export function ridesOn({ text, opaque }: ReasoningPart): 'next' | 'before' | undefined {
  if (text !== '' || opaque === undefined) return undefined;
  if (opaque.itemId === OF_TEXT) return 'before';
  return opaque.provider === 'gemini' && opaque.kind === 'signature' ? 'next' : undefined;
}

/** The parts with the signature on the last of them; undefined when that is no text. */
function signedText(parts: readonly AssistantPart[], { opaque }: ReasoningPart): AssistantPart[] | undefined {
  const last = parts.at(-1);
  if (last?.type !== 'text' || last.opaque !== undefined || opaque === undefined) return undefined;
  const { provider, model, kind, value } = opaque;
  return [...parts.slice(0, -1), { ...last, opaque: present({ provider, model, kind, value }) }];
}

/** Summary parts, else the raw reasoning; the opaque state is the item's `encrypted_content`. */
export function readReasoningItem(item: JsonObject): ReasoningPart {
  const itemId = wordOf(item['id']);
  const summaries = objectsOf(item['summary']).map((part) => textOf(part['text']) ?? '');
  const raw = objectsOf(item['content']).map((part) => textOf(part['text']) ?? '');
  const texts = summaries.some((text) => text !== '') ? summaries : raw;
  const opaque = readOpaque(textOf(item['encrypted_content']), {
    provider: 'openai',
    kind: 'encrypted',
    ...(itemId !== undefined && { itemId }),
  });
  return {
    type: 'reasoning',
    text: texts.join('\n\n'),
    ...(texts.length > 1 && texts === summaries && { summaries }),
    ...(opaque !== undefined && { opaque }),
  };
}

function isSpoken({ type }: AssistantPart): boolean {
  return type === 'text' || type === 'refusal';
}

/** What a conversation's requests begin with, so that they can be sent to the account whose prompt cache has it. */
import { isJsonObject, type Json } from '@model-gateway/contracts';

/** What stays from one request of a conversation to the next, as its wire has it. */
export interface PrefixParts {
  /** What the caller says itself that such requests share: nothing else counts then. */
  readonly key?: Json | undefined;
  /** Before the conversation: tools, and what the model is told to be. */
  readonly head: readonly (Json | undefined)[];
  /** The first thing that is said in it. */
  readonly first: Json | undefined;
  /** A member of any depth that comes and goes as the conversation grows. */
  readonly passing?: string;
}

/** Vendors keep prefixes of about a thousand tokens and more: what is this long says by itself which requests belong together. */
const LONG_HEAD = 4_096;
/** Characters that count, of head and first message each. */
const MOST = 16_384;

/** A text that is the same for all requests of a conversation, and for all that share a long head; of bounded length. */
export function prefixText({ key, head, first, passing }: PrefixParts): string {
  if (typeof key === 'string' && key !== '') return `key ${key.slice(0, MOST)}`;
  const text = head.reduce<string>((all, part) => written(part, { before: all, most: MOST, passing }), '');
  return text.length >= LONG_HEAD ? text : written(first, { before: text, most: text.length + MOST, passing });
}

interface Writing {
  readonly before: string;
  readonly most: number;
  readonly passing: string | undefined;
}

/** The texts of a value behind those that there are, cut where they are long enough: a medium of megabytes is not read to its end. */
function written(value: Json | undefined, { before, most, passing }: Writing): string {
  if (value === undefined || value === null || before.length >= most) return before;
  if (typeof value !== 'object') return `${before}\n${String(value).slice(0, most - before.length)}`;
  const members: Iterable<readonly [string, Json | undefined]> = Array.isArray(value)
    ? value.map((each) => ['', each])
    : Object.entries(value);
  let text = before;
  for (const [name, each] of members) {
    if (text.length >= most) break;
    if (name !== passing) text = written(each, { before: `${text}\n${name}`, most, passing });
  }
  return text;
}

/** Messages of a wire that has the model's orders among them: those at the beginning, and the first other one. */
export function leading(messages: Json | undefined, isOrder: (role: Json | undefined) => boolean) {
  const list = Array.isArray(messages) ? messages : [messages];
  const end = list.findIndex((each) => !isJsonObject(each) || !isOrder(each['role']));
  return end < 0 ? { orders: list, first: undefined } : { orders: list.slice(0, end), first: list[end] };
}

/** The roles by which OpenAI's wires give orders. */
export function isOpenAiOrder(role: Json | undefined): boolean {
  return role === 'system' || role === 'developer';
}

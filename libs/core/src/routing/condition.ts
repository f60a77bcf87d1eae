/** Which requests a route is for: a conjunction of small tests, each a list of which one must be met. */
import { matches } from '../keys/pattern.ts';

/** What a request may bring beside text. */
export const REQUEST_INPUTS = ['image', 'audio', 'video', 'document', 'tools'] as const;
export type RequestInput = (typeof REQUEST_INPUTS)[number];

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A part of the week, by the clock of a time zone. */
export interface TimeWindow {
  /** Minutes since midnight, from and until (exclusive); one that ends before it begins goes over midnight. Absent: the whole day. */
  readonly minutes?: readonly [number, number];
  /** Of the moment at which the window began; absent: all. */
  readonly days?: readonly Weekday[];
  /** A name of the IANA's table. */
  readonly zone: string;
}

/** Every member that is there must be met. */
export interface Condition {
  /** Names of keys, `*` for any text. */
  readonly keys?: readonly string[];
  readonly groups?: readonly string[];
  /** By tag: the values of which the request has one, `*` for any text. */
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  /** Of the input, estimated: `from` and more, less than `below`. */
  readonly inputTokens?: { readonly from?: number; readonly below?: number };
  /** One of them comes with the request. */
  readonly inputs?: readonly RequestInput[];
  /** `server.region` of the process that has the request. */
  readonly regions?: readonly string[];
  readonly time?: TimeWindow;
}

/** What is known of a request before it is routed. What takes time to find out is found out when a condition asks for it. */
export interface RequestFacts {
  readonly key: string;
  readonly group: string;
  readonly region: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tags: () => Readonly<Record<string, string>>;
  readonly inputTokens: () => number;
  readonly inputs: () => ReadonlySet<RequestInput>;
  /** What it has in common with others of its key that begin alike; absent where nothing is known of that. */
  readonly prefix?: () => string;
}

/** The first test that a request does not meet, in words; undefined when it meets all. */
export function unmet(condition: Condition, facts: RequestFacts): string | undefined {
  const { keys, groups, tags, inputTokens, inputs, regions, time } = condition;
  if (groups !== undefined && !groups.includes(facts.group)) return `the group ${facts.group} is not ${anyOf(groups)}`;
  if (keys !== undefined && !keys.some((pattern) => matches(pattern, facts.key)))
    return `the key ${facts.key === '' ? '(none)' : facts.key} is not ${anyOf(keys)}`;
  if (regions !== undefined && (facts.region === undefined || !regions.includes(facts.region)))
    return `the region ${facts.region ?? '(none)'} is not ${anyOf(regions)}`;
  if (time !== undefined && !isWithin(time, facts.at)) return `it is not ${timeWords(time)}`;
  const wrongTag = tags === undefined ? undefined : unmetTag(tags, facts.tags());
  if (wrongTag !== undefined) return wrongTag;
  if (inputs !== undefined) {
    const found = facts.inputs();
    if (!inputs.some((input) => found.has(input))) return `it brings no ${inputs.join(', no ')}`;
  }
  if (inputTokens === undefined) return undefined;
  const { from = 0, below = Infinity } = inputTokens;
  const count = facts.inputTokens();
  return count >= from && count < below ? undefined : `about ${count} tokens are not ${sizeWords(inputTokens)}`;
}

function unmetTag(
  wanted: Readonly<Record<string, readonly string[]>>,
  tags: Readonly<Record<string, string>>,
): string | undefined {
  for (const [name, values] of Object.entries(wanted)) {
    const value = Object.hasOwn(tags, name) ? tags[name] : undefined;
    if (value === undefined) return `it has no tag ${name}`;
    if (!values.some((pattern) => matches(pattern, value))) return `the tag ${name} is not ${anyOf(values)}`;
  }
  return undefined;
}

/** The condition as one sentence without its head: `the group is free and it brings an image`. */
export function conditionWords(condition: Condition): string {
  const { keys, groups, tags, inputTokens, inputs, regions, time } = condition;
  return [
    ...(groups === undefined ? [] : [`the group is ${anyOf(groups)}`]),
    ...(keys === undefined ? [] : [`the key is ${anyOf(keys)}`]),
    ...(regions === undefined ? [] : [`the region is ${anyOf(regions)}`]),
    ...Object.entries(tags ?? {}).map(([name, values]) => `the tag ${name} is ${anyOf(values)}`),
    ...(inputs === undefined ? [] : [`it brings ${anyOf(inputs)}`]),
    ...(inputTokens === undefined ? [] : [`the input has ${sizeWords(inputTokens)}`]),
    ...(time === undefined ? [] : [`it is ${timeWords(time)}`]),
  ].join(' and ');
}

function anyOf(words: readonly string[]): string {
  return words.join(' or ');
}

function sizeWords({ from, below }: NonNullable<Condition['inputTokens']>): string {
  if (from === undefined) return `less than ${below} tokens`;
  return below === undefined ? `${from} tokens or more` : `${from} to less than ${below} tokens`;
}

function timeWords({ minutes, days, zone }: TimeWindow): string {
  const hours = minutes === undefined ? [] : [`${clock(minutes[0])}-${clock(minutes[1])}`];
  return [...(days === undefined ? [] : [days.join('/')]), ...hours, zone].join(' ');
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function isWithin({ minutes, days, zone }: TimeWindow, at: number): boolean {
  let format = clocks.get(zone);
  if (format === undefined) {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clocks.set(zone, (format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: zone })));
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const now = Number(parts['hour']) * 60 + Number(parts['minute']);
  const today = WEEKDAYS.indexOf((parts['weekday'] ?? '').toLowerCase() as Weekday);
  const [from, until] = minutes ?? [0, 24 * 60];
  const isOver = until <= from;
  const hasBegunYesterday = isOver && now < until;
  if (isOver ? now < from && !hasBegunYesterday : now < from || now >= until) return false;
  const began = WEEKDAYS[(today + (hasBegunYesterday ? 6 : 0)) % 7];
  return days === undefined || (began !== undefined && days.includes(began));
}

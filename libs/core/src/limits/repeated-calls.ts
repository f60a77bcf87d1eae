/**
 * Loops of agents: the same tool calls with the same results again and again, told by the conversation itself, and the same request, which has
 * been answered before. Only runs whose key limits them are looked at, and whatever differs between two repetitions ends a loop.
 */
import { webcrypto } from 'node:crypto';
import { isJsonObject, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  dialects,
  type ChatRequest,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '@model-gateway/translate';

/** Steps that a loop may have: one that reads, edits and reads again has two. */
const MOST_STEPS = 4;
const MOST_NAMED = 4;
const LONGEST_NAME = 64;

/** A chat as it came. */
export interface ChatInRun {
  readonly dialect: DialectName;
  /** Where it was sent: some wires name the model there. */
  readonly path: string;
  readonly body: JsonObject;
  readonly bytes: Buffer | undefined;
}

export interface Repetition {
  /** The tools of one round. */
  readonly tools: readonly string[];
  readonly times: number;
}

/** What the end of a chat's conversation repeats more often than it may. A body that cannot be read repeats nothing: its vendor tells what is wrong. */
export function repetitionIn({ dialect, body }: ChatInRun, most: number): Repetition | undefined {
  let request: ChatRequest;
  try {
    request = dialects[dialect].decodeRequest(body, { model: '', stream: false });
  } catch {
    return undefined;
  }
  const steps = newestSteps(request.turns);
  for (let length = 1; length <= MOST_STEPS && steps.length > length * most; length++) {
    const differs = steps.findIndex((step, at) => at >= length && step.text !== steps[at - length]?.text);
    const times = Math.floor((differs < 0 ? steps.length : differs) / length);
    if (times > most) return { times, tools: toolsOf(steps.slice(0, length)) };
  }
  return undefined;
}

/** Words for the model that is in the loop. */
export function repetitionWords({ tools, times }: Repetition): string {
  const named = tools.slice(0, MOST_NAMED).map((name) => `\`${name.slice(0, LONGEST_NAME)}\``);
  const more = tools.length > MOST_NAMED ? ', …' : '';
  return tools.length === 1
    ? `The same call of ${named.join('')} was made ${times} times with the same arguments and the same result.`
    : `The same calls of ${named.join(', ')}${more} were made ${times} times with the same arguments and the same results.`;
}

/** Equal for requests that came with the same bytes; the process goes on while large ones are read. */
export async function digestOf({ path, bytes }: ChatInRun): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  const digest = await webcrypto.subtle.digest('SHA-256', bytes);
  return `${Buffer.from(digest).toString('base64url')} ${path.slice(0, 300)}`;
}

/** Calls of the model in one go, and all that came back before it spoke again. */
class Step {
  readonly calls: readonly ToolCallPart[];
  private readonly back: readonly Turn[];
  private written: string | undefined;

  constructor(calls: readonly ToolCallPart[], back: readonly Turn[]) {
    this.calls = calls;
    this.back = back;
  }

  /** Whether there is something to repeat: calls whose results are all there. */
  get isWhole(): boolean {
    const answered = new Set(
      this.back.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []))),
    );
    return this.calls.length > 0 && this.calls.every(({ id }) => answered.has(id));
  }

  /** Equal for steps that did the same and learned the same: ids, cache marks and what the model said beside its calls are left out. */
  get text(): string {
    return (this.written ??= this.write());
  }

  private write(): string {
    const placeOf = new Map(this.calls.map(({ id }, place) => [id, place]));
    return JSON.stringify([
      this.calls.map(({ name, kind, arguments: given }) => [name, kind === 'custom' ? given : inOrder(given)]),
      this.back.flatMap(({ role, parts }) =>
        parts.map((part) =>
          part.type === 'tool-result' ? plainResult(part, placeOf.get(part.callId)) : [role, bare(part)],
        ),
      ),
    ]);
  }
}

function plainResult({ content, data, isError }: ToolResultPart, call: number | undefined): unknown {
  return [call ?? -1, content.map(bare), data === undefined ? null : sorted(data), isError === true];
}

/** The steps at the end of a conversation, newest first, up to a turn of the model without calls or a call without a result. */
function newestSteps(turns: readonly Turn[]): readonly Step[] {
  const steps: Step[] = [];
  let back: Turn[] = [];
  let calls: ToolCallPart[][] = [];
  for (let at = turns.length - 1; at >= 0; at--) {
    const turn = turns[at];
    if (turn?.role === 'assistant') calls.push(turn.parts.filter((part) => part.type === 'tool-call'));
    else if (turn !== undefined) back.push(turn);
    // The model's part of the step may be several turns.
    if (turn?.role !== 'assistant' || turns[at - 1]?.role === 'assistant') continue;
    const step = new Step(calls.toReversed().flat(), back.toReversed());
    if (!step.isWhole) break;
    steps.push(step);
    back = [];
    calls = [];
  }
  return steps;
}

type Part = Turn['parts'][number];

function toolsOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.toReversed().flatMap(({ calls }) => calls.map(({ name }) => name)))];
}

/** Clients move cache marks to the end of a conversation with each request. */
function bare({ cache: _cache, opaque: _opaque, place: _place, ...part }: Part): unknown {
  return part;
}

/** Arguments with their members in order; as they are if they are no JSON. */
function inOrder(given: string): string {
  if (given.trim() === '') return '{}';
  try {
    return JSON.stringify(sorted(JSON.parse(given) as Json));
  } catch {
    return given;
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [name, sorted(member)]);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

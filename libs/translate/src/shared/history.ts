/** Tool calls and their results, brought next to each other the way strict wires want them (docs/wire/chat-translation.md#tool-calls-and-results). */
import type { DialectName } from '@model-gateway/contracts';
import type {
  AudioPart,
  ChatRequest,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../conversation.ts';
import type { DroppedList } from './dropped.ts';
import { invalid } from './read.ts';

/** A request of instructions alone, for wires that answer only what a user says: the instructions are what is said. */
export function withSomethingSaid(request: ChatRequest, wire: DialectName): ChatRequest {
  const { system, turns, dialect } = request;
  if (dialect === wire || turns.length > 0 || system.length === 0) return request;
  return { ...request, system: [], turns: [{ role: 'user', parts: system }] };
}

/** Spoken words of an earlier answer for whoever cannot hear them: its transcript; throws where only the id of the sound is there. */
export function wordsOfAudio({ transcript, source, place }: AudioPart): string {
  if (transcript !== undefined) return transcript;
  if (source.type !== 'file') return '';
  throw invalid(
    place ?? 'messages',
    `is sound kept at ${source.provider}, which this model cannot hear; send its words as text`,
  );
}

/** Names citations of documents in an earlier answer: by page or character they mean something to the vendor that made them alone. */
export function noteCitations({ citations, place }: Pick<TextPart, 'citations' | 'place'>, dropped: DroppedList): void {
  if (citations?.some(({ url }) => url === undefined) === true)
    dropped.add(`${place ?? 'messages'}.citations`, 'citations of documents have no place here; their text is sent');
}

/** What stands in for a result that the history lost. */
export const LOST_RESULT = 'No result was recorded for this call.';

interface Call {
  readonly part: ToolCallPart;
  result?: ToolResultPart;
}

/** Neighbouring turns of the same role as one, for wires that want them alternating. */
export function mergeTurns(turns: readonly Turn[], roles: readonly Turn['role'][] = ['user', 'assistant']): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role !== turn.role || !roles.includes(turn.role)) merged.push(turn);
    else merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] } as Turn;
  }
  return merged;
}

/**
 * The turns with every call's result in the user turn right after the call, in the order of the calls and before anything else
 * of that turn; assistant neighbours are merged first. A lost result is replaced by one that says so; a result that answers no
 * open call is the caller's mistake and throws, naming its place. Ids may be used again in later turns: a result answers the
 * latest open call of its id.
 */
export function settleToolResults(turns: readonly Turn[]): Turn[] {
  const merged = mergeTurns(turns, ['assistant']);
  const calls = merged.map((turn): Call[] =>
    turn.role === 'assistant' ? turn.parts.filter((part) => part.type === 'tool-call').map((part) => ({ part })) : [],
  );
  const rest = merged.map((turn, index) =>
    turn.role === 'user' ? withoutResults(turn.parts, calls.slice(0, index)) : [],
  );
  const settled: Turn[] = [];
  let results: ToolResultPart[] = [];
  merged.forEach((turn, index) => {
    if (turn.role === 'user') {
      const parts = [...results, ...(rest[index] ?? [])];
      // A turn that held nothing but results answered elsewhere disappears with them; one that was empty stays.
      if (parts.length > 0 || turn.parts.length === 0) settled.push({ ...turn, parts });
      results = [];
      return;
    }
    if (results.length > 0) settled.push({ role: 'user', parts: results });
    results = (calls[index] ?? []).map(({ part, result }) => result ?? lostResult(part));
    settled.push(turn);
  });
  if (results.length > 0) settled.push({ role: 'user', parts: results });
  return settled;
}

/** Hands each result to its call; returns the other parts. */
function withoutResults(parts: readonly UserPart[], earlier: readonly (readonly Call[])[]): UserPart[] {
  return parts.filter((part) => {
    if (part.type !== 'tool-result') return true;
    const call = earlier
      .toReversed()
      .map((turn) => turn.find((candidate) => candidate.part.id === part.callId && candidate.result === undefined))
      .find((candidate) => candidate !== undefined);
    if (call === undefined) {
      throw invalid(
        part.place ?? 'messages',
        `answers tool call ${JSON.stringify(part.callId.slice(0, 80))}, but no open call before it has that id`,
      );
    }
    call.result = { ...part, name: part.name ?? call.part.name };
    return false;
  });
}

function lostResult(call: ToolCallPart): ToolResultPart {
  return {
    type: 'tool-result',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: LOST_RESULT }],
    isError: true,
    ...(call.place !== undefined && { place: call.place }),
  };
}

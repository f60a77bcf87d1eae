/** Which tool call a piece of a chunk belongs to, whatever the vendor left out (vercel/ai#18382, #14760). */
import type { Opaque } from '../conversation.ts';

export interface CallState {
  block: number;
  started: boolean;
  id: string;
  name: string;
  kind: 'function' | 'custom';
  /** Arguments that came before the name. */
  held: string[];
  opaque: Opaque | undefined;
}

/** The calls of one answer, in order of appearance. */
export interface Calls {
  readonly list: CallState[];
  readonly byIndex: Map<number, CallState>;
}

/** What a piece says of its call; '' and undefined where it says nothing. */
export interface CallPiece {
  readonly id: string;
  readonly name: string;
  readonly index: number | undefined;
  /** Its place among the pieces of its chunk, and how many those are. */
  readonly position: number;
  readonly among: number;
}

export function newCalls(): Calls {
  return { list: [], byIndex: new Map() };
}

export function newCall({ list }: Calls): CallState {
  const call: CallState = {
    block: -1,
    started: false,
    id: '',
    name: '',
    kind: 'function',
    held: [],
    opaque: undefined,
  };
  list.push(call);
  return call;
}

/** By index; where there is none by a known or new id, or by its place. */
export function findCall(calls: Calls, { id, name, index, position, among }: CallPiece): CallState {
  if (index !== undefined) {
    const known = calls.byIndex.get(index);
    // The same index again with another id and a name of its own is another call: some vendors write 0 for all.
    const another = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    if (known !== undefined && !another) return known;
    const call = newCall(calls);
    calls.byIndex.set(index, call);
    return call;
  }
  const byId = id === '' ? undefined : calls.list.find((call) => call.id === id);
  if (byId !== undefined) return byId;
  const last = calls.list.at(-1);
  if (id === '' && last !== undefined) {
    const placed = among > 1 ? calls.list[position] : last;
    const begins = name !== '' && (placed?.name ?? '') !== '';
    if (placed !== undefined && !begins) return placed;
  }
  // An id that comes after its name belongs to the call that waits for one.
  if (id !== '' && name === '' && last?.id === '') return last;
  return newCall(calls);
}

/** What a decoder of Responses streams remembers of each output item. */
import type { JsonObject } from '@model-gateway/contracts';
import { numberOf, wordOf } from '../shared/read.ts';

export interface ContentState {
  readonly block: number;
  readonly kind: 'text' | 'refusal';
  length: number;
  citations: number;
  open: boolean;
}

export interface ItemState {
  type: string;
  id: string | undefined;
  readonly contents: Map<number, ContentState>;
  /** The block of a reasoning item or a call; -1 before it is opened. */
  block: number;
  /** Characters of reasoning or arguments so far. */
  length: number;
  /** Which summary or content part of the reasoning is being written, and of which kind. */
  part: number;
  partKind: 'summary' | 'raw' | undefined;
  /** Length of the reasoning part being written. */
  partLength: number;
  callId: string;
  name: string;
  custom: boolean;
  held: string[];
  done: boolean;
}

/** An item nothing is known of yet. */
function newItem(): ItemState {
  return {
    type: '',
    id: undefined,
    contents: new Map(),
    block: -1,
    length: 0,
    part: -1,
    partKind: undefined,
    partLength: 0,
    callId: '',
    name: '',
    custom: false,
    held: [],
    done: false,
  };
}

export interface OutputItems {
  /** The item an event is about: by output index; of a vendor without one by item id, else the last. Made when it is new. */
  of(data: JsonObject, item?: JsonObject): ItemState;
  /** The index behind the last. */
  nextIndex(): number;
  all(): Iterable<ItemState>;
}

export function createOutputItems(): OutputItems {
  const items = new Map<number, ItemState>();
  let last = -1;
  const indexById = (id: string | undefined): number => {
    if (id !== undefined) for (const [index, item] of items) if (item.id === id) return index;
    return Math.max(0, last);
  };
  return {
    of(data, item) {
      const index = numberOf(data['output_index']) ?? indexById(wordOf(data['item_id']) ?? wordOf(item?.['id']));
      const known = items.get(index);
      if (known !== undefined) return known;
      const state = newItem();
      items.set(index, state);
      last = Math.max(last, index);
      return state;
    },
    nextIndex: () => last + 1,
    all: () => items.values(),
  };
}

/** What a decoder of Responses streams remembers of each output item. */

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
export function newItem(): ItemState {
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

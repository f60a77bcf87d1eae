/** The chat-completions stream. */
import { present } from '../environment.ts';
import type { Schemas } from '../operations.ts';
import type { StreamFormat, StreamSum } from '../stream.ts';

type Chunk = Schemas['ChatCompletionChunk'];
type Completion = Schemas['ChatCompletion'];
type Loose = Record<string, unknown>;

/** Pieces become the completion that the same call gives without `stream`. */
export const chatFormat: StreamFormat<Chunk, Completion> = {
  textOf: ({ choices }) => choices.find(({ index }) => index === 0)?.delta.content ?? '',
  sum: () =>
    sumOfChoices({
      head: { object: 'chat.completion' },
      begin: () => ({ message: { role: 'assistant', content: null } }),
      read: ({ delta, ...more }) => ({ ...present(more), message: delta }),
      finished,
    }),
};

type Text = Schemas['Completion'];

/** Pieces of text completions become the one that the same call gives without `stream`. */
export const completionFormat: StreamFormat<Text, Text> = {
  textOf: ({ choices }) => choices.find(({ index }) => index === 0)?.text ?? '',
  sum: () => sumOfChoices({ begin: () => ({}), read: present }),
};

interface ChoiceWords<Piece> {
  /** What the whole says otherwise than its pieces. */
  readonly head?: Loose;
  readonly begin: () => Loose;
  readonly read: (piece: Piece) => Loose;
  readonly finished?: (choice: Loose) => Loose;
}

/** Adds up the pieces of each choice. */
function sumOfChoices<Piece extends { readonly index: number }, Whole>({
  head: own,
  begin,
  read,
  finished: end = (choice) => choice,
}: ChoiceWords<Piece>): StreamSum<{ choices: readonly Piece[] }, Whole> {
  let head: Loose | undefined;
  const choices = new Map<number, Loose>();
  return {
    add({ choices: pieces, ...rest }) {
      head = { ...head, ...present(rest), ...own };
      for (const piece of pieces) {
        const choice = choices.get(piece.index) ?? begin();
        choices.set(piece.index, choice);
        merge(choice, read(piece));
      }
    },
    whole(ended) {
      const all = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
      const done = all.length > 0 && all.every((choice) => typeof choice['finish_reason'] === 'string');
      return head === undefined || !(ended || done) ? undefined : ({ ...head, choices: all.map(end) } as Whole);
    },
  };
}

/** Fields that name something and come whole; all other text comes in pieces. */
const WHOLE = new Set(['role', 'id', 'type', 'name', 'index', 'finish_reason']);

function merge(into: Loose, piece: Loose): void {
  for (const [key, value] of Object.entries(piece)) {
    const old = into[key];
    if (value === null || value === undefined) into[key] ??= null;
    else if (typeof old !== typeof value || old === null || WHOLE.has(key)) into[key] = structuredClone(value);
    else if (typeof value === 'string')
      // Pieces of base64 may each end in padding: they are joined as bytes, at the end.
      into[key] = key === 'data' ? `${old as string},${value}` : (old as string) + value;
    else if (Array.isArray(value)) mergeList(old as unknown[], value);
    else if (typeof value === 'object') merge(old as Loose, value as Loose);
    else into[key] = value;
  }
}

/** Tool calls come in pieces that share an index; other lists grow. */
function mergeList(into: unknown[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const { index } = piece as { index?: unknown };
    const same = typeof index === 'number' && into.find((each) => (each as Loose)['index'] === index);
    if (typeof same === 'object') merge(same as Loose, piece as Loose);
    else into.push(structuredClone(piece));
  }
}

/** As the same call answers without `stream`: no index in tool calls, one sound. */
function finished({ message: given, ...choice }: Loose): Loose {
  const message = given as Loose;
  const calls = message['tool_calls'];
  const audio = message['audio'] as { data?: string } | null | undefined;
  const more: Loose = {};
  if (Array.isArray(calls))
    more['tool_calls'] = calls.map((call: Loose) =>
      Object.fromEntries(Object.entries(call).filter(([key]) => key !== 'index')),
    );
  if (typeof audio?.data === 'string')
    more['audio'] = { ...audio, data: btoa(audio.data.split(',').map(atob).join('')) };
  return { ...choice, message: { ...message, ...more } };
}

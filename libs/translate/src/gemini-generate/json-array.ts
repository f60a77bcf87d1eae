/** `streamGenerateContent` without `alt=sse`: the same fragments as elements of one JSON array (chat.md §5.1). */
export interface JsonArrayFraming {
  /** Text of the stream encoder in, array text out. */
  push(sse: string): string;
  /** The closing bracket. */
  end(): string;
}

/** Takes whole events, as the stream encoder gives them; comments have no place in an array. */
export function jsonArrayFraming(): JsonArrayFraming {
  let started = false;
  return {
    push: (sse) => {
      let text = '';
      for (const event of sse.split('\n\n')) {
        if (!event.startsWith('data: ')) continue;
        text += `${started ? ',\n' : '['}${event.slice('data: '.length)}`;
        started = true;
      }
      return text;
    },
    end: () => (started ? ']' : '[]'),
  };
}

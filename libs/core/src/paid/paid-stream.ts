/** Answers that are billed when their reader is through with them. */

/** How reading ended: `abandoned` when the reader stopped or the caller hung up before the last item. */
export type ReadingEnd = { readonly how: 'read' | 'abandoned' } | { readonly how: 'failed'; readonly error: unknown };

/**
 * The items of `source` as the reader pulls them, never ahead of it. `ended` is told once, however it ends: the last item, an error, a
 * reader who stops, even before the first item, or a caller who hangs up.
 */
export function untilEnd<T>(
  source: AsyncGenerator<T, void, undefined>,
  signal: AbortSignal,
  ended: (end: ReadingEnd) => void,
): AsyncIterableIterator<T, void, undefined> {
  let isOver = false;
  const end = (how: ReadingEnd): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', onGone);
    ended(how);
  };
  const onGone = (): void => {
    end({ how: 'abandoned' });
    // What the vendor's stream says about being cut is nobody's business any more.
    source.return().catch(() => undefined);
  };
  signal.addEventListener('abort', onGone, { once: true });
  if (signal.aborted) onGone();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const item = await source.next();
        if (item.done === true) end({ how: 'read' });
        return item;
      } catch (error) {
        end({ how: 'failed', error });
        throw error;
      }
    },
    async return() {
      end({ how: 'abandoned' });
      await source.return();
      return { done: true, value: undefined };
    },
  };
}

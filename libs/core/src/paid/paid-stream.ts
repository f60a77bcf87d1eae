/** Answers that are billed when their reader is through with them. */

/** How reading ended: `abandoned` when the reader stopped or the caller hung up before the last item. */
export type ReadingEnd =
  | { readonly how: 'read' }
  /** `drained`: the source was read on to its last item without the reader, so what it cost is known. */
  | { readonly how: 'abandoned'; readonly drained?: true }
  | { readonly how: 'failed'; readonly error: unknown };

export interface Leaving {
  /** What becomes of the source when its reader leaves: it is read to its end and nothing kept, or returned at once. */
  readonly onDisconnect: 'drain' | 'abort';
  /** Told when the reader has left. */
  readonly left?: () => void;
}

/**
 * The items of `source` as the reader pulls them, never ahead of it. `ended` is told once, however it ends: the last item, an error, a
 * reader who stops, even before the first item, or a caller who hangs up.
 */
export function untilEnd<T>(
  source: AsyncGenerator<T, void, undefined>,
  signal: AbortSignal,
  ended: (end: ReadingEnd) => void,
  { onDisconnect, left }: Leaving = { onDisconnect: 'abort' },
): AsyncIterableIterator<T, void, undefined> {
  let isOver = false;
  let isLeft = false;
  const end = (how: ReadingEnd): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', onGone);
    ended(how);
  };
  const drain = async (): Promise<void> => {
    try {
      while ((await source.next()).done !== true);
      end({ how: 'abandoned', drained: true });
    } catch (error) {
      end({ how: 'failed', error });
    }
  };
  /** What the vendor's stream says about being cut is nobody's business any more. */
  const letGo = (): Promise<unknown> => source.return().catch(() => undefined);
  const leave = async (): Promise<void> => {
    if (isOver || isLeft) return;
    isLeft = true;
    left?.();
    if (onDisconnect === 'drain') {
      void drain();
      return;
    }
    end({ how: 'abandoned' });
    await letGo();
  };
  const onGone = (): void => void leave();
  signal.addEventListener('abort', onGone, { once: true });
  if (signal.aborted) onGone();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const item = await source.next();
        if (item.done === true) end(isLeft ? { how: 'abandoned', drained: true } : { how: 'read' });
        return item;
      } catch (error) {
        end({ how: 'failed', error });
        throw error;
      }
    },
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
  };
}

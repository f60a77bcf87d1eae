/** Pages and dialogs by keys: Ctrl-K and `/` for the palette, `?` for the list of keys, `g` and a letter for a page. */
import { useEffect, useRef } from 'react';
import type { PageEntry } from './navigation.ts';

export interface KeyboardActions {
  readonly go: (path: string) => void;
  readonly open: (dialog: 'palette' | 'shortcuts') => void;
}

export function useKeyboard(pages: readonly PageEntry[], actions: KeyboardActions): void {
  const latest = useRef({ pages, actions });
  latest.current = { pages, actions };
  useEffect(() => {
    let afterG = false;
    const onKey = (event: KeyboardEvent): void => {
      const { pages: known, actions: act } = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        act.open('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const wasG = afterG;
      afterG = event.key === 'g';
      if (event.key === '?') act.open('shortcuts');
      else if (event.key === '/') {
        event.preventDefault();
        act.open('palette');
      } else if (wasG) {
        const page = known.find(({ letter }) => letter === event.key);
        if (page !== undefined) act.go(page.path);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

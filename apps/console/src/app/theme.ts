/** Mantine as the portal looks, and the choice of light or dark that both share. */
import { createTheme, isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core';

/** Locking the page's scrolling writes a style into the page, which its policy refuses. The header of a dialog is none of the page. */
const dialog = { defaultProps: { lockScroll: false, attributes: { header: { role: 'presentation' } } } };

export const theme = createTheme({
  primaryColor: 'teal',
  defaultRadius: 'md',
  cursorType: 'pointer',
  // Whoever asks for less motion gets dialogs at once.
  respectReducedMotion: true,
  // What somebody typed stays as it was typed: the gateway says what is wrong with it.
  components: { Modal: dialog, Drawer: dialog, NumberInput: { defaultProps: { clampBehavior: 'none' } } },
});

const STORED = 'theme';

/** Under the name that the portal keeps it by. */
export const sharedScheme: MantineColorSchemeManager = {
  get(fallback) {
    try {
      const stored = localStorage.getItem(STORED);
      return isMantineColorScheme(stored) ? stored : fallback;
    } catch {
      return fallback;
    }
  },
  set(value) {
    const root = document.documentElement;
    if (value === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = value;
    try {
      if (value === 'auto') localStorage.removeItem(STORED);
      else localStorage.setItem(STORED, value);
    } catch {
      // No storage: it lasts as long as the page.
    }
  },
  subscribe() {},
  unsubscribe() {},
  clear() {},
};

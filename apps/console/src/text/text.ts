/** What people read, in their language. The English text is the key of the catalogue of every other language. */
import { useSyncExternalStore } from 'react';
import type { zh } from './zh.ts';

/** Every text of the console; the compiler refuses one that a catalogue does not have. */
export type Text = keyof typeof zh;
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;
const STORED = 'language';

let language: Language = 'en';
let catalogue: Readonly<Record<Text, string>> | undefined;
const listeners = new Set<() => void>();

/** The text in the language that was chosen, with `{name}` replaced by what `values` has under it. */
export function t(text: Text, values: Readonly<Record<string, string | number>> = {}): string {
  const found = catalogue?.[text] ?? text;
  return found.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The language that was chosen last, or the browser's. */
export async function loadLanguage(): Promise<void> {
  const stored = readStored();
  await choose(stored ?? (navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'));
}

/** Changes it at once and remembers it in this browser. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // No storage: it lasts as long as the page.
  }
  await choose(chosen);
}

async function choose(chosen: Language): Promise<void> {
  catalogue = chosen === 'zh' ? (await import('./zh.ts')).zh : undefined;
  language = chosen;
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en';
  for (const listener of listeners) listener();
}

function readStored(): Language | undefined {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === 'en' || stored === 'zh' ? stored : undefined;
  } catch {
    return undefined;
  }
}

export const currentLanguage = (): Language => language;

export function useLanguage(): Language {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentLanguage);
}

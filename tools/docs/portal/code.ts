/** Code on a page: one block, or several behind tabs. */
import { highlight } from './highlight.ts';
import { escape } from './html.ts';

export interface CodeTab {
  readonly label: string;
  readonly language: string;
  readonly code: string;
}

/** One block of code, or several behind tabs. The tab one chooses is chosen everywhere. */
export function codeTabs(tabs: readonly CodeTab[]): string {
  const [first] = tabs;
  if (first === undefined) return '';
  if (tabs.length === 1 && first.label === '') return codeBlock(first);
  const buttons = tabs.map(
    ({ label }, index) =>
      `<button type="button" role="tab" aria-selected="${index === 0 ? 'true' : 'false'}" data-tab="${escape(label)}">${escape(label)}</button>`,
  );
  const panels = tabs.map(
    (tab, index) =>
      `<div role="tabpanel" data-tab="${escape(tab.label)}"${index === 0 ? '' : ' hidden'}>${codeBlock(tab)}</div>`,
  );
  return `<div class="tabs"><div class="tab-row" role="tablist">${buttons.join('')}</div>${panels.join('')}</div>`;
}

/** One block, with a button that copies it. */
export function codeBlock({ code, language }: Pick<CodeTab, 'code' | 'language'>): string {
  return `<div class="code"><button type="button" class="copy">Copy</button><pre tabindex="0"><code class="language-${escape(language)}">${highlight(code, language)}</code></pre></div>`;
}

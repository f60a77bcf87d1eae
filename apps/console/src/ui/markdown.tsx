/**
 * Markdown as models write it. HTML in it is shown as text, addresses are checked, and a picture from elsewhere is a button until somebody wants to
 * see it: what a model writes must not make the browser ask an address of its choice.
 */
import MarkdownIt from 'markdown-it';
import { memo, type MouseEvent } from 'react';
import { t } from '../text/text.ts';

const markdown = new MarkdownIt({ html: false, linkify: true });
const escape = markdown.utils.escapeHtml;

markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet('src') ?? '');
  const alt = escape(token?.content ?? '');
  if (/^data:image\/(png|jpeg|webp|gif);/.test(source)) return `<img src="${escape(source)}" alt="${alt}">`;
  return `<button type="button" class="remote" data-source="${escape(source)}">${escape(t('Show the picture from {host}', { host: hostOf(source) }))}</button>`;
};
markdown.renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
  tokens[index]?.attrSet('target', '_blank');
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules['fence'] = (tokens, index) =>
  `<pre tabindex="0"><code>${escape(tokens[index]?.content ?? '')}</code></pre>\n`;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return <div className="prose" onClick={showPicture} dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />;
});

function showPicture(event: MouseEvent): void {
  const { target } = event;
  const source = target instanceof HTMLElement ? target.dataset['source'] : undefined;
  if (source === undefined || !(target instanceof HTMLElement)) return;
  const picture = document.createElement('img');
  picture.src = source;
  picture.alt = '';
  picture.referrerPolicy = 'no-referrer';
  target.replaceWith(picture);
}

function hostOf(source: string): string {
  try {
    return new URL(source).host;
  } catch {
    return source.slice(0, 40);
  }
}

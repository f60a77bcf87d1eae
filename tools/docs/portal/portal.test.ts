import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { operationsOf, type ApiDocument } from './document.ts';
import { createPortal } from './index.ts';
import { withSamples } from './x-code-samples.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const document = JSON.parse(read('libs/contracts/src/generated/openapi.json')) as ApiDocument;
const portal = createPortal({ document });
const pages = new Map(
  portal.paths.filter((path) => path.endsWith('.html')).map((path) => [path, portal.file(path)?.body ?? '']),
);

/** The attributes that fetch or lead somewhere. */
function targets(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target.replace(/&amp;/g, '&'));
}

/** `guides/x.html` + `../assets/a.css#b` → [`assets/a.css`, `b`] */
function landing(page: string, target: string): [string, string] {
  const url = new URL(target, `http://portal/${page}`);
  return [url.pathname.slice(1), url.hash.slice(1)];
}

describe('the portal', () => {
  it('has only links that lead somewhere, anchors included', () => {
    const lost: string[] = [];
    for (const [page, html] of pages) {
      for (const target of targets(html)) {
        if (/^(https?|mailto|data):/.test(target)) continue;
        const [path, anchor] = landing(page, target);
        const body = pages.get(path);
        const found = portal.paths.includes(path) && (anchor === '' || body?.includes(` id="${anchor}"`) === true);
        if (!found) lost.push(`${page}: ${target}`);
      }
    }
    expect(lost).toEqual([]);
  });

  it('loads nothing from elsewhere', () => {
    for (const [, html] of pages) {
      const loads = [...html.matchAll(/<(?:script|link|img|iframe|source)[^>]*\s(?:href|src)="([^"]*)"/g)].map(
        ([, url]) => url,
      );
      expect(loads.filter((url) => /^(https?:)?\/\//.test(url ?? ''))).toEqual([]);
    }
    for (const path of portal.paths.filter((each) => /\.(css|js)$/.test(each) && !each.includes('search-index')))
      expect(portal.file(path)?.body ?? '').not.toMatch(
        /@import|url\((?!["']?data:)|import\(|https?:\/\/(?!127\.0\.0\.1)/,
      );
  });

  it('has no script inside its pages: what is not a file is data', () => {
    for (const [page, html] of pages) {
      const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)([^>]*)>/g)].map(([, attributes]) => attributes);
      expect({
        page,
        others: scripts.filter((attributes) => attributes?.includes('application/json') !== true),
      }).toEqual({ page, others: [] });
      expect(html).not.toMatch(/\son\w+="/);
    }
  });

  it('shows every operation with its samples and its form', () => {
    for (const { id, tag, webhook } of operationsOf(document)) {
      const html = pages.get(`reference/${tag}.html`) ?? '';
      const section = new RegExp(`<section class="operation" id="${id}">[\\s\\S]*?</section>`).exec(html)?.[0] ?? '';
      expect({ id, shown: section !== '' }).toEqual({ id, shown: true });
      expect({ id, tried: section.includes('data-try=') }).toEqual({ id, tried: !webhook });
      expect({ id, curl: section.includes('data-tab="curl"') }).toEqual({ id, curl: !webhook });
      expect({ id, ours: section.includes('data-tab="client"') }).toEqual({ id, ours: !webhook });
    }
  });

  it('has forms whose data can be read back', () => {
    for (const [, html] of pages)
      for (const [, json = ''] of html.matchAll(/<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/g))
        expect(() => JSON.parse(json) as unknown).not.toThrow();
  });

  it('finds pages, headings and operations', () => {
    const script = portal.file('assets/search-index.js')?.body ?? '';
    const entries = JSON.parse(script.replace(/^window\.SEARCH=|;\n$/g, '')) as [string, string, string, string][];
    const titles = entries.map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(['Video tasks', 'Read, wait, follow', 'Create a video task']));
    for (const [to] of entries) {
      const [path = '', anchor = ''] = to.split('#');
      expect(pages.has(`${path}.html`)).toBe(true);
      if (anchor !== '')
        expect({ to, found: pages.get(`${path}.html`)?.includes(` id="${anchor}"`) }).toEqual({ to, found: true });
    }
  });

  it('is small', () => {
    for (const [page, html] of pages)
      expect({ page, kilobytes: html.length < 600 * 1024 }).toEqual({ page, kilobytes: true });
  });

  it('keeps what it made, and knows nothing else', () => {
    expect(portal.file('guides/errors.html')).toBe(portal.file('guides/errors.html'));
    for (const path of [
      'nothing.html',
      '../package.json',
      'assets/../index.ts',
      'assets/nothing.js',
      '',
      'constructor',
    ])
      expect(portal.file(path)).toBeUndefined();
  });

  it('moves its start page to an address without its folder', () => {
    const page = portal.file('index.html', '/docs')?.body ?? '';
    expect(page).toContain('href="docs/assets/portal.css"');
    expect(page).toContain('data-root="docs/"');
    expect(targets(page).filter((target) => !/^(docs\/|https?:|#)/.test(target))).toEqual([]);
  });
});

describe('the models page', () => {
  it('names every family label with the codes of the built-in catalogue that realise it, and their bodies', () => {
    const text = read('apps/gateway/config/catalogue.yaml');
    const { models } = parse(text) as { models: { code: string; body?: string; kind: string }[] };
    const page = read('docs/guides/models.md');
    const labels = new Map<string, string[]>();
    for (const [, code = '', label = ''] of text.matchAll(
      /- code: (\S+) # (?:sibling of |the non-omni sibling of |another vendor for )?(<\w+>)/g,
    ))
      labels.set(label, [...(labels.get(label) ?? []), code]);
    expect([...labels.keys()].sort()).toHaveLength(14);
    for (const [label, codes] of labels) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${label}\``)) ?? '';
      for (const code of codes) {
        expect({ label, code, named: row.includes(`\`${code}\``) }).toEqual({ label, code, named: true });
        const model = models.find((each) => each.code === code);
        if (model?.kind === 'video')
          expect({ label, body: row.includes(`\`${model.body ?? ''}\``) }).toEqual({ label, body: true });
      }
    }
    for (const { code } of models) expect({ code, named: page.includes(`\`${code}\``) }).toEqual({ code, named: true });
  });
});

describe('the error page', () => {
  it('lists every code of the document', () => {
    const page = read('docs/guides/errors.md');
    const { ErrorCode } = document.components['schemas'] as { ErrorCode: { enum: string[] } };
    for (const code of ErrorCode.enum)
      expect({ code, listed: page.includes(`| \`${code}\``) }).toEqual({ code, listed: true });
  });
});

describe('the published document', () => {
  it('has samples for every operation, and is otherwise the same', () => {
    const published = withSamples(document);
    for (const { object, webhook } of operationsOf(published)) {
      const samples = (object as unknown as { 'x-codeSamples'?: { lang: string; label: string; source: string }[] })[
        'x-codeSamples'
      ];
      if (webhook) expect(samples).toBeUndefined();
      else expect(samples?.map(({ label }) => label)).toEqual(expect.arrayContaining(['curl', 'client']));
    }
    const plain = JSON.parse(
      JSON.stringify(published, (key, value: unknown) => (key === 'x-codeSamples' ? undefined : value)),
    ) as unknown;
    expect(plain).toEqual(document);
  });
});

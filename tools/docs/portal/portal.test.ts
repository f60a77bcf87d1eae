import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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

/** What can be led to on each page. */
const anchors = new Map(
  [...pages].map(([path, html]) => [path, [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)]),
);
const anchored = new Map([...anchors].map(([path, ids]) => [path, new Set(ids)]));

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
    const known = new Set([...portal.paths, ...portal.mediaPaths]);
    for (const [page, html] of pages) {
      for (const target of targets(html)) {
        if (/^(https?|mailto|data):/.test(target)) continue;
        const [path, anchor] = landing(page, target);
        const found = known.has(path) && (anchor === '' || anchored.get(path)?.has(anchor) === true);
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
    for (const path of portal.paths.filter((each) => /\.(css|js)$/.test(each) && !/search-index|minisearch/.test(each)))
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

  it('finds pages, their parts, operations, fields and codes of errors, each at its place', () => {
    const script = portal.file('assets/search-index.js')?.body ?? '';
    const entries = JSON.parse(script.replace(/^window\.SEARCH=|;\n$/g, '')) as [string, string, string, string][];
    const found = entries.map(([kind, , title]) => `${kind} ${title}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'page Video tasks',
        'page Read, wait, follow',
        'operation Create a video task',
        'field generate_audio',
        'field Idempotency-Key',
        'error task_not_exist',
      ]),
    );
    const lost = entries.filter(([, to]) => {
      const [path = '', anchor = ''] = to.split('#');
      const page = `${path}.html`;
      const found = anchor === '' ? pages.get(page)?.includes('<h1') : anchored.get(page)?.has(anchor);
      return found !== true;
    });
    expect(lost).toEqual([]);
  });

  it('gives every anchor once', () => {
    for (const [page, ids] of anchors) {
      const seen = new Set<string>();
      const twice = ids.filter((id) => seen.size === seen.add(id).size);
      expect({ page, twice }).toEqual({ page, twice: [] });
    }
  });

  it('puts no link into a link, and no style into a page', () => {
    for (const [page, html] of pages) {
      const nested = /<a [^>]*>(?:(?!<\/a>)[\s\S])*?<a /.exec(html)?.[0];
      expect({ page, nested }).toEqual({ page, nested: undefined });
      expect(html).not.toMatch(/<[^>]+ style="|<style/);
    }
  });

  it('has every page as Markdown, and lists them for models', () => {
    const list = portal.file('llms.txt')?.body ?? '';
    const all = portal.file('llms-full.txt')?.body ?? '';
    for (const page of pages.keys()) {
      const path = page.replace(/\.html$/, '.md');
      const text = portal.file(path)?.body ?? '';
      expect(text).toMatch(/^# /);
      expect(list).toContain(`](${path})`);
      expect(all).toContain(text.trim());
      const links = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\((?!https?:)([^)\s#]+\.md)[^)]*\)/g)];
      const lost = links.filter(([, to = '']) => portal.file(landing(path, to)[0]) === undefined).map(([link]) => link);
      expect({ path, lost }).toEqual({ path, lost: [] });
    }
    expect(portal.file('reference/video.md')?.body).toContain('`POST /v1/video/generations`');
  });

  it('is small', () => {
    for (const [page, html] of pages)
      expect({ page, kilobytes: html.length < 1100 * 1024 }).toEqual({ page, kilobytes: true });
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

describe('the catalogue', () => {
  const { models } = parse(read('apps/gateway/config/catalogue.yaml')) as { models: { code: string; kind: string }[] };
  const page = portal.file('catalogue.md')?.body ?? '';

  it('has a row with a price for every model, and no label of the service document', () => {
    for (const { code } of models) {
      const rows = page.split('\n').filter((line) => line.includes(`**\`${code}\`**`));
      expect({ code, priced: rows.length > 0 && rows.every((row) => row.includes('$')) }).toEqual({
        code,
        priced: true,
      });
    }
    expect(page).not.toMatch(/<\w+_(?:family|model)|undefined|NaN/);
  });

  it('shows a picture, a film or a sound of every model that makes one', async () => {
    const html = pages.get('catalogue.html') ?? '';
    const begins = { mp4: 'ftyp', webp: 'RIFF', mp3: '' };
    const made = ['image', 'image-edit', 'video', 'speech'];
    for (const { code, kind } of models.filter((each) => made.includes(each.kind))) {
      const ending = kind === 'video' ? 'mp4' : kind === 'speech' ? 'mp3' : 'webp';
      const path = `media/${code.replaceAll('/', '-')}.${ending}`;
      expect(html).toContain(`src="${path}"`);
      const { body } = (await portal.medium(path)) ?? { body: new Uint8Array() };
      expect({ path, small: body.length > 500 && body.length < 100_000 }).toEqual({ path, small: true });
      expect(Buffer.from(body.subarray(0, 12)).toString('latin1')).toContain(begins[ending]);
    }
    expect(portal.medium('media/nothing.mp4')).toBeUndefined();
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

import { describe, expect, it } from 'vitest';
import { highlight } from './highlight.ts';
import { jsLiteral, jsonText, pythonLiteral } from './literal.ts';
import { inline, markdown, type Heading } from './markdown.ts';

/** Line breaks between blocks say nothing. */
const html = (text: string): string => markdown(text).replace(/(?<=>)\n/g, '');

describe('markdown', () => {
  it.each([
    {
      name: 'HTML as text',
      text: '<b onclick="x">&amp;</b>',
      html: '<p>&lt;b onclick=&quot;x&quot;&gt;&amp;&lt;/b&gt;</p>',
    },
    {
      name: 'code too long for a line of a phone',
      text: '`x-request-id-of-thirty-two-chars` `x-request-id-of-thirty-three-char`',
      html: '<p><code>x-request-id-of-thirty-two-chars</code> <code class="long">x-request-id-of-thirty-three-char</code></p>',
    },
    { name: 'code that looks like HTML', text: '`<script>`', html: '<p><code>&lt;script&gt;</code></p>' },
    {
      name: 'a link',
      text: '[here](https://x.test/a?b=1&c)',
      html: '<p><a href="https://x.test/a?b=1&amp;c" rel="noreferrer">here</a></p>',
    },
    {
      name: 'a link that would run a script',
      text: '[x](javascript:alert(1))',
      html: '<p>[x](javascript:alert(1))</p>',
    },
    { name: 'a picture from elsewhere', text: '![a cat](https://x.test/a.png)', html: '<p>a cat</p>' },
    { name: 'a comment, which is nothing', text: '<!-- note -->\n\na', html: '<p>a</p>' },
    {
      name: 'a table with a bar in a cell, without styles',
      text: '| a | b |\n| --- | --: |\n| `x \\| y` | **z** |',
      html: '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td data-label="a"><code>x | y</code></td><td data-label="b"><strong>z</strong></td></tr></tbody></table></div>',
    },
    {
      name: 'tables of many columns, which phones show row by row',
      text: '| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |',
      html: '<div class="table many" tabindex="0"><table><thead><tr><th>a</th><th>b</th><th>c</th><th>d</th></tr></thead><tbody><tr><td data-label="a">1</td><td data-label="b">2</td><td data-label="c">3</td><td data-label="d">4</td></tr></tbody></table></div>',
    },
  ])('$name', ({ text, html: expected }) => {
    expect(html(text)).toBe(expected);
  });

  it('gives headings their own anchors, twins a number', () => {
    const headings: Heading[] = [];
    const html = markdown('# A `b` & c\n\n## Twice\n\n## Twice', { headings });
    expect(headings).toEqual([
      { level: 1, text: 'A b & c', id: 'a-b-c' },
      { level: 2, text: 'Twice', id: 'twice' },
      { level: 2, text: 'Twice', id: 'twice-2' },
    ]);
    expect(html).toContain('<h2 id="twice-2">');
  });

  it('keeps code as it is, blank lines and markup included', () => {
    const html = markdown('```js\nconst a = "**<b>**";\n\n  // end\n```\nafter');
    expect(html.replace(/<\/?i[^>]*>/g, '')).toContain('const a = &quot;**&lt;b&gt;**&quot;;\n\n  // end</code>');
    expect(html.trim().endsWith('<p>after</p>')).toBe(true);
  });

  it('makes tabs of fences that follow each other', () => {
    const html = markdown('```sh tab="curl"\na\n```\n\n```js tab="openai"\nb\n```\n\n```js\nc\n```');
    expect(html.match(/role="tab"/g)).toHaveLength(2);
    expect(html.match(/role="tabpanel"[^>]*hidden/g)).toHaveLength(1);
    expect(html.match(/class="tabs"/g)).toHaveLength(1);
  });

  it('asks where links and code lead', () => {
    const options = {
      link: (to: string) => (to === 'a.md' ? '../a.html' : undefined),
      codeLink: (code: string) => (code === 'GET /x' ? '#x' : undefined),
    };
    expect(inline('[a](a.md) `GET /x` `GET /y`', options)).toBe(
      '<a href="../a.html">a</a> <a class="code-link" href="#x"><code>GET /x</code></a> <code>GET /y</code>',
    );
  });

  it('puts no link into a link', () => {
    expect(inline('[`GET /x`](a.html) `GET /x`', { codeLink: () => '#x' })).toBe(
      '<a href="a.html"><code>GET /x</code></a> <a class="code-link" href="#x"><code>GET /x</code></a>',
    );
  });

  it('shows drawings that it is given, with their words for who does not see them', () => {
    const drawing = (to: string): string | undefined => (to === 'a.svg' ? '<svg></svg>' : undefined);
    expect(inline('![Life & end](a.svg)', { drawing })).toBe(
      '<span class="drawing" role="img" tabindex="0" aria-label="Life &amp; end"><svg></svg></span>',
    );
  });
});

describe('colours', () => {
  it.each(['json', 'js', 'ts', 'sh', 'python', 'yaml', 'http', 'unknown'])('change no character of %s', (language) => {
    const code = `{"a": [1, -2.5e3, true, null], "b\\"c": "d"} # x\n// y\n'it''s' <b> & \${z} --flag key: value\n`;
    const plain = highlight(code, language)
      .replace(/<i class="h-[\w-]+">|<\/i>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&amp;/g, '&');
    expect(plain).toBe(code);
  });
});

describe('literals', () => {
  const value = {
    model: 'it\'s "x"',
    'a-b': [1, { c: null }],
    empty: {},
    list: [],
    text: 'line\nline',
    none: undefined,
    long: ['x'.repeat(60), 'y'.repeat(60)],
  };
  it('of JSON are JSON', () => {
    expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });
  it('of JavaScript mean the same', async () => {
    const module = (await import(
      `data:text/javascript,${encodeURIComponent(`export default ${jsLiteral(value)}`)}`
    )) as { default: unknown };
    expect(module.default).toEqual(JSON.parse(JSON.stringify(value)));
  });
  it('of JSON are cut for the eye alone', () => {
    const picture = `data:image/png;base64,${'A'.repeat(200)}`;
    expect(JSON.parse(jsonText({ picture }))).toEqual({ picture });
    expect(jsonText({ picture }, { cut: true })).toContain('…');
  });
  it('of Python name what Python has its own words for', () => {
    expect(pythonLiteral({ a: [true, false, null, 'it\'s "x"\n'], b: -1.5 })).toBe(
      '{"a": [True, False, None, "it\'s \\"x\\"\\n"], "b": -1.5}',
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { highlight } from './highlight.ts';
import { jsLiteral, jsonText } from './literal.ts';
import { inline, markdown, type Heading } from './markdown.ts';

describe('markdown', () => {
  it.each([
    { name: 'a paragraph', text: 'one\ntwo', html: '<p>one\ntwo</p>' },
    { name: 'two paragraphs', text: 'one\n\ntwo\n', html: '<p>one</p><p>two</p>' },
    {
      name: 'HTML as text',
      text: '<b onclick="x">&amp;</b>',
      html: '<p>&lt;b onclick=&quot;x&quot;&gt;&amp;amp;&lt;/b&gt;</p>',
    },
    {
      name: 'code too long for a line of a phone',
      text: '`x-request-id-of-thirty-two-chars` `x-request-id-of-thirty-three-char`',
      html: '<p><code>x-request-id-of-thirty-two-chars</code> <code class="long">x-request-id-of-thirty-three-char</code></p>',
    },
    { name: 'code that looks like HTML', text: '`<script>`', html: '<p><code>&lt;script&gt;</code></p>' },
    { name: 'code with stars and a backtick', text: '``a*b`c*``', html: '<p><code>a*b`c*</code></p>' },
    { name: 'emphasis', text: '**bold** and *soft*', html: '<p><strong>bold</strong> and <em>soft</em></p>' },
    { name: 'stars that are none', text: '2 * 3 * 4, snake_case_name', html: '<p>2 * 3 * 4, snake_case_name</p>' },
    {
      name: 'a link',
      text: '[here](https://x.test/a?b=1&c)',
      html: '<p><a href="https://x.test/a?b=1&amp;c" rel="noreferrer">here</a></p>',
    },
    {
      name: 'a link with brackets in its text',
      text: '[`a[0]`](x.html)',
      html: '<p><a href="x.html"><code>a[0]</code></a></p>',
    },
    { name: 'a link that would run a script', text: '[x](javascript:alert(1))', html: '<p>x)</p>' },
    { name: 'a list', text: '- one\n- two', html: '<ul><li>one</li><li>two</li></ul>' },
    { name: 'a list with a lazy line', text: '- one\n  more\n- two', html: '<ul><li>one\nmore</li><li>two</li></ul>' },
    { name: 'a numbered list', text: '1. one\n2. two', html: '<ol><li>one</li><li>two</li></ol>' },
    {
      name: 'a list in a list',
      text: '- one\n  - inner\n- two',
      html: '<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>',
    },
    { name: 'a list after text', text: 'text\n- one', html: '<p>text</p><ul><li>one</li></ul>' },
    { name: 'a quote', text: '> one\n> two', html: '<blockquote><p>one\ntwo</p></blockquote>' },
    { name: 'a rule', text: 'a\n\n---\n\nb', html: '<p>a</p><hr><p>b</p>' },
    { name: 'a comment, which is nothing', text: '<!-- note -->\n\na', html: '<p>a</p>' },
    {
      name: 'a table with a bar in a cell',
      text: '| a | b |\n| --- | --- |\n| `x \\| y` | **z** |',
      html: '<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x | y</code></td><td><strong>z</strong></td></tr></tbody></table></div>',
    },
    {
      name: 'empty cells',
      text: '|  | b |\n|---|---|\n| 1 |  |',
      html: '<div class="table"><table><thead><tr><th></th><th>b</th></tr></thead><tbody><tr><td>1</td><td></td></tr></tbody></table></div>',
    },
  ])('$name', ({ text, html }) => {
    expect(markdown(text)).toBe(html);
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
    expect(html.endsWith('<p>after</p>')).toBe(true);
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
});

describe('colours', () => {
  it.each(['json', 'js', 'ts', 'sh', 'python', 'yaml', 'http', 'unknown'])('change no character of %s', (language) => {
    const code = `{"a": [1, -2.5e3, true, null], "b\\"c": "d"} # x\n// y\n'it''s' <b> & \${z} --flag key: value\n`;
    const plain = highlight(code, language)
      .replace(/<i class="h-\w+">|<\/i>/g, '')
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
});

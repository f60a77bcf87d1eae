/** tools/citations.mjs over small trees: what it must find, and what it must leave alone. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../citations.mjs', import.meta.url));
const page = '# Ark\n\n## Errors\n\n## Cancel and lifetimes\n\n```sh\n# no heading\n```\n\n## Errors\n';
let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'citations-'));
  write('docs/wire/ark.md', page);
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** Its exit code, and the lines it said. */
async function check(): Promise<{ code: number; said: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, tree], (error, stdout) => {
      const said = stdout.split('\n').filter((line) => line !== '');
      resolve({
        code: typeof error?.code === 'number' ? error.code : 0,
        said: said.slice(0, Math.max(0, said.length - 1)),
      });
    });
  });
}

describe('a citation that leads nowhere', () => {
  it.each([
    {
      name: 'a page that is not there, in a comment',
      file: 'libs/a.ts',
      text: 'a();\n/** Refusals (docs/wire/arc.md#errors). */\n',
      says: 'libs/a.ts:2: docs/wire/arc.md is not there',
    },
    {
      name: 'a heading that is not there',
      file: 'libs/a.ts',
      text: '// docs/wire/ark.md#error\n',
      says: 'libs/a.ts:1: docs/wire/ark.md has no heading #error',
    },
    {
      name: 'a further heading of the same page',
      file: 'libs/a.ts',
      text: '/**\n * Tasks (docs/wire/ark.md#errors, #states, and more).\n */\n',
      says: 'libs/a.ts:2: docs/wire/ark.md has no heading #states',
    },
    {
      name: 'a heading that is a comment of a shell',
      file: 'libs/a.ts',
      text: '// docs/wire/ark.md#no-heading\n',
      says: 'libs/a.ts:1: docs/wire/ark.md has no heading #no-heading',
    },
    {
      name: 'a page without its folder',
      file: 'libs/a.ts',
      text: 'const a = 1; // ark.md §2\n',
      says: 'libs/a.ts:1: ark.md is not there',
    },
    {
      name: 'a page outside of the repository, after an address',
      file: 'docs/index.md',
      text: 'See https://example.com/readme.md and notes.md.\n',
      says: 'docs/index.md:1: notes.md is not there',
    },
    {
      name: 'a name from the root in a title of a test',
      file: 'libs/a.test.ts',
      text: "it('has every field of docs/service.md', () => {});\n",
      says: 'libs/a.test.ts:1: docs/service.md is not there',
    },
    {
      name: 'a description in the document',
      file: 'spec/openapi.yaml',
      text: 'description: as docs/wire/ark.md#status says\n',
      says: 'spec/openapi.yaml:1: docs/wire/ark.md has no heading #status',
    },
    {
      name: 'a link to no file',
      file: 'docs/index.md',
      text: '[here](wire/none.yaml)\n',
      says: 'docs/index.md:1: wire/none.yaml is not there',
    },
    {
      name: 'a link to no heading of another page',
      file: 'docs/index.md',
      text: '\n[here](wire/ark.md#nothing)\n',
      says: 'docs/index.md:2: wire/ark.md has no heading #nothing',
    },
    {
      name: 'a link to no heading of its own',
      file: 'docs/index.md',
      text: '# Title\n[here](#titles)\n',
      says: 'docs/index.md:2: this page has no heading #titles',
    },
    {
      name: 'a source that is not there',
      file: 'docs/index.md',
      text: 'Held by `wire/b.test.ts` and `wire/ark.ts`.\n',
      says: 'docs/index.md:1: wire/b.test.ts is not there',
    },
  ])('$name', async ({ file, text, says }) => {
    write('libs/wire/ark.ts', '');
    write(file, text);
    expect(await check()).toEqual({ code: 1, said: [says] });
  });

  it('says all of them', async () => {
    write('libs/a.ts', '// a.md\n// b.md and c.md\n');
    expect((await check()).said).toHaveLength(3);
  });
});

describe('a citation that leads somewhere', () => {
  it.each([
    {
      name: 'a page and its headings',
      file: 'libs/a.ts',
      text: '// (docs/wire/ark.md#errors, #cancel-and-lifetimes; more)\n',
    },
    { name: 'the second heading of one name', file: 'libs/a.ts', text: '// docs/wire/ark.md#errors-1.\n' },
    { name: 'a page at the end of a sentence', file: 'libs/a.ts', text: '// See docs/wire/ark.md.\n' },
    { name: 'a neighbour', file: 'docs/wire/index.md', text: 'ark.md, [ark](ark.md#errors), [all](../wire/ark.md)\n' },
    { name: 'a heading of its own', file: 'docs/index.md', text: '# The *title*, again\n[here](#the-title-again)\n' },
    {
      name: 'addresses and operations',
      file: 'docs/index.md',
      text: '[a](https://x/y.md) [b](ref:createVideo) http://x/y.md\n',
    },
    { name: 'code of a page', file: 'docs/index.md', text: '```ts\n// none.md\n[a](none.md)\n```\n' },
    { name: 'data in a string', file: 'libs/a.ts', text: "write('none.md', 'http://x/none.md');\n" },
    { name: 'patterns', file: 'libs/a.ts', text: '// *.md, <page>.md and **/*.md\n' },
    { name: 'what is installed', file: 'node_modules/a/README.md', text: '[a](none.md)\n' },
  ])('$name', async ({ file, text }) => {
    write(file, text);
    expect(await check()).toEqual({ code: 0, said: [] });
  });
});

describe('decisions', () => {
  it('have numbers without gaps and a line in the index', async () => {
    write('docs/decisions/0001-a.md', '# 1. A\n');
    write('docs/decisions/0003-b.md', '# 3. B\n');
    write('docs/decisions/index.md', '[1](0001-a.md)\n');
    expect((await check()).said).toEqual([
      'docs/decisions/0003-b.md: number 2 is expected here',
      'docs/decisions/0003-b.md: missing in docs/decisions/index.md',
    ]);
  });

  it('are not numbered twice', async () => {
    write('docs/decisions/0001-a.md', '');
    write('docs/decisions/0001-b.md', '');
    write('docs/decisions/index.md', '[1](0001-a.md) [1](0001-b.md)\n');
    expect((await check()).said).toEqual(['docs/decisions/0001-b.md: number 2 is expected here']);
  });
});

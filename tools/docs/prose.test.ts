/** The rules of `tools/prose.mjs` on sentences that should pass and on ones that should not. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../prose.mjs', import.meta.url));
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

const REFUSED = [
  {
    name: 'an inverted sentence',
    text: 'Who left and does not come back pays the whole answer.',
    finding: 'name who acts',
  },
  { name: 'an inverted item', text: '- What it cannot read stays in the file.', finding: 'name who acts' },
  { name: 'a sentence of 26 words', text: `${words(26)}.`, finding: '26 words' },
  { name: 'a cell of 26 words', text: `| a | b |\n| - | - |\n| c | ${words(26)} |`, finding: '26 words' },
  { name: 'a word of ours', text: 'A release mends it.', finding: '"mends": write "fix"' },
  { name: 'a long word for a short one', text: 'You can utilize a key.', finding: '"utilize": write "use"' },
  { name: 'a word twice', text: 'Each key has a a limit.', finding: 'stands here twice' },
  {
    name: 'four passive sentences of five',
    text: 'A key was made. A job is kept. The price is read. A line was written. You send a request.',
    finding: '4 of 5 sentences are passive',
  },
];
const ACCEPTED = [
  { name: 'a plain sentence', text: 'If the client disconnects, you are charged for the full answer.' },
  { name: 'a sentence of 25 words', text: `${words(25)}.` },
  { name: 'a sentence behind a number', text: `${words(20)} is a 404. You ${words(10)}.` },
  { name: 'a list in a cell', text: `| a | b |\n| - | - |\n| c | ${words(20)}; ${words(20)} |` },
  { name: 'code, however much', text: `Set ${Array.from({ length: 30 }, () => '`utilize`').join(', ')}.` },
  { name: 'a block of code', text: `\`\`\`sh\n# ${words(30)} mends\n\`\`\`` },
  { name: 'a comment', text: `<!-- ${words(30)} mends -->` },
  {
    name: 'what was measured',
    text: `<!-- prose: off -->\n\n| a | b |\n| - | - |\n| c | ${words(30)} |\n\n<!-- prose: on -->`,
  },
  { name: 'a question', text: 'Who pays for it?' },
  { name: 'a heading', text: '## What a request costs' },
  { name: 'a few passive sentences', text: 'A key was made. A job is kept. You send a request.' },
];

describe('prose', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'prose-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** All pages in one process: what it says of each, by the name of its file. */
  async function findingsOf(cases: readonly { readonly text: string }[]): Promise<string[][]> {
    const pages = cases.map(({ text }, at) => {
      const page = join(folder, `page-${at}.md`);
      writeFileSync(page, `First line.\n\n${text}\n`);
      return page;
    });
    const { stdout } = await promisify(execFile)(process.execPath, [tool, ...pages]).catch(
      (error: unknown) => error as { stdout: string },
    );
    return cases.map((_, at) => stdout.split('\n').filter((line) => line.includes(`page-${at}.md:`)));
  }

  it('that reads like a riddle is named with its line and what to write', async () => {
    const found = await findingsOf(REFUSED);
    REFUSED.forEach(({ name, finding }, at) => {
      expect(found[at], name).toEqual([expect.stringContaining(finding)]);
      expect(found[at]?.[0], name).toMatch(/\.md:[3-9]: error: /);
    });
  });

  it('of the document is checked in its descriptions and summaries', async () => {
    const page = join(folder, 'paths.yaml');
    const lines = [
      'get:',
      `  summary: ${words(25)}`,
      '  description: |',
      `    What was charged. A release mends it.`,
      '  parameters:',
      `    - description: ${words(26)}`,
    ];
    writeFileSync(page, lines.join('\n'));
    const { stdout } = await promisify(execFile)(process.execPath, [tool, page]).catch(
      (error: unknown) => error as { stdout: string },
    );
    const found = stdout.split('\n').filter((line) => line.includes('paths.yaml:'));
    expect(found).toEqual([
      expect.stringMatching(/paths\.yaml:3: error: "mends": write "fix"$/),
      expect.stringMatching(/paths\.yaml:6: error: 26 words/),
    ]);
  });

  it('that is plain passes', async () => {
    expect(await findingsOf(ACCEPTED)).toEqual(ACCEPTED.map(() => []));
  });
});

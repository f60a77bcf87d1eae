// Citations lead somewhere: every `….md` that code, documents and pages name is a file of this repository, every `#heading` behind it is a
// heading of that file, every relative link of a page has a target, every `folder/file.ts` that a page shows as code ends the path of a
// file, and decisions are numbered without gaps. An argument names another tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const SKIPPED_FOLDERS = new Set([
  'node_modules',
  'dist',
  'data',
  'fixtures',
  'generated',
  '.git',
  '.nx',
  '.test-results',
]);
const READ = /\.(?:ts|mjs|js|md|yaml|yml|sql)$/;
/** `docs/wire/ark.md#errors, #states`: a page, a heading of it, further headings of the same page. */
const MENTION =
  /(?<![\w./*<>{}-])((?:\.{0,2}\/)?(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.md)\b((?:#[\p{L}\p{N}_-]+(?:, (?=#))?)*)/gu;
/** Outside of comments a name counts only from the root on: other strings are data. */
const ROOTED = /^(?:docs|spec|apps|libs|tools)\//;
/** Written by a release, not there before the first one. */
const MADE = new Set(['CHANGELOG.md']);
/** Its trees are full of what this program must find. */
const OWN_TEST = 'tools/docs/citations.test.ts';
const LINK = /\]\(<?([^)\s>]+)>?\)/g;
/** Sources that a page names, by the end of their path: `openai-chat/stream.test.ts`. */
const SOURCE = /`((?:[\w.-]+\/)+[\w.-]+\.ts)`/g;
/** Not of this repository: addresses, and `ref:operationId` of the portal. */
const ELSEWHERE = /^(?:[a-z][a-z+.-]*:|\/\/|\/)/i;

const headings = new Map();
const files = filesUnder(root);
const faults = [...files.flatMap(faultsOf), ...faultsOfDecisions()];
for (const fault of faults) console.log(fault);
if (faults.length > 0) console.log(`${faults.length} citations lead nowhere`);
process.exit(faults.length === 0 ? 0 : 1);

/** Files that may cite something, by path. */
function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : filesUnder(path);
    return READ.test(entry.name) && relative(root, path) !== OWN_TEST ? [path] : [];
  });
}

function faultsOf(file) {
  const page = file.endsWith('.md');
  const text = readFileSync(file, 'utf8');
  const lines = (page ? withoutFences(text) : text).split('\n');
  const prose = /\.(?:ts|mjs|js)$/.test(file) ? commentStarts(lines) : lines.map(() => 0);
  return lines.flatMap((line, at) => {
    const wrong = [
      ...wrongMentions(file, line, prose[at]),
      ...(page ? [...wrongLinks(file, line), ...wrongSources(line)] : []),
    ];
    return wrong.map((what) => `${relative(root, file)}:${at + 1}: ${what}`);
  });
}

/** Where in each line of code a comment begins: 0 inside of one, infinity where there is none. */
function commentStarts(lines) {
  let inside = false;
  return lines.map((line) => {
    const start = inside ? 0 : line.search(/\/\*|(?<!:)\/\//);
    if (inside) inside = !line.includes('*/');
    else inside = /^\s*\/\*/.test(line) && !line.includes('*/');
    return start < 0 ? Infinity : start;
  });
}

/** Pages named in prose and comments, from the root of the repository or from the file's own folder. */
function wrongMentions(file, line, proseFrom) {
  const blank = (text) => ' '.repeat(text.length);
  const prose = line.replace(LINK, blank).replace(/\b[a-z]+:\/\/\S+/g, blank);
  return [...prose.matchAll(MENTION)].flatMap(({ 1: page, 2: behind, index }) => {
    if (MADE.has(page) || (index < proseFrom && !ROOTED.test(page))) return [];
    const found = [join(root, page), join(dirname(file), page)].find((path) => existsSync(path));
    if (found === undefined) return [`${page} is not there`];
    const missing = behind
      .split(/, |(?=#)/)
      .filter((anchor) => anchor !== '' && !headingsOf(found).has(anchor.slice(1)));
    return missing.map((anchor) => `${page} has no heading ${anchor}`);
  });
}

/** Links of a page: relative to it, or to a heading of its own. */
function wrongLinks(file, line) {
  const targets = [...line.replace(/`[^`]*`/g, '').matchAll(LINK)].map(([, target]) => target);
  return targets
    .filter((target) => !ELSEWHERE.test(target))
    .flatMap((target) => {
      const [path, anchor] = target.split('#');
      const found = path === '' ? file : join(dirname(file), path);
      if (!existsSync(found)) return [`${target} is not there`];
      const lost = anchor !== undefined && found.endsWith('.md') && !headingsOf(found).has(anchor);
      return lost ? [`${path === '' ? 'this page' : path} has no heading #${anchor}`] : [];
    });
}

function wrongSources(line) {
  const named = [...line.matchAll(SOURCE)].map(([, path]) => path);
  return named
    .filter((path) => !existsSync(join(root, path)) && !files.some((file) => file.endsWith(`/${path}`)))
    .map((path) => `${path} is not there`);
}

/** What can stand behind `#` after a page's name; headings that come twice get a number, as on GitHub. */
function headingsOf(page) {
  const known = headings.get(page);
  if (known !== undefined) return known;
  const found = new Set();
  for (const [, text] of withoutFences(readFileSync(page, 'utf8')).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = slug(text);
    let name = plain;
    for (let times = 1; found.has(name); times++) name = `${plain}-${times}`;
    found.add(name);
  }
  headings.set(page, found);
  return found;
}

function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

/** The text with its code blocks blank, line numbers kept. */
function withoutFences(markdown) {
  return markdown.replace(/^( *)(`{3,}|~{3,})[\s\S]*?^ *\2/gm, (block) => block.replace(/[^\n]/g, ''));
}

/** Decisions are 0001, 0002, …; each is in the index. */
function faultsOfDecisions() {
  const folder = join(root, 'docs/decisions');
  if (!existsSync(folder)) return [];
  const pages = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));
  const index = existsSync(join(folder, 'index.md')) ? readFileSync(join(folder, 'index.md'), 'utf8') : '';
  return pages
    .sort()
    .flatMap((name, at) => [
      ...(Number(name.slice(0, 4)) === at + 1 ? [] : [`docs/decisions/${name}: number ${at + 1} is expected here`]),
      ...(index.includes(`](${name})`) ? [] : [`docs/decisions/${name}: missing in docs/decisions/index.md`]),
    ]);
}

// How the source files are cut: `node tools/figures.mjs [--most=80] [--list] [folder …]`, of apps/ and libs/ unless folders are named.
// Counts files, lines, the median of lines, files under 30 lines and functions over `--most` lines; `--list` names these functions.
// Tests, what tests share and generated files do not count.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { readArguments } from './read-arguments.mjs';

const SHORT = 30;
const root = fileURLToPath(new URL('..', import.meta.url));
const options = readArguments(
  import.meta.url,
  { most: { type: 'string', default: '80' }, list: { type: 'boolean', default: false } },
  true,
);
const most = Number(options.most);
const folders = options.positionals.length > 0 ? options.positionals : ['apps', 'libs'];

const files = execFileSync('git', ['ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/test\/|generated/.test(file));
const texts = files.map((file) => [file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')]);
const lines = texts.map(([, text]) => text.split('\n').length - 1).sort((a, b) => a - b);
const long = texts.flatMap(([file, text]) => longFunctions(file, text)).sort((a, b) => b.lines - a.lines);

console.log(`files                   ${files.length}`);
console.log(`lines                   ${lines.reduce((sum, each) => sum + each, 0)}`);
console.log(`median lines            ${lines[Math.floor(lines.length / 2)] ?? 0}`);
console.log(`files under ${SHORT} lines    ${lines.filter((each) => each < SHORT).length}`);
console.log(`functions over ${most} lines ${long.length}`);
if (options.list)
  for (const { name, place, lines: count } of long) console.log(`${String(count).padStart(5)}  ${name}  ${place}`);

/** Functions, methods and arrow functions over `most` lines, those inside others too. */
function longFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const first = lineOf(node.getStart(source));
      const count = lineOf(node.end) - first + 1;
      const name = node.name?.getText(source) ?? node.parent.name?.getText(source) ?? '(no name)';
      if (count > most) found.push({ name, place: `${file}:${first}`, lines: count });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

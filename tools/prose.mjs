// Plain English in docs/, the READMEs and the document's descriptions: each finding names file, line and what to write instead. Rules and pages are in
// tools/prose.config.mjs, the reasons in CONTRIBUTING.md under "Words". Arguments are pages to check instead, also those still on the list.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import retextEnglish from 'retext-english';
import retextPassive from 'retext-passive';
import retextRepeatedWords from 'retext-repeated-words';
import retextSimplify from 'retext-simplify';
import { unified } from 'unified';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { CHECKED, DESCRIBED, LIMITS, NOT_CHECKED, NOT_YET_REWRITTEN, SIMPLE_ENOUGH, WORDS } from './prose.config.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const markdown = new MarkdownIt({ html: true });
/** Stands for a piece of code in a sentence: a noun that no rule counts. */
const CODE = 'Xcode';

const english = unified()
  .use(retextEnglish)
  .use(retextPassive)
  .use(retextSimplify, { ignore: SIMPLE_ENOUGH })
  .use(retextRepeatedWords)
  .use(collectSentences)
  .use(withoutOutput);

/** What is wrong with one page: `{ line, message }`, by line. */
function proseFindings(text) {
  const blocks = blocksOf(text).map(readBlock);
  const sentences = blocks.flatMap((block) => block.sentences).filter(({ words }) => words.length > 3);
  const passive = blocks.flatMap((block) => block.passive);
  const findings = blocks.flatMap((block) => block.findings);
  if (passive.length > Math.max(LIMITS.passiveAllowed, sentences.length * LIMITS.passiveShare))
    findings.push({
      line: passive[0].line,
      message: `${passive.length} of ${sentences.length} sentences are passive (allowed: ${LIMITS.passiveShare * 100} %). Say who acts, in lines ${[...new Set(passive.map(({ line }) => line))].join(', ')}`,
    });
  return findings.sort((a, b) => a.line - b.line);
}

/** The same of a YAML file of the document: each description and summary is a page, which may name a field by what it holds ("What was charged"). */
function descriptionFindings(text) {
  const lines = new LineCounter();
  const findings = [];
  visit(parseDocument(text, { lineCounter: lines }), {
    Pair(_, { key, value }) {
      const isText = isScalar(value) && typeof value.value === 'string';
      if (!isText || !['description', 'summary'].includes(key.value)) return;
      const { line } = lines.linePos(value.range[0]);
      const found = blocksOf(value.value).flatMap((block) => readBlock({ ...block, kind: 'description' }).findings);
      findings.push(...found.map(({ message }) => ({ line, message })));
    },
  });
  return findings;
}

/** Files of the repository that are checked, as paths from its root. */
function checkedPages() {
  const pages = [
    ...CHECKED.flatMap((path) => filesOf(path, '.md')),
    ...DESCRIBED.flatMap((path) => filesOf(path, '.yaml')),
  ];
  return pages.filter((page) => !NOT_CHECKED.some((skipped) => page.startsWith(skipped))).sort();
}

function filesOf(path, ending) {
  if (path.endsWith(ending)) return [path];
  return readdirSync(join(root, path), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(path, name));
}

/** Tables that a tool fills with what it measured stand between `<!-- prose: off -->` and `<!-- prose: on -->`. */
function withoutMeasurements(text) {
  return text.replace(/<!-- prose: off -->[\s\S]*?<!-- prose: on -->/g, blank);
}

const blank = (text) => text.replace(/[^\n]/g, '');

/** Paragraphs, items, headings and cells, with the line where each begins. Code blocks are none; code in a sentence is one word. */
function blocksOf(text) {
  let line = 0;
  let kind = 'paragraph';
  return markdown.parse(withoutMeasurements(text).replace(/<!--[\s\S]*?-->/g, blank), {}).flatMap((token) => {
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type === 'heading_open') kind = 'heading';
    if (token.type === 'paragraph_open') kind = 'paragraph';
    if (token.type === 'td_open' || token.type === 'th_open') kind = 'cell';
    if (token.type !== 'inline') return [];
    // A cell often is a list, with semicolons between its entries.
    const texts = kind === 'cell' ? plain(token.children).split('; ') : [plain(token.children)];
    return texts.map((part) => ({ line, kind, text: part }));
  });
}

function plain(tokens) {
  return tokens
    .map((token) => {
      if (token.type === 'code_inline') return CODE;
      if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n';
      return token.type === 'text' ? endAfterNumber(token.content) : '';
    })
    .join('');
}

/** retext takes the full stop after a number for a part of it; another mark ends the sentence. */
function endAfterNumber(text) {
  return text.replace(/(\d)\.(?=\s+\S)/g, '$1!');
}

function readBlock({ line, kind, text }) {
  const file = english.processSync(text);
  const at = (point) => line + (point?.line ?? 1) - 1;
  const messages = file.messages.filter(
    ({ actual, source }) => !(source === 'retext-repeated-words' && actual.includes(CODE)),
  );
  const of = (source) => messages.filter((message) => message.source === source);
  const passive = of('retext-passive').map(({ place }) => ({ line: at(place.start) }));
  const simple = of('retext-simplify').map(({ actual, expected, place }) => ({
    line: at(place.start),
    message: `"${actual}": write ${expected.length > 0 ? expected.map((word) => `"${word}"`).join(' or ') : 'the sentence without it'}`,
  }));
  const repeated = of('retext-repeated-words').map(({ actual, place }) => ({
    line: at(place.start),
    message: `"${actual}" stands here twice`,
  }));
  return {
    sentences: file.data.sentences,
    passive: kind === 'heading' ? [] : passive,
    findings: [
      ...simple,
      ...repeated,
      ...wordFindings(text, line),
      ...file.data.sentences.flatMap((sentence) => sentenceFindings(sentence, kind, at(sentence.point))),
    ],
  };
}

function sentenceFindings({ text, words }, kind, line) {
  const counted = words.filter((word) => word !== CODE).length;
  const long = {
    line,
    message: `${counted} words (allowed: ${LIMITS.words}), make it two sentences: "${start(text)}"`,
  };
  const inverted = {
    line,
    message: `begins with a clause, name who acts ("If a client …", "A request that …"): "${start(text)}"`,
  };
  // Not a short title of an item, such as "Who sees a server."
  const isInverted =
    kind === 'paragraph' &&
    counted > 4 &&
    /^(?:Who|Whoever|Whom|What|Whatever|Whose)\b/.test(text) &&
    !/[?:]$/.test(text.trim());
  return [...(counted > LIMITS.words ? [long] : []), ...(isInverted ? [inverted] : [])];
}

/** Words of ours that nobody else uses, with the usual term. */
function wordFindings(text, line) {
  return WORDS.flatMap(([pattern, usual]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      line: line + (text.slice(0, index).match(/\n/g)?.length ?? 0),
      message: `"${found}": write ${usual}`,
    })),
  );
}

/** A retext plugin: the sentences of a text, with their words, for the rules that are ours. */
function collectSentences() {
  return (tree, file) => {
    const source = String(file);
    file.data.sentences = nodesOf(tree, 'SentenceNode').map((node) => ({
      point: node.position.start,
      text: source.slice(node.position.start.offset, node.position.end.offset),
      words: nodesOf(node, 'WordNode').map((word) =>
        source.slice(word.position.start.offset, word.position.end.offset),
      ),
    }));
  };
}

/** A retext plugin: nothing is written back. */
function withoutOutput() {
  this.compiler = () => '';
}

function nodesOf(node, type) {
  if (node.type === type) return [node];
  return (node.children ?? []).flatMap((child) => nodesOf(child, type));
}

function start(sentence) {
  const text = sentence.replaceAll(CODE, '…').replace(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function findingsOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  return page.endsWith('.yaml') ? descriptionFindings(text) : proseFindings(text);
}

function main(named) {
  const pages = named.length > 0 ? named.map((page) => relative(root, resolve(page))) : checkedPages();
  const waiting = named.length > 0 ? [] : NOT_YET_REWRITTEN;
  const found = new Map(pages.map((page) => [page, findingsOf(page)]));
  const lines = [...found].flatMap(([page, findings]) =>
    waiting.includes(page)
      ? findings.length === 0
        ? [`${page}:1: error: is rewritten, take it off the list in tools/prose.config.mjs`]
        : []
      : findings.map(({ line, message }) => `${page}:${line}: error: ${message}`),
  );
  const unknown = waiting.filter((page) => !found.has(page));
  lines.push(...unknown.map((page) => `tools/prose.config.mjs:1: error: ${page} is not a page that is checked`));
  if (lines.length > 0) console.log(lines.join('\n'));
  console.log(
    `${pages.length - waiting.length} pages checked, ${lines.length} findings, ${waiting.length} pages not yet rewritten`,
  );
  process.exitCode = lines.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));

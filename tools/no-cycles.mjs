// Finds circles: between files of a project, and between folders of libs/core/src; lint finds those between projects. Imports of types count:
// two files that need each other's types cannot be understood one at a time either.
// `node tools/no-cycles.mjs [folder …]`; without arguments every project's `src`. Exits 1 when there is a circle.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Circles between folders are faults here, because its folders are its modules. */
const LAYERED = 'libs/core/src';

/** Which files a file imports by a relative path: of values, of types, and by `import()`. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name));
}

/** Groups of nodes that all reach each other (Tarjan); a node alone is none. */
export function circles(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || (graph.get(node) ?? new Set()).has(node)) found.push(group);
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** Of a group, one way round: what has to be cut somewhere. */
function wayRound(graph, group) {
  const [start] = group;
  const before = new Map([[start, undefined]]);
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node)) {
      if (next === start) {
        const way = [start];
        for (let at = node; at !== undefined; at = before.get(at)) way.unshift(at);
        return way;
      }
      if (group.includes(next) && !before.has(next)) {
        before.set(next, node);
        queue.push(next);
      }
    }
  }
  return group;
}

/** The folder of a core file that counts as a module; files at the top belong to no folder. */
function moduleOf(file) {
  const parts = relative(join(root, LAYERED), file).split('/');
  if (parts.length === 1) return undefined;
  return parts[0] === 'kinds' && parts.length > 2 ? `kinds/${parts[1]}` : parts[0];
}

function folderGraph(files) {
  const graph = new Map();
  for (const [file, targets] of files) {
    const from = moduleOf(file);
    // Tests stand beside what they test and may bring in the rest.
    if (from === undefined || /\.test\.ts$|\/testing\//.test(file)) continue;
    const edges = graph.get(from) ?? new Set();
    graph.set(from, edges);
    for (const target of targets) {
      const to = moduleOf(target);
      if (to !== undefined && to !== from) edges.add(to);
    }
  }
  return graph;
}

const folders = process.argv.length > 2 ? process.argv.slice(2) : ['apps/*/src', 'libs/*/src', 'libs/providers/*/src'];
const faults = [];
for (const folder of folders.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
  const files = globSync('**/*.{ts,tsx}', { cwd: join(root, folder) }).map((name) => join(root, folder, name));
  const graph = new Map(files.map((file) => [file, new Set(importsOf(file))]));
  for (const group of circles(graph)) {
    faults.push(
      `${folder}: ${wayRound(graph, group)
        .map((file) => relative(join(root, folder), file))
        .join(' → ')}`,
    );
  }
  if (folder !== LAYERED) continue;
  const modules = folderGraph(graph);
  for (const group of circles(modules)) faults.push(`${folder}, folders: ${wayRound(modules, group).join(' → ')}`);
}
for (const fault of faults) console.error(`circle: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

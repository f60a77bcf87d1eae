// What `npm start` of a checkout runs, for tools that start the same without npm between.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The arguments of its Node: flags, the program, its command. Throws when it is no program of Node. */
export function startArguments(root = ROOT) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [program, ...args] = scripts.start.split(' ');
  if (program !== 'node')
    throw new Error(`npm start is '${scripts.start}'; only a node program can be started without npm`);
  return args;
}

/** Its flags alone. */
export function startFlags(root = ROOT) {
  return startArguments(root).filter((argument) => argument.startsWith('--'));
}

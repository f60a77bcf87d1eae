// Runs programs one after the other and says of each what it printed: one JSON line per file given. The portal's examples and the client's README are run by it.
import { inspect } from 'node:util';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const { log } = console;
for (const file of process.argv.slice(2)) {
  const printed = [];
  console.log = (...values) =>
    printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  console.warn = () => undefined;
  try {
    await import(new URL(file, `file://${process.cwd()}/`).href);
    say({ file, output: printed.join('\n') });
  } catch (error) {
    say({ file, error: inspect(error) });
  }
}
console.log = log;
// A reader that is busy has not taken all of it yet; what is written and not taken would end here.
await new Promise((resolve) => process.stdout.write('', resolve));
process.exit(0);

// The command line of a tool: `--help` prints what stands at the top of its file, an argument that there is not one line and exit code 2.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Reads the process's arguments; `file` is the tool's `import.meta.url`. Ends the process for `--help` and for wrong arguments. What is no option is
 * wrong, too, unless `allowPositionals`: then it is in `positionals`.
 */
export function readArguments(file, options, allowPositionals = false) {
  let values;
  try {
    const read = parseArgs({ allowPositionals, options: { ...options, help: { type: 'boolean', default: false } } });
    values = { ...read.values, positionals: read.positionals };
  } catch (error) {
    console.error(`${error.message.split('. ')[0]}; --help says what there is`);
    process.exit(2);
  }
  if (!values.help) return values;
  console.log(topOf(readFileSync(new URL(file), 'utf8')));
  process.exit(0);
}

/** The first comment, without its marks. */
function topOf(text) {
  const block = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text);
  if (block !== null) return block[1].replace(/^ ?\* ?/gm, '').trim();
  const lines = text.split('\n').filter((line) => !line.startsWith('#!'));
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

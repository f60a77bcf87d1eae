/** The `gateway` command. Run from source: `node apps/gateway/src/main.ts serve`. */
import { enableCompileCache } from 'node:module';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `gateway needs Node 24 and this is ${process.versions.node}. Run it with the one in node_modules: npm start, or npx gateway …\n`,
  );
  process.exit(1);
}
// Whatever is kept is this user's alone: folders 0700, files 0600.
process.umask(0o077);
// The sources are read once per version of them: the second command starts in a third of the time.
enableCompileCache();
// Whoever reads a part of what is printed (`| head`) has it; a gateway that serves goes on without its reader.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (process.argv[2] !== 'serve') process.exit();
  });
const { run } = await import('./commands/program.ts');
const terminal = {
  // The one reader of the environment hands it on.
  // oxlint-disable-next-line no-restricted-properties
  env: process.env,
  // The one owner of the clock.
  // oxlint-disable-next-line no-restricted-properties
  now: () => Date.now(),
  isTerminal: process.stdout.isTTY,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  out: (text: string) => process.stdout.write(`${text}\n`),
  exitWith: (code: number) => void (process.exitCode = code),
};
await run(terminal, process.argv.slice(2));

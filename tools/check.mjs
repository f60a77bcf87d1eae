// npm run check: everything that must be true of the tree. Arguments go to nx (--skip-nx-cache). Stops at nothing, says all that is wrong.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const nxArguments = process.argv.slice(2);

/** Name, command. The tests come last: their counts close the output. */
const steps = [
  ['the document is sound', ['npx', 'redocly', 'lint', 'spec/openapi.yaml', '--config', 'spec/redocly.yaml']],
  ['generated contracts are current', ['node', 'tools/contracts.mjs', '--check']],
  ['schema.sql is current', ['node', 'tools/schema-dump.mjs', '--check']],
  ['citations lead somewhere', ['node', 'tools/citations.mjs']],
  ['shape', ['npx', 'prettier', '--check', '--log-level', 'warn', '.']],
  ['types', ['npx', 'nx', 'run-many', '-t', 'typecheck', '--outputStyle=stream', ...nxArguments]],
  ['lint', ['npx', 'nx', 'run-many', '-t', 'lint', '--outputStyle=stream', ...nxArguments]],
  ['no circles', ['node', 'tools/no-cycles.mjs']],
  ['nothing is dead', ['npx', 'knip']],
  ['tests', ['node', 'tools/run-tests.mjs', ...nxArguments]],
];

const failed = [];
for (const [name, [command, ...args]] of steps) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
  console.log(`== ${name}: ${status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.log(`\ncheck failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);

/** schemathesis: requests generated from the published document, with a fixed seed. No 5xx, no reply that the document does not have. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from './environments.mjs';
import { ADMIN_KEY, KEY, startGateway } from './gateway.mjs';
import { run } from './processes.mjs';
import { emptyHome } from './sandbox.mjs';

const HOOKS = fileURLToPath(new URL('python', import.meta.url));
const SEED = '1';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'unsupported_method',
].join(',');
const MOST_SECONDS = 1_200;

/** One run over the public or the admin operations. Each has a gateway of its own: the requests change keys, owners and tasks. */
export function schemathesis(name, { admin, ran }) {
  return {
    name,
    ran,
    prepare: () => pythonOf('schemathesis'),
    async run({ outside, quick, filter }) {
      const python = await pythonOf('schemathesis');
      const gateway = await startGateway();
      const home = emptyHome();
      const folder = mkdtempSync(join(tmpdir(), 'model-gateway-schemathesis-'));
      try {
        const args = [
          ...['run', `${gateway.url}/openapi.json`, '--header', `authorization: Bearer ${admin ? ADMIN_KEY : KEY}`],
          ...['--seed', SEED, '--generation-deterministic'],
          ...['--generation-with-security-parameters', 'false', '--checks', CHECKS, '--continue-on-failure'],
          ...[
            '--phases',
            quick ? 'examples,coverage' : 'examples,coverage,fuzzing',
            '--max-examples',
            quick ? '5' : '40',
          ],
          ...[admin ? '--include-tag' : '--exclude-tag', 'admin', '--request-timeout', '30', '--no-color'],
          ...['--report', 'json', '--report-dir', folder, '--output-truncate', 'false'],
          ...(filter === undefined ? [] : ['--include-path-regex', filter]),
        ];
        const { stdout, stderr, code, timedOut } = await run(join(dirname(python), 'schemathesis'), args, {
          cwd: home.folder,
          env: { ...home.env, ...outside.env, PYTHONPATH: HOOKS, SCHEMATHESIS_HOOKS: 'schemathesis_hooks' },
          seconds: MOST_SECONDS,
        });
        const [file] = readdirSync(folder);
        if (file === undefined) {
          const error = timedOut
            ? `took more than ${MOST_SECONDS} s`
            : `ended with ${code}: ${(stderr || stdout).slice(-800)}`;
          return { version: '', cases: [{ name: 'the run', ok: false, seconds: 0, error }] };
        }
        return read(JSON.parse(readFileSync(join(folder, file), 'utf8')), stdout);
      } finally {
        await gateway.stop();
        home.remove();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A case for each operation, and one more for each further kind of failure of it. */
function read(report, text) {
  const told = blocks(text);
  const failing = report.failures.flatMap(({ code, title, operations }) =>
    operations.map((operation) => ({
      name: `${operation}: ${title}`,
      ok: false,
      seconds: 0,
      error: `${code} ${title}\n${excerpt(told.get(operation) ?? '', code)}`,
    })),
  );
  const errors = report.errors.map((each) => ({
    name: 'the run',
    ok: false,
    seconds: 0,
    error: JSON.stringify(each).slice(0, 800),
  }));
  const bad = new Set(report.failures.flatMap(({ operations }) => operations));
  const passed = Array.from({ length: report.operations.tested - bad.size }, () => ({
    name: 'an operation',
    ok: true,
  }));
  return {
    version: `schemathesis ${report.schemathesis_version}`,
    note: `${report.test_cases.generated} requests`,
    cases: [...passed, ...failing, ...errors],
  };
}

/** What is printed of each operation's failures. */
function blocks(text) {
  const parts = text.split(/^_+ ((?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS|TRACE) \S+) _+$/m).slice(1);
  const found = new Map();
  for (let index = 0; index + 1 < parts.length; index += 2)
    found.set(parts[index], `${found.get(parts[index]) ?? ''}${parts[index + 1]}`);
  return found;
}

/** The first failure of this kind, with how to reproduce it. */
function excerpt(block, code) {
  const from = block.indexOf(`- ${code}`);
  const end = block.indexOf('st replay', from);
  return block
    .slice(Math.max(0, from), end === -1 ? undefined : end)
    .trim()
    .slice(0, 2_500);
}

/** Clients in Python: one script for each, which prints a line of JSON for each of its cases. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from './environments.mjs';
import { KEY } from './gateway.mjs';
import { run } from './processes.mjs';
import { startRelay } from './relay.mjs';
import { emptyHome } from './sandbox.mjs';

const SCRIPTS = fileURLToPath(new URL('python', import.meta.url));
const MOST_SECONDS = 900;

/** A client whose script is python/<script>.py and whose packages are in requirements/<packages>.txt; `quick: false` leaves it out of the short form. */
export function pythonClient(name, { script, packages, ran, quick = true }) {
  return {
    name,
    ran,
    quick,
    prepare: () => pythonOf(packages),
    async run(context) {
      const python = await pythonOf(packages);
      return runScript(python, [join(SCRIPTS, `${script}.py`)], context);
    },
  };
}

/** Runs one such script behind a relay of its own: { version, cases }. */
export async function runScript(python, args, { gateway, outside, quick, filter, env = {} }) {
  const relay = await startRelay(gateway.url);
  const home = emptyHome();
  const result = { version: '', cases: [] };
  let ended = false;
  let current;
  const onLine = (line) => {
    const told = parsed(line);
    if (told?.client !== undefined) result.version = told.version;
    if (told?.end === true) ended = true;
    if (told?.begin !== undefined) {
      current = told.begin;
      relay.begin();
      return '\n';
    }
    if (told?.case === undefined) return undefined;
    current = undefined;
    const { case: name, ok, error, seconds } = told;
    result.cases.push({ name, ok, seconds, ...(!ok && { error, wire: relay.said() }) });
    return undefined;
  };
  try {
    const { code, timedOut, stderr } = await run(python, args, {
      cwd: home.folder,
      env: {
        ...home.env,
        ...outside.env,
        PYTHONPATH: SCRIPTS,
        PYTHONDONTWRITEBYTECODE: '1',
        GATEWAY: relay.url,
        GATEWAY_ITSELF: gateway.url,
        KEY,
        QUICK: quick ? '1' : '0',
        CASE: filter ?? '',
        ...env,
      },
      seconds: MOST_SECONDS,
      onLine,
    });
    if (!ended) {
      const why = timedOut ? `took more than ${MOST_SECONDS} s` : `ended with ${code}: ${stderr.trim().slice(-1500)}`;
      result.cases.push({ name: current ?? 'the script', ok: false, seconds: 0, error: why, wire: relay.said() });
    }
  } finally {
    await relay.close();
    home.remove();
  }
  return result;
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

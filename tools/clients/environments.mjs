/**
 * Clients of other people are installed once, at fixed versions, into the user's cache folder (XDG_CACHE_HOME or ~/.cache, then
 * model-gateway-clients), never into the checkout. Each folder's name has a hash of what is in it: another version is another folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'model-gateway-clients');
const UV = 'uv==0.13.8';
/** The locks were made with the first; a newer one may do. */
const PYTHONS = ['python3.11', 'python3.12', 'python3.13', 'python3'];
const INSTALL_SECONDS = 400;

/** Something that a machine lacks; what needs it is skipped, and says so. */
export class Missing extends Error {}

const once = new Map();
/** The same promise for the same folder: several clients may share one. */
function made(name, contents, install) {
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12);
  const folder = join(CACHE, `${name}-${hash}`);
  if (!once.has(folder)) once.set(folder, make(folder, install));
  return once.get(folder);
}

async function make(folder, install) {
  const mark = join(folder, '.installed');
  if (existsSync(mark)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install(folder);
  writeFileSync(mark, '');
  return folder;
}

/** The `python` of a virtual environment with what requirements/<name>.txt lists. Rejects with Missing where Python cannot be had. */
export async function pythonOf(name) {
  const lock = join(HERE, 'requirements', `${name}.txt`);
  const python = await findPython();
  const folder = await made(`python-${name}`, `${python} ${readFileSync(lock, 'utf8')}`, async (place) => {
    const uv = await uvOf(python);
    const env = { ...process.env, UV_PYTHON_DOWNLOADS: 'never' };
    await must(uv, ['venv', '--quiet', '--allow-existing', '--python', python, place], env);
    await must(uv, ['pip', 'install', '--quiet', '--python', join(place, 'bin/python'), '-r', lock], env);
  });
  return join(folder, 'bin/python');
}

async function uvOf(python) {
  const folder = await made('uv', `${python} ${UV}`, async (place) => {
    await must(python, ['-m', 'venv', place], process.env);
    await must(join(place, 'bin/python'), ['-m', 'pip', 'install', '--quiet', UV], process.env);
  });
  return join(folder, 'bin/uv');
}

async function findPython() {
  for (const name of PYTHONS) {
    const { code, stdout } = await run(
      name,
      ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11); print(sys.executable)'],
      { env: process.env, seconds: 20 },
    );
    if (code === 0) return stdout.trim();
  }
  throw new Missing('Python 3.11 or newer with venv is not here');
}

/** The folder that npm installed these packages into, without their scripts but for `script`, which puts a program in its place. */
export function npmFolderOf(name, packages, script) {
  return made(`npm-${name}`, [...packages, script].join(' '), async (place) => {
    writeFileSync(join(place, 'package.json'), '{"private":true}');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await must('npm', ['install', ...quiet, '--prefix', place, ...packages], process.env);
    if (script !== undefined) await must(process.execPath, [join(place, 'node_modules', script)], process.env);
  });
}

/** Rejects with Missing where there is no Go. */
export async function needGo() {
  const { code } = await run('go', ['version'], { env: process.env, seconds: 20 });
  if (code !== 0) throw new Missing('Go is not here');
}

/** The folder of programs that `go install` made of a module at its version. */
export async function goProgramsOf(name, module) {
  await needGo();
  return made(`go-${name}`, module, (place) => must('go', ['install', module], { ...process.env, GOBIN: place }));
}

/** Rejects with Missing where there is no Java. */
export async function needJava() {
  const { code } = await run('java', ['-version'], { env: process.env, seconds: 20 });
  if (code !== 0) throw new Missing('Java is not here');
}

async function must(command, args, env) {
  const { code, stdout, stderr } = await run(command, args, { env, seconds: INSTALL_SECONDS });
  if (code !== 0) throw new Missing(`it could not be installed: ${lastLines(stderr || stdout)}`);
}

function lastLines(text) {
  return text.trim().split('\n').slice(-3).join(' ').slice(0, 300);
}

// In CI, test files that failed are run once more, alone: beside two others on two cores a timer may come late. What passes then is counted as passed,
// and told by name, because it is still a fault of the test or of the code, to be looked into.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** More failed files than these are no accident. */
const FILES_AT_MOST = 3;

/** The reports that jest left of each target in `folder`. */
export function readReports(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** The targets in `folder` that failed although none of their tests did: something was left open, or the run was killed. */
export function failedOtherwise(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.status') && readFileSync(join(folder, name), 'utf8').trim() !== '0')
    .map((name) => name.replace(/\.status$/, ''))
    .filter((target) => {
      const report = join(folder, `${target}.json`);
      return !existsSync(report) || JSON.parse(readFileSync(report, 'utf8')).success;
    });
}

/** Runs what failed in `reports` again. Gives the titles of tests that passed now, none where a file failed again or too many failed. */
export function secondTry(root, reports) {
  const files = reports.flatMap(({ testResults }) => testResults).filter(({ status }) => status === 'failed');
  if (files.length === 0 || files.length > FILES_AT_MOST) return [];
  const mended = files.filter(({ name }) => passesAlone(root, name));
  return mended.flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    return (failed.length === 0 ? ['the file as a whole'] : failed).map(
      (title) => `${relative(root, name)} › ${title}`,
    );
  });
}

function passesAlone(root, file) {
  console.log(`\n== once more, alone: ${relative(root, file)}`);
  const { status } = spawnSync(join(root, 'tools/jest'), [relative(root, projectOf(file)), '--runTestsByPath', file], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NX_TASK_TARGET_TARGET: 'second-try' },
  });
  return status === 0;
}

/** The folder of the nearest package.json. */
function projectOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

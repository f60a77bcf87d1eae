// Another commit in a folder of its own, ready to start.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Checks `ref` out into `folder` with its packages; `remove` takes it away again. */
export function checkOut(root, ref, folder) {
  const run = (command, args, cwd = root) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  const commit = run('git', ['rev-parse', '--short', `${ref}^{commit}`]).trim();
  run('git', ['worktree', 'add', '--detach', folder, commit]);
  const remove = () => run('git', ['worktree', 'remove', '--force', folder]);
  try {
    installPackages(run, root, folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { root: folder, commit, remove };
}

/** The same lockfile means the same packages: they are linked file by file. Any other is installed. */
function installPackages(run, root, folder) {
  const lock = (of) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(root) !== lock(folder) || !linkPackages(run, root, folder)) run('npm', ['ci'], folder);
}

function linkPackages(run, root, folder) {
  try {
    run('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')]);
  } catch {
    // Another file system: no hard links.
    cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      force: true,
    });
  }
  return existsSync(join(folder, 'node_modules/.bin/node'));
}

/** Another commit in a folder of its own, with this checkout's packages: for versions whose dependencies these still satisfy. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Checks `ref` out into `folder`; the workspace's own packages are those of that commit. `remove` takes it away again. */
export function checkOutLinked(root, ref, folder) {
  const git = (...line) => execFileSync('git', line, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  git('worktree', 'add', '--detach', folder, ref);
  const from = join(root, 'node_modules');
  const to = join(folder, 'node_modules');
  mkdirSync(join(to, '@model-gateway'), { recursive: true });
  for (const name of readdirSync(from)) if (name !== '@model-gateway') symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, '@model-gateway'))) {
    const place = join(from, '@model-gateway', name);
    const own = relative(realpathSync(root), realpathSync(place));
    symlinkSync(resolve(folder, own), join(to, '@model-gateway', name));
  }
  return { root: folder, remove: () => git('worktree', 'remove', '--force', folder), parent: dirname(folder) };
}

/** V8's threads give way to the one that serves. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { lowerHelperThreads } from '${new URL('./helper-threads.ts', import.meta.url).href}';
  const lowered = lowerHelperThreads();
  const threads = readdirSync('/proc/self/task').map((id) => ({
    name: readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(),
    isMain: Number(id) === process.pid,
    priority: getPriority(Number(id)),
  }));
  console.log(JSON.stringify({ lowered, threads }));
`;

interface Thread {
  readonly name: string;
  readonly isMain: boolean;
  readonly priority: number;
}

describe('helper threads', () => {
  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('of V8 have a lower priority than the thread that serves, and all others have its', () => {
    const out = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', PROGRAM], {
      encoding: 'utf8',
    });
    const { lowered, threads } = JSON.parse(out) as { lowered: number; threads: Thread[] };
    const own = threads.find(({ isMain }) => isMain)?.priority ?? NaN;
    const helpers = threads.filter(({ name }) => name === 'V8Worker');
    // A Node that names them otherwise would leave them as they are, unseen.
    expect(helpers.length).toBeGreaterThan(0);
    expect(lowered).toBe(helpers.length);
    for (const { name, priority } of threads)
      expect([name, priority]).toEqual([name, name === 'V8Worker' ? own + 4 : own]);
  });
});

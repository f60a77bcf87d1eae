/** Runs the work of one operators' command where its options say. */
import type { OperatorOptions } from '../command-options.ts';
import { sayTo, type Say } from '../output.ts';
import { operatorTarget } from '../target.ts';
import { note, type Terminal } from '../terminal.ts';
import type { Operator } from './operator.ts';

/** What such a command works with. */
export interface Work {
  readonly operator: Operator;
  readonly say: Say;
  readonly now: () => number;
  /** Says how the process will end. */
  readonly exitWith: (code: number) => void;
}

/** Opens the database or the gateway, does the work, and closes what was opened. Rejects with what went wrong. */
export async function withOperator(
  terminal: Terminal,
  options: OperatorOptions,
  work: (work: Work) => Promise<void>,
): Promise<void> {
  const { env, now, stderr, exitWith } = terminal;
  const say = sayTo(terminal, options);
  const target = operatorTarget(env, options);
  if (target !== undefined) {
    // Whoever has a profile in use should see whose keys are listed.
    if (stderr.isTTY && options.url === undefined) note(terminal, `On ${target.where}`);
    const [{ remoteOperator }, { faultOfCall }] = await Promise.all([
      import('./remote.ts'),
      import('../remote-fault.ts'),
    ]);
    const operator = remoteOperator({ url: target.url, adminKey: target.key });
    await work({ operator, say, now, exitWith }).catch((error: unknown) => {
      throw faultOfCall(error, target);
    });
    return;
  }
  const { openDatabase } = await import('./database.ts');
  await using database = await openDatabase(env, now);
  await work({ operator: database.operator, say, now, exitWith });
}

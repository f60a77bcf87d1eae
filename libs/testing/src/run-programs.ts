import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a program printed, or the error that it ended with. */
export interface ProgramOutcome {
  readonly output?: string;
  readonly error?: string;
}

export interface ProgramsRun {
  /** By file. */
  readonly outcomes: ReadonlyMap<string, ProgramOutcome>;
  /** What all of them wrote there. */
  readonly stderr: string;
}

const runner = (name: string): string => fileURLToPath(new URL(`../../../tools/docs/${name}`, import.meta.url));
const MOST_PRINTED = 64 * 1024 * 1024;

/** Runs files in one process, one after the other: of TypeScript, or of the given Python. `folder` is where they are, and the working directory. */
export async function runPrograms(
  files: readonly string[],
  { folder: cwd, env, python }: { readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly python?: string },
): Promise<ProgramsRun> {
  const [command, ...args] =
    python === undefined
      ? [process.execPath, '--no-warnings', runner('run-programs.mjs')]
      : [python, runner('run-programs.py')];
  try {
    const { stdout, stderr } = await promisify(execFile)(command, [...args, ...files], {
      cwd,
      env,
      maxBuffer: MOST_PRINTED,
    });
    const said = stdout.trim() === '' ? [] : stdout.trim().split('\n');
    const outcomes = said.map((line) => JSON.parse(line) as ProgramOutcome & { readonly file: string });
    return { outcomes: new Map(outcomes.map(({ file, ...outcome }) => [file, outcome])), stderr };
  } catch (error) {
    return { outcomes: new Map(files.map((file) => [file, { error: String(error) }])), stderr: '' };
  }
}

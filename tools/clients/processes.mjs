/** Runs programs with a bound on their time. What does not end is ended with its children, by the id of the group that was started here. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const KILL_AFTER_MS = 5_000;
const MOST_TEXT = 200_000;
const groups = new Set();

process.on('exit', () => {
  for (const pid of groups) signal(pid, 'SIGKILL');
});
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1));

/**
 * Resolves, never rejects, with { code, timedOut, stdout, stderr, seconds }. `onLine` is told each line of standard output and may return a
 * text to write to the program's standard input.
 */
export async function run(command, args, { env, cwd, seconds, onLine, input } = {}) {
  const began = Date.now();
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  groups.add(child.pid);
  child.stdin.on('error', () => undefined);
  if (onLine === undefined) child.stdin.end(input ?? '');
  const stdout = gather(
    child.stdout,
    onLine &&
      ((line) => {
        const answer = onLine(line);
        if (answer !== undefined) child.stdin.write(answer);
      }),
  );
  const stderr = gather(child.stderr);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void stop(child);
  }, seconds * 1000);
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(String(error)));
    child.on('close', (status, by) => resolve(status ?? by));
  });
  clearTimeout(timer);
  signal(child.pid, 'SIGKILL');
  groups.delete(child.pid);
  return { code, timedOut, stdout: stdout(), stderr: stderr(), seconds: (Date.now() - began) / 1000 };
}

/** Starts a program that goes on until it is stopped; resolves with what `found` makes of a line of its output. */
export async function start(command, args, { env, cwd, seconds, found, onText }) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  groups.add(child.pid);
  const text = gather(child.stdout);
  const errors = gather(child.stderr);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => onText?.(bytes));
  const value = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${command} ${args.join(' ')} ${why}:\n${text()}\n${errors()}`));
    const timer = setTimeout(() => fail(`said nothing of use in ${seconds} s`), seconds * 1000);
    child.on('error', (error) => fail(String(error)));
    child.on('exit', (code) => fail(`ended with ${code}`));
    child.stdout.on('data', () => {
      const place = found(text());
      if (place === undefined) return;
      clearTimeout(timer);
      resolve(place);
    });
  });
  return { value, stop: () => stop(child) };
}

/** SIGTERM to the group, then SIGKILL to what is left of it. */
async function stop(child) {
  const gone = new Promise((resolve) =>
    (child.exitCode ?? child.signalCode) === null ? child.on('exit', resolve) : resolve(),
  );
  signal(child.pid, 'SIGTERM');
  await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, KILL_AFTER_MS).unref())]);
  signal(child.pid, 'SIGKILL');
  groups.delete(child.pid);
}

function signal(pid, name) {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The group has ended.
  }
}

/** Reads a stream to its end and keeps the last part of it. */
function gather(stream, onLine) {
  let text = '';
  stream.setEncoding('utf8');
  if (onLine === undefined) stream.on('data', (part) => (text = (text + part).slice(-MOST_TEXT)));
  else
    createInterface({ input: stream }).on('line', (line) => {
      text = `${text}${line}\n`.slice(-MOST_TEXT);
      onLine(line);
    });
  return () => text;
}

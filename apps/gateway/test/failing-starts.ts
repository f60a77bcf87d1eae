/**
 * A process of its own for start.verify.test.ts: starts gateways that fail after each of the parts it is given, and says what is open after each. It ends
 * by itself when nothing is left open.
 */
import { pino } from 'pino';
import { readConfig, startServer } from '../src/index.ts';

const config = readConfig(process.env);
const before = process.getActiveResourcesInfo().sort();
for (const part of process.argv.slice(2)) {
  const seen: string[] = [];
  const outcome = await startServer({
    config,
    now: Date.now,
    log: pino({ level: 'silent' }),
    opened: (opened) => {
      seen.push(opened);
      if (opened === part) throw new Error(`no ${part}`);
    },
  }).then(
    () => 'started',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  // What closes does so in the next turns of the loop.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const open = process.getActiveResourcesInfo().sort();
  process.stdout.write(`${JSON.stringify({ part, outcome, seen, before, open })}\n`);
}

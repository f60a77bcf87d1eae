/**
 * Before and after every test file. Files share a process: one that leaves something open, or changes the environment, the working directory, the
 * clock or the listeners of the process, fails itself, instead of whichever comes after it.
 */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, vi } from 'vitest';

/** How long what a file has closed may take to be gone. */
const PATIENCE_MS = 10_000;
const POLL_MS = 100;
/** Most is gone after a few turns of the event loop; collecting garbage takes longer than many a file. */
const FIRST_LOOKS_MS = [1, 5, 20, 50];
/** Timers end by themselves: of these looks one collects garbage, which takes a fifth of a second. */
const SELDOM = 20;
/** Without the flag for the whole process: the gateway would use it. */
const collectGarbage = exposedCollection();
/** What libraries set once, when they are loaded: sharp its folder, WebAssembly made by Emscripten how it ends at a fault, pino what it writes at the end. */
const SET_BY_LIBRARIES = new Set([
  'process.env.VIPSHOME',
  'listeners of uncaughtException',
  'listeners of unhandledRejection',
  'listeners of exit',
  'listeners of beforeExit',
]);

/** A file of express-openapi-validator, beside its entry. */
const SCHEMA_CHECK = './framework/openapi.schema.validator.js';
replaceSchemaCheck();
const before = sharedState();
const openBefore = openResources();

// Registered first, so that it runs after the file's own.
afterAll(async () => {
  const faults = vi.isFakeTimers() ? ['timers are still faked'] : [];
  vi.useRealTimers();
  const after = sharedState();
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (before.get(name) !== after.get(name) && !SET_BY_LIBRARIES.has(name))
      faults.push(`${name} is ${String(after.get(name))}, and was ${String(before.get(name))}`);
  const open = await leftOpen();
  if (open.length > 0) faults.push(`still open: ${open.join(', ')}`);
  if (faults.length > 0) throw new Error(`The file leaves behind what it changed:\n${faults.join('\n')}`);
});

/** What every file of a process has in common, each by a name. */
function sharedState(): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    ['the working directory', process.cwd()],
    ['globalThis.fetch', globalThis.fetch],
    ['exit code', process.exitCode],
  ]);
}

/** What is open that was not before the file, once all that is about to close has had its time. */
async function leftOpen(): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let look = 0; ; look++) {
    const open = [...openResources()].filter(([kind, count]) => count > (openBefore.get(kind) ?? 0));
    if (open.length === 0 || performance.now() > deadline) return open.map(([kind, count]) => `${kind} (${count})`);
    // The connection of an answer whose body nobody has read is closed when the answer is collected.
    const turn = look - FIRST_LOOKS_MS.length;
    if (turn >= 0 && (turn % SELDOM === 0 || open.some(([kind]) => kind !== 'Timeout'))) collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, FIRST_LOOKS_MS[look] ?? POLL_MS));
  }
}

/** How many of each kind keep the process alive. */
function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * express-openapi-validator compiles the schema of OpenAPI documents for every operation of every gateway, although it is told not to check the
 * document. Tests start hundreds of gateways: in its place stands a class that refuses to be asked.
 */
function replaceSchemaCheck(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'));
  const path = require.resolve(SCHEMA_CHECK);
  if (require.cache[path] !== undefined) return;
  const OpenAPISchemaValidator = class {
    validate(): never {
      throw new Error('the document is not checked in tests (tools/testing/setup.ts)');
    }
  };
  const module = { exports: { OpenAPISchemaValidator }, filename: path, id: path, loaded: true };
  require.cache[path] = module as NodeJS.Module;
}

function exposedCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

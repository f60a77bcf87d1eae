/** How V8 collects garbage and compiles in a process that serves: in less memory (docs/decisions/0035-flags-of-v8.md). */
import { setFlagsFromString } from 'node:v8';

/** `--max-semi-space-size`, the size of the young generation, is not among them: V8 reads it before any program runs. */
const FLAGS = [
  // What is made where things have often lived long is made among the old objects otherwise, from where only a full collection removes it, with
  // all that it points to: for a row of the log of requests that can be the whole request.
  '--no-allocation-site-pretenuring',
  // Memory of a compilation is freed by the thread that serves, in microseconds. In the others it waits for its turn: tens of megabytes of it.
  '--no-maglev-destroy-on-background',
];
/** WebAssembly here is undici's parser of replies: compiling its one large function a second time takes 12 MB, and saves half a microsecond a reply. */
const COMPILING_AGAIN = ['wasm-tier-up', 'wasm-dynamic-tiering'];

/** Sets them for the whole process and its threads. To be called once, before it serves. */
export function setV8Flags(): void {
  set([...FLAGS, ...COMPILING_AGAIN.map((flag) => `--no-${flag}`)]);
}

/** From now on WebAssembly is compiled for speed, as V8 does by itself: for encoders of films, which run for seconds. */
export function compileWebAssemblyWell(): void {
  set(COMPILING_AGAIN.map((flag) => `--${flag}`));
}

function set(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}

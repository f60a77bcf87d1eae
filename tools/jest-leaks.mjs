// After the last test: a run that does not end by itself has left something open, and fails instead of hanging.
const PATIENCE_MS = 10_000;

export default function watchForLeaks() {
  // Does not keep the process itself: it fires only when something else does.
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`\nThe tests are done, but something they opened is still open: ${open}`);
    process.exit(1);
  }, PATIENCE_MS).unref();
}

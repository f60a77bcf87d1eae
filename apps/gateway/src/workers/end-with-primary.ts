/**
 * Ends this process in the moment its primary is gone: without it nobody may write to its database, and the next gateway is on its way. `hangUp` closes
 * what callers wait at. Then SIGKILL, because `exit` first writes out code caches and lines of the log: seconds on a busy machine, in which callers hang
 * and the database stays locked.
 */
export function endWithPrimary(own: NodeJS.Process, hangUp: () => void): void {
  const end = (): void => {
    hangUp();
    own.kill(own.pid, 'SIGKILL');
  };
  own.once('disconnect', end);
  // It may be gone already, and nobody would say so again.
  if (!own.connected) end();
}

/** Node's own warnings are lines of the log like everything else. */
import type { Logger } from 'pino';

/** `url.parse`: express-openapi-validator's, for its makers to mend. In the bundle Node takes the library for us and would say it. */
const OF_LIBRARIES = new Set<string | undefined>(['DEP0169']);

/** From now on they go to `log` and not to standard error. */
export function logWarnings(log: Pick<Logger, 'warn' | 'debug'>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: NodeJS.ErrnoException) => {
    const line = { err: warning, code: warning.code };
    if (OF_LIBRARIES.has(warning.code)) log.debug(line, 'a library uses what Node advises against');
    else log.warn(line, 'Node warns');
  });
}

/** Which headers a configuration may send along with the calls to a vendor. */

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Written by the gateway itself: credentials, the body's form, the connection; `anthropic-beta` is the caller's, because prices follow it. */
const OWN = new Set([
  'anthropic-beta',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
  'x-goog-api-key',
]);

/** Whether it is the name of a header that nobody else writes. */
export function mayBeGiven(name: string): boolean {
  return NAME.test(name) && !OWN.has(name.toLowerCase());
}

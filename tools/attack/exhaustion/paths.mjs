/** Somebody without a key asks for paths, methods and models that are none; then what /metrics has of them is counted. */
import { ask, bytesIn, startWatched, TEST_KEY } from './gateway.mjs';

const AT_ONCE = 32;
const METHODS = ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'PUT'];
/** Families of addresses that the table of operations knows, whatever is asked for. */
const MOST_MORE = 20;
/** A database that is open writes a page now and then. */
const MOST_BYTES = 64 * 1024;

export async function inventPaths({ short }) {
  const gateway = await startWatched();
  const faults = [];
  try {
    await ask(gateway.url, '/v1/models', { key: TEST_KEY, method: 'GET' });
    await ask(gateway.url, '/none', { key: undefined, method: 'GET' });
    const before = await seriesOf(gateway.urls);
    const bytes = bytesIn(gateway.folder);
    const paths = [...pathsOf(short ? 2_200 : 22_000)];
    for (let at = 0; at < paths.length; at += AT_ONCE)
      await Promise.all(
        paths.slice(at, at + AT_ONCE).map(async ([method, path], index) => {
          const { status } = await ask(gateway.url, path, { key: undefined, method });
          if (status < 400 || status >= 500) faults.push(`${method} ${path} was answered ${status} (${at + index})`);
        }),
      );
    await ask(gateway.url, '/v1/models', { key: TEST_KEY, method: 'GET' });
    const after = await seriesOf(gateway.urls);
    // The classes of refusals are series; what was invented is none.
    const routes = (all) => new Set(all.map((line) => /route="([^"]*)"/.exec(line)?.[1]));
    const more = [...routes(after)].filter((route) => !routes(before).has(route));
    if (more.length > MOST_MORE) faults.push(`${more.length} more routes: ${more.slice(0, 5).join(' ')}`);
    if (!after.some((line) => line.includes('route="/v1/models"') && line.includes('200')))
      faults.push('/v1/models is not counted any more');
    const grown = bytesIn(gateway.folder) - bytes;
    if (grown > MOST_BYTES) faults.push(`${grown} bytes were written`);
    return {
      measured: `${paths.length} requests, ${more.length} more routes in /metrics, ${grown} bytes written`,
      faults,
    };
  } finally {
    await gateway.stop();
  }
}

function* pathsOf(count) {
  const places = ['', 'v1/', 'v1/models/', 'v1beta/models/', 'v1/videos/', 'admin/', 'files/', 'docs/', 'twin/media/'];
  for (let at = 0; at < count; at++)
    yield [METHODS[at % METHODS.length], `/${places[at % places.length]}invented-${at}`];
}

async function seriesOf(urls) {
  const pages = await Promise.all(urls.map((url) => ask(url, '/metrics', { key: undefined, method: 'GET' })));
  return pages.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('gateway_requests')));
}

/** Somebody without a key reads the metrics: from an open port, and past a balancer that answers for the path as the document spells it. */
import { request } from 'node:http';
import { OPERATIONS } from '../../../libs/contracts/src/index.ts';
import { ask, startWatched } from '../exhaustion/gateway.mjs';

const PAGE = '# TYPE gateway_requests_total';
const SPELLINGS = [
  '/metrics/',
  '/metrics//',
  '/metrics/?a=b',
  '//metrics',
  '/./metrics',
  '/x/../metrics',
  '/%6Detrics',
  '/metrics%2F',
  '/metrics%20',
  '/METRICS',
  '/Metrics/',
  '/metrics;a=b',
  '/metrics.',
  '\\\\metrics',
];

export async function readMetrics() {
  const faults = [];
  // The portal's pages lie in a folder: their links are relative to it.
  const operations = Object.values(OPERATIONS).filter(({ path }) => path !== OPERATIONS.getDocs.path);
  const pages = await openPages();
  const { shown, answered } = await secondSpellings(operations);
  if (pages > 0) faults.push('the metrics were shown without a key on a port that others reach');
  for (const path of shown) faults.push(`${path} showed the metrics`);
  for (const each of answered) faults.push(`${each} was answered under a second spelling`);
  return {
    measured: `${pages} of 1 pages on an open port, ${shown.length} of ${SPELLINGS.length} spellings show the metrics, ${answered.length} of ${operations.length} operations have a second spelling`,
    faults,
  };
}

/** How many pages a gateway shows that listens to other machines and has no metrics key. */
async function openPages() {
  const gateway = await startWatched({ env: { HOST: '0.0.0.0' } });
  try {
    const { text } = await ask(gateway.url, '/metrics', { key: undefined, method: 'GET' });
    return text.includes(PAGE) ? 1 : 0;
  } finally {
    await gateway.stop();
  }
}

/** What leads to the metrics, and to any other operation, that a rule for the one spelling of the document would let pass. */
async function secondSpellings(operations) {
  const gateway = await startWatched();
  try {
    const shown = [];
    for (const path of SPELLINGS) if ((await raw(gateway.url, 'GET', path)).text.includes(PAGE)) shown.push(path);
    const answered = [];
    for (const { method, path } of operations) {
      const { status } = await raw(gateway.url, method, `${path.replaceAll(/\{\w+\}/g, 'x1')}/`);
      if (status !== 308 && status !== 404) answered.push(`${method} ${path}`);
    }
    return { shown, answered };
  } finally {
    await gateway.stop();
  }
}

/** As it is, without what clients do to an address before they send it. */
function raw(url, method, path) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      reply.once('end', () => resolve({ status: reply.statusCode, text }));
    });
    sent.once('error', reject).end();
  });
}

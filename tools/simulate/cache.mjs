/** Questions that come again, with and without answers that are kept. */
import { simulateChats } from '../../libs/core/src/kinds/chat/testing/simulation.ts';
import { popular, stampede } from '../../libs/core/src/kinds/chat/testing/questions.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

const account = (...faults) => [{ id: 1, firstMs: 600, wordMs: 6, faults }];
const SCENARIOS = [
  {
    name: '400 questions, the popular ones oftener, for four minutes',
    accounts: account(),
    questions: (seed) => popular({ count: 400, seconds: 240, perSecond: 15, tokens: 600, seed }),
  },
  { name: 'one question 1,000 times within a second', accounts: account(), questions: () => stampede(1_000, 600) },
  {
    name: 'the same, while the vendor takes 300 requests a minute',
    accounts: account({ kind: 'rate-limit', perMinute: 300, retryAfterSeconds: 20 }),
    questions: () => stampede(1_000, 600),
  },
];
const RULE = { ttlSeconds: 120, when: 'deterministic', share: 0.1 };
const HEAD = [
  'What is asked',
  '`cache`',
  'Answered',
  'Questions to the vendor',
  'p50',
  'p99',
  '$ per 1,000',
  'Vendor’s bill',
];

export async function cache({ seed }) {
  const rows = [];
  for (const { name, accounts, questions } of SCENARIOS) {
    for (const isOn of [false, true]) {
      const asked = questions(seed);
      const done = await simulateChats({ accounts, questions: asked, words: 100, seed, ...(isOn && { cache: RULE }) });
      const answered = done.chats.filter(({ isWhole }) => isWhole);
      const times = answered.map(({ ms }) => ms);
      rows.push([
        isOn ? '' : name,
        isOn ? '`{ ttl: 120, share: 0.1 }`' : '—',
        percent(answered.length, done.chats.length),
        String(done.vendors.get(1).requests),
        secondsOf(quantile(times, 0.5)),
        secondsOf(quantile(times, 0.99)),
        perThousand(
          sumOf(done.chats, ({ dollars }) => dollars),
          answered.length,
        ),
        perThousand(done.vendorDollars, answered.length),
      ]);
    }
  }
  return tableOf(HEAD, 2, rows);
}

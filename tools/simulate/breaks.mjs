/** Streams that break in the middle, ended with an error and continued by another account. */
import { simulateChats } from '../../libs/core/src/kinds/chat/testing/simulation.ts';
import { steadily } from '../../libs/core/src/kinds/chat/testing/questions.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

const both = (...faults) => [1, 2].map((id) => ({ id, firstMs: 600, wordMs: 15, faults }));

const SCENARIOS = [
  { name: 'nothing', accounts: both() },
  { name: 'one stream of twenty is cut', accounts: both({ kind: 'cut', share: 0.05 }) },
  { name: 'three streams of ten are cut', accounts: both({ kind: 'cut', share: 0.3 }) },
  {
    name: 'one account dies for a minute, with its streams',
    accounts: [both({ kind: 'outage', from: 60, until: 120 })[0], both()[1]],
  },
];
const HEAD = [
  'What goes wrong',
  '`on_break`',
  'Whole answers',
  'p50',
  'p99',
  'Continued',
  'Seams with a fault',
  '$ per 1,000 whole ones',
  'Vendors’ bill',
];

export async function breaks({ seed }) {
  const rows = [];
  for (const { name, accounts } of SCENARIOS) {
    for (const continuesBroken of [false, true]) {
      const questions = steadily({ seconds: 180, perSecond: 8, tokens: 600, seed });
      const done = await simulateChats({ accounts, questions, route: { continuesBroken }, seed });
      const whole = done.chats.filter(({ isWhole }) => isWhole);
      const continued = done.chats.filter(({ seams }) => seams > 0);
      const times = whole.map(({ ms }) => ms);
      rows.push([
        continuesBroken ? '' : name,
        continuesBroken ? '`continue`' : '—',
        percent(whole.length, done.chats.length),
        secondsOf(quantile(times, 0.5)),
        secondsOf(quantile(times, 0.99)),
        percent(continued.length, done.chats.length),
        String(continued.filter(({ isWrong }) => isWrong).length),
        perThousand(
          sumOf(done.chats, ({ dollars }) => dollars),
          whole.length,
        ),
        perThousand(done.vendorDollars, whole.length),
      ]);
    }
  }
  return tableOf(HEAD, 2, rows);
}

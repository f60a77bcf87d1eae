/** Two accounts of which some answers begin late, asked once and asked twice. */
import { simulateChats } from '../../libs/core/src/kinds/chat/testing/simulation.ts';
import { steadily } from '../../libs/core/src/kinds/chat/testing/questions.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

const both = (...faults) => [1, 2].map((id) => ({ id, firstMs: 600, wordMs: 6, faults }));
const minute = { from: 60, until: 120 };

const SCENARIOS = [
  {
    name: 'four answers of a hundred begin ten times as late',
    accounts: both({ kind: 'late', share: 0.04, times: 10 }),
  },
  {
    name: 'one account begins ten times as late for a minute',
    accounts: [both({ kind: 'late', share: 1, times: 10, ...minute })[0], both()[1]],
  },
  {
    name: 'both begin ten times as late for a minute',
    accounts: both({ kind: 'late', share: 1, times: 10, ...minute }),
  },
  { name: 'both are out for a minute (`503`)', accounts: both({ kind: 'outage', ...minute }) },
];
const HEDGES = [undefined, { quantile: 0.95, budget: 0.05 }, { quantile: 0.95, budget: 0.1 }];
const HEAD = [
  'What goes wrong',
  '`hedge`',
  'Answered',
  'p50 to the first word',
  'p99',
  'Asked twice',
  '$ per 1,000',
  'Vendors’ bill',
];

export async function hedging({ seed }) {
  const rows = [];
  for (const { name, accounts } of SCENARIOS) {
    for (const hedge of HEDGES) {
      const questions = steadily({ seconds: 180, perSecond: 12, tokens: 600, seed });
      const done = await simulateChats({ accounts, questions, words: 100, route: { ...(hedge && { hedge }) }, seed });
      const answered = done.chats.filter(({ isWhole }) => isWhole);
      const times = answered.map(({ firstMs }) => firstMs);
      rows.push([
        hedge === undefined ? name : '',
        hedge === undefined ? '—' : `\`percentile: ${100 * hedge.quantile}, budget: ${hedge.budget}\``,
        percent(answered.length, done.chats.length),
        secondsOf(quantile(times, 0.5)),
        secondsOf(quantile(times, 0.99)),
        hedge === undefined ? '—' : percent(done.hedged.first + done.hedged.second, done.chats.length),
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

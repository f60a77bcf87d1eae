/** A cheap account whose vendor has limits, and a dear one behind it: what budgets make of it. */
import { simulateChats } from '../../libs/core/src/kinds/chat/testing/simulation.ts';
import { steadily } from '../../libs/core/src/kinds/chat/testing/questions.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

const LIMIT = { kind: 'rate-limit', perMinute: 300, retryAfterSeconds: 20 };
const learnt = (budget) => ({ models: {}, learns: false, ...budget });
const BUDGETS = [
  ['—', undefined],
  ['`{}`: what its headers say', learnt({ learns: true })],
  ['`{ requests_per_minute: 300 }`', learnt({ requestsPerMinute: 300 })],
  ['`{ tokens_per_minute: 180000 }`', learnt({ tokensPerMinute: 180_000 })],
  ['`{ dollars_per_minute: 0.06 }`', learnt({ dollarsPerMinute: 0.06 })],
];
const HEAD = [
  '`budget`',
  'Answered',
  '`429` of the vendor',
  'p99 to the first word',
  'By the cheap account',
  'Most of it in a minute',
  '$ per 1,000',
];

export async function budgets({ seed }) {
  const rows = [];
  for (const [name, budget] of BUDGETS) {
    const cheap = { id: 1, firstMs: 600, wordMs: 6, faults: [LIMIT], price: { input: 0.25, output: 1 } };
    const { chats, vendors } = await simulateChats({
      accounts: [
        { ...cheap, ...(budget && { budget }) },
        { id: 2, firstMs: 400, wordMs: 4, priority: 2, price: { input: 2.5, output: 10 } },
      ],
      questions: steadily({ seconds: 240, perSecond: 15, tokens: 600, seed }),
      words: 100,
      seed,
    });
    const answered = chats.filter(({ isWhole }) => isWhole);
    const own = answered.filter(({ by }) => by === 1);
    rows.push([
      name,
      percent(answered.length, chats.length),
      String(vendors.get(1).limited),
      secondsOf(
        quantile(
          answered.map(({ firstMs }) => firstMs),
          0.99,
        ),
      ),
      percent(own.length, answered.length, 0),
      mostInAMinute(own),
      perThousand(
        sumOf(chats, ({ dollars }) => dollars),
        answered.length,
      ),
    ]);
  }
  return tableOf(HEAD, 1, rows);
}

/** Requests, tokens and dollars of the fullest minute, by when they began. */
function mostInAMinute(chats) {
  const most = Math.max(
    ...chats.map(
      ({ question: { at } }) => chats.filter((other) => other.question.at >= at && other.question.at < at + 60).length,
    ),
  );
  return `${most} requests, ${Math.round((most * 700) / 1000)}k tokens, $${(most * 0.00025).toFixed(3)}`;
}

/** Conversations with long beginnings over four accounts that each keep what they have read, with and without affinity. */
import { simulateChats } from '../../libs/core/src/kinds/chat/testing/simulation.ts';
import { conversations } from '../../libs/core/src/kinds/chat/testing/questions.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

const account = (id, more = {}) => ({ id, firstMs: 900, wordMs: 6, ...more });
const SECONDS = 240;
/** When something happens, seconds; how conversations stand before and after is looked at on both sides of it. */
const HAPPENS = 120;

const SCENARIOS = [
  { name: 'nothing', accounts: [1, 2, 3, 4].map((id) => account(id)) },
  {
    name: 'the fourth account dies',
    accounts: [1, 2, 3, 4].map((id) =>
      account(id, id === 4 ? { faults: [{ kind: 'outage', from: HAPPENS, until: Infinity }] } : {}),
    ),
    moved: (before) => before === 4,
    of: 'its own',
  },
  {
    name: 'a fifth account joins',
    accounts: [1, 2, 3, 4, 5].map((id) => account(id, id === 5 ? { joins: HAPPENS } : {})),
    moved: (_, after) => after === 5,
    of: 'to it',
  },
];
const HEAD = [
  'What happens',
  '`affinity`',
  'Answered',
  'Read from caches',
  'p50 to the first word',
  '$ per 1,000',
  'Conversations that move',
];

export async function affinity({ seed }) {
  const rows = [];
  for (const { name, accounts, moved, of } of SCENARIOS) {
    for (const isOn of [false, true]) {
      const questions = conversations({ count: 150, seconds: SECONDS, everySeconds: 15, tokens: 2_000, seed });
      const { chats, vendors } = await simulateChats({
        accounts,
        questions: questions.map((question) => ({ ...question, stream: true })),
        words: 100,
        route: isOn ? { affinity: 'prefix' } : {},
        seed,
      });
      const answered = chats.filter(({ isWhole }) => isWhole);
      const billed = [...vendors.values()].map((tally) => tally.billed);
      rows.push([
        isOn ? '' : name,
        isOn ? '`prefix`' : '—',
        percent(answered.length, chats.length),
        percent(
          sumOf(billed, ({ fromCache }) => fromCache),
          sumOf(billed, ({ read }) => read),
          0,
        ),
        secondsOf(
          quantile(
            answered.map(({ firstMs }) => firstMs),
            0.5,
          ),
        ),
        perThousand(
          sumOf(chats, ({ dollars }) => dollars),
          answered.length,
        ),
        isOn ? movesIn(answered, moved, of) : 'at every turn',
      ]);
    }
  }
  return tableOf(HEAD, 2, rows);
}

/** Of those whose account is another one afterwards: how many for a good reason, and how many without. */
function movesIn(chats, isMeant = () => false, of = '') {
  const places = Map.groupBy(chats, ({ question }) => question.name);
  let meant = 0;
  let others = 0;
  for (const own of places.values()) {
    const before = own.findLast(({ question }) => question.at < HAPPENS)?.by;
    const after = own.at(-1).by;
    if (before === undefined || before === after) continue;
    if (isMeant(before, after)) meant++;
    else others++;
  }
  return of === '' ? `${others} of ${places.size}` : `${meant} of ${places.size}, ${of}; ${others} others`;
}

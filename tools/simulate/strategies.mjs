/** Three models of an account each, by strategy. */
import { simulate, SIMULATED_MODELS } from '../../libs/core/src/paid/testing/simulation.ts';
import { STRATEGIES } from '../../libs/core/src/routing/route.ts';
import { percent, perThousand, quantile, secondsOf, sumOf, tableOf } from './figures.mjs';

/** What goes wrong, by the vendor twin's faults; a minute of four. */
const minute = { from: 60, until: 120 };
const always = { from: 0, until: Infinity };
const perMinute = { kind: 'rate-limit', perSecond: 5, seconds: 60, retryAfterSeconds: 20 };

const SCENARIOS = [
  { name: 'nothing', troubles: [] },
  { name: 'swift is out for a minute (`503`)', troubles: [{ model: 'swift', ...minute, fault: { kind: 'outage' } }] },
  {
    name: 'swift never answers for a minute (`hang`)',
    troubles: [{ model: 'swift', ...minute, fault: { kind: 'hang' } }],
  },
  {
    name: 'swift takes eight times as long for a minute (`slow`)',
    troubles: [{ model: 'swift', ...minute, fault: { kind: 'slow', times: 8 } }],
  },
  {
    name: 'plain loses three connections of ten (`reset`)',
    troubles: [{ model: 'plain', ...always, fault: { kind: 'reset', share: 0.3 } }],
  },
  {
    name: 'frugal takes five requests a second (`429=5`)',
    troubles: [{ model: 'frugal', ...always, fault: { kind: 'rate-limit', perSecond: 5, retryAfterSeconds: 5 } }],
  },
  {
    name: 'frugal takes 300 requests a minute (`429=20`)',
    troubles: [{ model: 'frugal', ...always, fault: perMinute }],
  },
  {
    name: 'the same, with `budget: { requests_per_minute: 300 }`',
    troubles: [{ model: 'frugal', ...always, fault: perMinute }],
    perMinute: { frugal: 300 },
  },
  {
    name: 'all are out for a minute (`503`)',
    troubles: ['swift', 'plain', 'frugal'].map((model) => ({ model, ...minute, fault: { kind: 'outage' } })),
  },
];

const CODES = SIMULATED_MODELS.map(({ code }) => code);
const HEAD = ['What goes wrong', 'Strategy', 'Answered', 'p50', 'p99', '$ per 1,000', ...CODES, 'Attempts'];

/** `shape` is the seed, the seconds and the requests a second. */
export async function strategies(shape) {
  const rows = [];
  for (const { name, troubles, perMinute } of SCENARIOS) {
    for (const strategy of STRATEGIES) {
      rows.push([
        strategy === STRATEGIES[0] ? name : '',
        `\`${strategy}\``,
        ...figures(await simulate({ strategy, troubles, perMinute, ...shape })),
      ]);
    }
  }
  return tableOf(HEAD, 2, rows);
}

function figures(requests) {
  const answered = requests.filter(({ by }) => by !== undefined);
  const times = answered.map(({ ms }) => ms);
  return [
    percent(answered.length, requests.length),
    secondsOf(quantile(times, 0.5)),
    secondsOf(quantile(times, 0.99)),
    perThousand(
      sumOf(answered, ({ dollars }) => dollars),
      answered.length,
    ),
    ...CODES.map((code) => percent(answered.filter(({ by }) => by === code).length, answered.length, 0)),
    (sumOf(requests, ({ asked }) => asked.length) / requests.length).toFixed(2),
  ];
}

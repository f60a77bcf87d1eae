// One row per thing measured: what each target did, how that compares, and whether it is within its budget.
import { median } from './rounds.mjs';

/** How a target's number is set beside the one it is compared with, both of the same round. */
const COMPARISONS = {
  ratio: { of: (value, base) => value / base, digits: 2, sign: '×' },
  added: { of: (value, base) => value - base, digits: 2, sign: '+' },
};

/**
 * A row of interleaved samples. `number` picks it out of a sample; `base` names the variant to compare with.
 * `budget`: `{ most }` or `{ least }`, of the comparison; without a base, of the number itself.
 */
export function rowOf({ what, digits = 0, samples, number, columns, base, comparison = 'ratio', budget }) {
  const numbers = (name) => samples[name]?.map((sample) => sample[number]);
  const { of, digits: comparedDigits, sign } = COMPARISONS[comparison];
  const compared = (name, over, by = of) => numbers(name)?.map((value, round) => by(value, over[round]));
  const cell = (name) => textOf(numbers(name), digits);
  const bases = base === undefined ? undefined : numbers(base);
  const judged = bases === undefined ? numbers(columns.now) : compared(columns.now, bases);
  const change = numbers(columns.before) && compared(columns.now, numbers(columns.before), COMPARISONS.ratio.of);
  return {
    what,
    floor: cell(columns.floor),
    before: cell(columns.before),
    now: cell(columns.now),
    compared: bases === undefined ? '' : sign + spread(judged, comparedDigits),
    comparedBefore:
      bases && numbers(columns.before) ? sign + spread(compared(columns.before, bases), comparedDigits) : '',
    change: change === undefined ? '' : `×${spread(change, 2)}`,
    ...verdict(median(judged), budget),
  };
}

function textOf(numbers, digits) {
  return numbers === undefined ? '' : median(numbers).toFixed(digits);
}

/** The median, and the least and the most of the rounds. */
function spread(numbers, digits) {
  const text = median(numbers).toFixed(digits);
  if (numbers.length === 1) return text;
  return `${text} (${Math.min(...numbers).toFixed(digits)}–${Math.max(...numbers).toFixed(digits)})`;
}

function verdict(value, budget) {
  if (budget === undefined) return { budget: '', met: '' };
  const isMet = budget.most === undefined ? value >= budget.least : value <= budget.most;
  const text = budget.most === undefined ? `≥ ${budget.least}` : `≤ ${budget.most}`;
  return { budget: text + (budget.unit ?? ''), met: isMet ? 'met' : 'not met' };
}

const HEADINGS = [
  ['what', ''],
  ['floor', 'floor'],
  ['before', 'before'],
  ['now', 'now'],
  ['compared', 'now against floor'],
  ['comparedBefore', 'before against floor'],
  ['change', 'now against before'],
  ['budget', 'budget'],
  ['met', ''],
];

/** Columns that say something, as lines of text cells. */
function grid(rows) {
  const used = HEADINGS.filter(([key]) => rows.some((row) => row[key] !== ''));
  return [used.map(([, heading]) => heading), ...rows.map((row) => used.map(([key]) => row[key]))];
}

/** For the terminal. */
export function asText(rows) {
  const lines = grid(rows);
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) => line.map((cell, column) => cell[column === 0 ? 'padEnd' : 'padStart'](widths[column])).join('  '))
    .join('\n');
}

/** For the page. */
export function asMarkdown(rows) {
  const [headings, ...lines] = grid(rows);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map((_, index) => (index === 0 ? '---' : '--:'))), ...lines.map(line)].join(
    '\n',
  );
}

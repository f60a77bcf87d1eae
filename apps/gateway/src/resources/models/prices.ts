/** Prices of the catalogue for people. */
import type { components } from '@model-gateway/contracts';
import { dollars, table, type Paint } from '../../commands/output.ts';

type Model = components['schemas']['CatalogueModel'];

const WIDEST_LINE = 160;
/** Of a million tokens, beside those that have a column. */
const TOKENS: Readonly<Record<string, string>> = {
  cached_input: 'cached input',
  cache_write: 'cache write',
  cache_write_1h: 'cache write for 1 h',
  cache_storage: 'cached content for 1 h',
  reasoning: 'reasoning',
  input_image: 'pictures in',
  output_image: 'pictures out',
  input_audio: 'sound in',
  output_audio: 'sound out',
};
const IN_COLUMNS = new Set(['input', 'output', 'output_tokens']);

/** Every model with what it costs: tokens by the million, everything else by the piece. */
export function priceTable(models: readonly Model[], paint: Paint): string {
  const rows = models.map(({ id, kind, price = {} }) => [
    id,
    kind,
    cell(price['input']),
    cell(price['output'] ?? price['output_tokens']),
    Object.entries(price)
      .filter(([name]) => !IN_COLUMNS.has(name))
      .flatMap(([name, value]) => words(name, value))
      .join(', '),
  ]);
  return [
    table(['model', 'kind', 'input', 'output', 'and'], rows, paint, WIDEST_LINE),
    paint('dim', 'In US dollars; input, output and what is cached of them for a million tokens.'),
  ].join('\n');
}

function cell(value: unknown): string {
  return typeof value === 'number' ? dollars(value) : '';
}

/** `$0.10 a second`, `1080p ×1.6`, `sound ×1.5` */
function words(name: string, value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([below, each]) => {
      if (name === 'long_context')
        return below === 'above' ? [`more above ${Number(each).toLocaleString('en-US')} tokens`] : [];
      return typeof each === 'number' ? [`${below.replaceAll('_', ' ')} ×${each}`] : [];
    });
  if (typeof value !== 'number') return [];
  if (name === 'audio_factor') return [`sound ×${value}`];
  if (name === 'batch') return [`in batches ×${value}`];
  if (name === 'character') return [`${dollars(value)} a million characters`];
  const tokens = TOKENS[name];
  return [
    tokens === undefined ? `${dollars(value)} ${articled(name.replaceAll('_', ' '))}` : `${tokens} ${dollars(value)}`,
  ];
}

function articled(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

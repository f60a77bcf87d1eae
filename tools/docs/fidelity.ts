/**
 * Writes the tables of docs/guides/fidelity.md by asking the translator itself: each feature is sent from each format to each other
 * one, and what comes out, is named as dropped, or is refused, is what the table says. With --check it only says whether they are current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIALECT_NAMES, type ChatFormat, type JsonObject } from '@model-gateway/contracts';
import { openai } from '@model-gateway/provider-openai';
import { dialectFacts, dialects, type Target } from '@model-gateway/translate';
import { dialectSamples, FEATURES, type Feature } from '@model-gateway/translate/samples';
import { parse } from 'yaml';
import { formatted } from './format.ts';

const PAGE = fileURLToPath(new URL('../../docs/guides/fidelity.md', import.meta.url));
const EXCEPTIONS = new URL('../../spec/pass-through-exceptions.yaml', import.meta.url);
const START = '<!-- tables: written by tools/docs/fidelity.ts -->';

export type Outcome =
  | { readonly kind: 'carried' }
  | { readonly kind: 'named'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** What a vendor itself has, as its adapter or the catalogue declares it, where the tables are of that. */
const QUIRKS: Readonly<Partial<Record<string, JsonObject>>> = {
  openai: openai.declares.chatQuirks ?? {},
  // As the catalogue's claude-sonnet-4-5.
  anthropic: { thinking: 'budget' },
};

function targetOf(format: ChatFormat): Target {
  const { target } = dialectSamples[format];
  return { ...target, maxOutputTokens: 64_000, quirks: QUIRKS[target.provider] ?? {} };
}

/** What becomes of a feature on its way from one format to another; undefined when the first cannot say it. */
export function outcomeOf(feature: Feature, from: ChatFormat, to: ChatFormat): Outcome | undefined {
  const { plain, features } = dialectSamples[from];
  const extra = features[feature];
  if (extra === undefined) return undefined;
  const request = dialects[from].decodeRequest({ ...plain, ...extra }, { model: 'm', stream: false });
  try {
    const { dropped } = dialects[to].encodeRequest(request, targetOf(to));
    const [first] = dropped;
    return first === undefined ? { kind: 'carried' } : { kind: 'named', reason: first.reason };
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

const MARKS: Readonly<Record<Outcome['kind'], string>> = { carried: '✓', named: 'named', refused: '400' };

/** The tables as Markdown. */
export function tables(): string {
  return DIALECT_NAMES.map((from) => {
    const others = DIALECT_NAMES.filter((to) => to !== from);
    const rows = FEATURES.flatMap((feature) => {
      const outcomes = others.map((to) => outcomeOf(feature, from, to));
      if (outcomes.every((outcome) => outcome === undefined)) return [];
      const cells = outcomes.map((outcome) =>
        outcome === undefined
          ? ''
          : outcome.kind === 'named'
            ? `${MARKS.named}: ${outcome.reason}`
            : MARKS[outcome.kind],
      );
      return [`| ${[feature, ...cells].join(' | ')} |`];
    });
    return [
      `## From ${dialectFacts[from].title}`,
      '',
      `| Your request has | to ${others.map((to) => dialectFacts[to].title).join(' | to ')} |`,
      `| --- | ${others.map(() => '---').join(' | ')} |`,
      ...rows,
    ].join('\n');
  }).join('\n\n');
}

/** The page with its tables as they are now. */
export function currentPage(page: string): string {
  const at = page.indexOf(START);
  if (at === -1) throw new Error(`docs/guides/fidelity.md has no line ${START}`);
  return `${page.slice(0, at)}${START}\n\n${exceptionsTable()}\n\n${tables()}\n`;
}

/** Something that does not pass as it came between a client and a vendor of the same format. */
interface Exception {
  readonly of: 'requests' | 'answers';
  readonly what: string;
  readonly becomes: string;
  readonly reason: string;
}

function exceptionsTable(): string {
  const rows = parse(readFileSync(EXCEPTIONS, 'utf8')) as readonly Exception[];
  const lines = rows.map(({ of, what, becomes, reason }) => `| ${of} | ${what} | ${becomes} | ${reason} |`);
  return ['## The same format', '', '| Of | What | Becomes | Because |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(PAGE, 'utf8');
  const after = await formatted(PAGE, currentPage(before));
  if (!process.argv.includes('--check')) writeFileSync(PAGE, after);
  else if (before !== after) {
    console.error(
      'docs/guides/fidelity.md does not say what the translator does. Run: npx node tools/docs/fidelity.ts',
    );
    process.exit(1);
  }
}

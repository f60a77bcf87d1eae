/** Rows that stand for every model whose name begins as theirs: `openai/*`. */
import type { ConfigFault, Path } from './fault.ts';
import type { ModelFileRow } from './schema.ts';

const WILDCARD = /^[^*]*[^*\s]\*$/;

/** What is wrong with the stars of a row. */
export function wildcardFaults(path: Path, row: ModelFileRow): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const isWild = row.code.includes('*');
  if (isWild && !WILDCARD.test(row.code)) {
    faults.push({ path: [...path, 'code'], message: 'a wildcard has one * at its end, behind something: openai/*' });
  }
  for (const [index, alias] of (row.aliases ?? []).entries()) {
    if (isWild || alias.includes('*')) {
      const message = isWild ? 'a wildcard has no aliases' : 'an alias is one name; a wildcard is a row of its own';
      faults.push({ path: [...path, 'aliases', index], message });
    }
  }
  for (const [index, { model }] of row.offers.entries()) {
    const stars = model.split('*').length - 1;
    if (stars > (isWild ? 1 : 0)) {
      const message = isWild
        ? 'one * at most, for what the * of the code stood for'
        : 'only a wildcard’s offers have a *';
      faults.push({ path: [...path, 'offers', index, 'model'], message });
    }
  }
  return faults;
}

/** Whether a key's word names models that a wildcard row stands for. */
export function standsForAnything(code: string, word: string): boolean {
  return code.endsWith('*') && word.length >= code.length && word.startsWith(code.slice(0, -1));
}

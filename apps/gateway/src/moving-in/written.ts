/** A draft as the text of a configuration file. */
import { Document, isScalar, visit } from 'yaml';
import { OPERATIONS } from '@model-gateway/contracts';
import type { Draft, ModelRow } from './draft.ts';
import type { KnownModels } from './known-models.ts';

const SHORTEST_KEY = 16;

/** The file. What is left to do stands in comments at its head; values that were secret in the other file are variables here. */
export function fileOf(draft: Draft, known: KnownModels, from: string): string {
  for (const { name, key } of draft.keys) {
    const value = draft.secrets.get(/^\$\{(\w+)\}$/.exec(key)?.[1] ?? '');
    if (value !== undefined && value.length < SHORTEST_KEY)
      draft.note(`keys (${name})`, `is shorter than ${SHORTEST_KEY} characters: give its callers another`);
  }
  const models = [...draft.models.values()].flatMap((row) => withoutKnown(row, known) ?? []);
  const sections = {
    groups: Object.keys(draft.groups).length > 0 ? draft.groups : undefined,
    owners: draft.owners.length > 0 ? draft.owners : undefined,
    keys: draft.keys.length > 0 ? draft.keys : undefined,
    accounts: draft.accounts.size > 0 ? [...draft.accounts.values()] : undefined,
    models: models.length > 0 ? models : undefined,
  };
  const said = Object.values(sections).some((section) => section !== undefined);
  return [
    `# yaml-language-server: $schema=http://127.0.0.1:8080${OPERATIONS.getDocs.path}/gateway.schema.json`,
    `# Made from ${from}. The built-in catalogue lies beneath: what is as there is not repeated.`,
    ...comment('Set these variables before the start:', [...draft.secrets.keys()]),
    ...comment('What differs, and what is not carried over:', draft.notes),
    ...comment('When the gateway runs:', draft.commands),
    '',
    said ? yamlOf(sections) : '{}\n',
  ].join('\n');
}

function comment(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['#', `# ${head}`, ...lines.map((line) => `#   ${line.replace(/\s*\n\s*/g, ' ')}`)];
}

/** A row of a built-in model says only what it changes; undefined where it changes nothing. */
function withoutKnown(row: ModelRow, known: KnownModels): ModelRow | undefined {
  const like = known.code(row.code);
  if (like === undefined || like.code !== row.code || like.kind !== row.kind) return row;
  const { code, ...members } = row;
  const changed = Object.entries(members).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(like[name as keyof ModelRow]),
  );
  return changed.length === 0 ? undefined : { code, ...Object.fromEntries(changed) };
}

/** What holds nothing but texts and numbers stands in one line. */
function yamlOf(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Map: (_key, map) => void (map.flow = map.items.every((item) => isScalar(item.value))),
    Seq: (_key, list) => void (list.flow = list.items.every(isScalar)),
  });
  return document.toString({ lineWidth: 0, singleQuote: true });
}

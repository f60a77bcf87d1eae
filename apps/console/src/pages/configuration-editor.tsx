/** One row of the configuration: what the database keeps of it is edited as JSON, checked and compared before it is saved. */
import { Button, Loader, Tabs, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { sendWell } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { CodeBlock, FaultBox } from '../ui/parts.tsx';
import { ConfigurationFaults } from './configuration-faults.tsx';
import { ENTRY_QUERIES } from './entry-queries.ts';
import { RowForm } from './row-form.tsx';
import { membersOf, stepsOf, valueAt, type JsonSchema, type Row } from './row-schema.ts';

type Entry = Pick<
  Schemas['ConfigEntry'],
  'section' | 'name' | 'version' | 'kept' | 'removed' | 'beneath' | 'value' | 'faults'
>;
type Result = Schemas['ConfigChangeResult'];

export interface EditorProps {
  readonly entry: Entry;
  /** What it begins with where there is nothing yet. */
  readonly template?: object;
  readonly isEditable: boolean;
  readonly onDone: () => void;
}

export function ConfigurationEditor({ entry, template = {}, isEditable, onDone }: EditorProps) {
  const { beneath, value, faults } = entry;
  const change = useEntryChange(entry, template, onDone);
  return (
    <div className="stack">
      <ConfigurationFaults title={t('Left out of the database: these rows do not fit')} of={faults} />
      {isEditable && (
        <>
          <p className="quiet small">
            {t(
              'Members over the row beneath, as the configuration file has them. Secrets are ${NAME} of the environment, or sealed; *** keeps the one that is there.',
            )}
          </p>
          <KeptRow entry={entry} change={change} />
          <EntryButtons entry={entry} change={change} onDone={onDone} />
          {change.check.isError && <FaultBox error={change.check.error} />}
          {change.save.isError && <FaultBox error={change.save.error} />}
          {change.result !== undefined && <Differences result={change.result} />}
        </>
      )}
      {value !== null && <Shown title={t('In effect')} row={value} />}
      {beneath !== null && <Shown title={t('Beneath: file and built-in catalogue')} row={beneath} />}
    </div>
  );
}

type EntryChange = ReturnType<typeof useEntryChange>;

/** The text that is edited; it is checked as it stands, and what was found counts until it changes. */
function useEntryChange({ section, name, version, kept }: Entry, template: object, onDone: () => void) {
  const [text, setText] = useState(() => shown(kept ?? template));
  const [fault, setFault] = useState<string>();
  const [checked, setChecked] = useState<Checked>();
  const queries = useQueryClient();
  const put = async (dryRun: boolean): Promise<Result> => {
    const params = { path: { section, name }, query: { version, ...(dryRun && { dry_run: true }) } };
    const body = { value: parsed(text) };
    return ask(api.PUT('/admin/config/entries/{section}/{name}', { params, body }));
  };
  const check = useMutation({
    mutationFn: () => put(true),
    onSuccess: (result) => setChecked({ text, result }),
  });
  const save = useMutation({
    mutationFn: () => put(false),
    onSuccess: async () => {
      notifications.show({ message: t('Saved'), closeButtonProps: { 'aria-label': t('Close') } });
      for (const queryKey of ENTRY_QUERIES) await queries.invalidateQueries({ queryKey });
      onDone();
    },
  });
  /** Checks or saves, unless the text is no row. */
  const begin = (act: { mutate: () => void }): void => {
    try {
      parsed(text);
      setFault(undefined);
      act.mutate();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const result = checked?.text === text ? checked.result : undefined;
  return { text, setText, fault, checked, result, check, save, begin };
}

interface PartProps {
  readonly entry: Entry;
  readonly change: EntryChange;
}

/** What the database keeps of the row: as fields, and as JSON. */
function KeptRow({ entry, change: { text, setText, fault, checked } }: PartProps) {
  return (
    <>
      <Tabs defaultValue="form">
        <Tabs.List>
          <Tabs.Tab value="form">{t('Form')}</Tabs.Tab>
          <Tabs.Tab value="json">{t('JSON')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form" pt="sm">
          <Fields
            section={entry.section}
            text={text}
            onText={setText}
            beneath={entry.beneath}
            faults={placedFaults(entry, checked, text)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="json" pt="sm">
          <Textarea
            classNames={{ input: 'mono' }}
            label={t('Kept in the database')}
            error={fault}
            minRows={10}
            rows={18}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Tabs.Panel>
      </Tabs>
      {fault !== undefined && <p className="small field-fault">{fault}</p>}
    </>
  );
}

/** Check it, save it, and the two ways to be rid of it. */
function EntryButtons({ entry, change, onDone }: PartProps & Pick<EditorProps, 'onDone'>) {
  const { section, name, version, beneath, removed } = entry;
  const { check, save, begin, result } = change;
  const params = { path: { section, name }, query: { version } };
  const removal = async (): Promise<void> => {
    await ask(api.PUT('/admin/config/entries/{section}/{name}', { params, body: { removed: true } }));
    onDone();
  };
  const fallBack = async (): Promise<void> => {
    await ask(api.DELETE('/admin/config/entries/{section}/{name}', { params }));
    onDone();
  };
  return (
    <div className="row">
      <Button variant="default" loading={check.isPending} onClick={() => begin(check)}>
        {t('Check')}
      </Button>
      <Button disabled={result?.faults.length !== 0} loading={save.isPending} onClick={() => begin(save)}>
        {t('Save')}
      </Button>
      <span className="grow" />
      {version > 0 && (
        <Act
          name={beneath === null ? t('Delete') : t('Back to the file')}
          question={t('The database forgets what it has of this row. It can be undone.')}
          done={t('Changed')}
          changes={ENTRY_QUERIES}
          run={fallBack}
        />
      )}
      {beneath !== null && !removed && (
        <Act
          name={t('Take away')}
          question={t('The row is taken out of effect: nobody can ask for it any more. It can be undone.')}
          done={t('Changed')}
          changes={ENTRY_QUERIES}
          run={removal}
        />
      )}
    </div>
  );
}

interface FieldsProps {
  readonly section: Entry['section'];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly beneath: Row | null;
  readonly faults: ReadonlyMap<string, string>;
}

/** The same text as fields: both tabs change it, and neither has anything that the other does not. */
function Fields({ section, text, onText, beneath, faults }: FieldsProps) {
  const schema = useQuery({
    queryKey: ['row-schema'],
    staleTime: Infinity,
    queryFn: async () => (await (await sendWell('/docs/gateway.schema.json')).json()) as JsonSchema,
  });
  if (schema.isError) return <FaultBox error={schema.error} onRetry={() => void schema.refetch()} />;
  if (schema.data === undefined) return <Loader aria-label={t('Loading')} />;
  const row = rowOf(text);
  if (row === undefined)
    return <p className="quiet">{t('What stands under JSON cannot be read as a row yet: mend it there.')}</p>;
  return (
    <RowForm
      members={membersOf(schema.data, section)}
      row={row}
      beneath={beneath}
      faults={faults}
      onChange={(next) => onText(shown(next))}
    />
  );
}

interface Checked {
  readonly text: string;
  readonly result: Result;
}

/** What was wrong when it was checked last, where that was not changed since; by its place within the row. */
function placedFaults(
  { section, name }: Entry,
  checked: Checked | undefined,
  text: string,
): ReadonlyMap<string, string> {
  const before = rowOf(checked?.text ?? '');
  const now = rowOf(text);
  const head = `${section}[${name}].`;
  const placed = (checked?.result.faults ?? [])
    .filter(({ path }) => path.startsWith(head))
    .map(({ path, message }) => [path.slice(head.length), message] as const)
    .filter(([path]) => JSON.stringify(valueAt(before, stepsOf(path))) === JSON.stringify(valueAt(now, stepsOf(path))));
  return new Map(placed);
}

/** What saving would change, or why it would be refused. */
function Differences({ result: { differences, faults, warnings } }: { result: Result }) {
  return (
    <div aria-live="polite" className="stack">
      <ConfigurationFaults title={t('It would be refused')} of={faults} />
      {faults.length === 0 && (
        <div className="card">
          <b>{t('It would change')}</b>
          <ul className="small">
            {differences.length === 0 ? (
              <li>{t('Nothing is other')}</li>
            ) : (
              differences.map((each) => <li key={each}>{each}</li>)
            )}
          </ul>
        </div>
      )}
      <ConfigurationFaults title={t('Warnings')} of={warnings} tone="warn" />
    </div>
  );
}

function Shown({ title, row }: { title: string; row: object }) {
  return (
    <details>
      <summary>{title}</summary>
      <CodeBlock text={shown(row)} label={title} />
    </details>
  );
}

function shown(row: object): string {
  return JSON.stringify(row, undefined, 2);
}

function rowOf(text: string): Row | undefined {
  try {
    return parsed(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(t('This is no JSON: {why}', { why: error instanceof Error ? error.message : '' }));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  throw new Error(t('It must be an object in braces.'));
}

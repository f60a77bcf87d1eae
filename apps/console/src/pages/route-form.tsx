/** A model's way to others as a form: its steps with their weights and conditions, and what stands in when they fail. */
import { Autocomplete, Button, MultiSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { FaultBox } from '../ui/parts.tsx';
import { ENTRY_QUERIES } from './entry-queries.ts';
import { ConfigurationFaults } from './configuration-faults.tsx';
import { keptRow, lacksSteps, routePart, type FallbackCause } from './route-row.ts';
import { valueAt, withValue, type Row, type RowPath } from './row-schema.ts';

type Entry = Schemas['ConfigEntry'];

const STRATEGIES = ['weighted', 'least_busy', 'lowest_latency', 'cheapest'] as const;
const INPUTS = ['image', 'audio', 'video', 'document', 'tools'] as const;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const CAUSES: Readonly<Record<FallbackCause, Text>> = {
  on_error: 'When all of them fail',
  on_context_too_long: 'When the input is too long',
  on_content_refusal: 'When the content is refused',
};

export interface RouteFormProps {
  readonly entry: Entry;
  /** Models that a step can lead to. */
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}

export function RouteForm({ entry, codes, onSaved }: RouteFormProps) {
  const { row, change, check, save } = useRoute(entry, onSaved);
  const isRefused = lacksSteps(entry, row);
  const steps = (valueAt(row, ['routes']) as readonly unknown[] | undefined)?.length ?? 0;
  return (
    <form
      className="stack row-form"
      aria-label={t('The route as a form')}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRefused) save.mutate();
      }}
    >
      <Select
        label={t('Order of the steps')}
        description={t('Steps of the same priority are put in this order.')}
        clearable
        clearButtonProps={{ 'aria-label': t('Clear') }}
        data={[...STRATEGIES]}
        value={(valueAt(row, ['strategy']) as string | undefined) ?? null}
        onChange={(strategy) => change(['strategy'], strategy ?? undefined)}
      />
      {Array.from({ length: steps }, (_, at) => (
        <Step key={`${steps} ${at}`} at={at} row={row} codes={codes} change={change} />
      ))}
      {isRefused && (
        <p className="small field-fault" role="alert">
          {t('The file says steps of this route: keep one here, or take them out of the file.')}
        </p>
      )}
      <div>
        <Button size="xs" variant="default" onClick={() => change(['routes', steps], { model: '' })}>
          {t('Add a step')}
        </Button>
      </div>
      <Fallbacks row={row} codes={codes} change={change} />
      {check.data !== undefined && <Checked result={check.data} />}
      {check.isError && <FaultBox error={check.error} />}
      {save.isError && !check.isError && <FaultBox error={save.error} />}
      <div className="row">
        <span className="grow" />
        <Button variant="default" loading={check.isPending} disabled={isRefused} onClick={() => check.mutate()}>
          {t('Check')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={isRefused}>
          {t('Save')}
        </Button>
      </div>
    </form>
  );
}

/** The row as it is edited. It is checked before it is saved, and a change takes the last check's findings away. */
function useRoute(entry: Entry, onSaved: () => void) {
  const [row, setRow] = useState<Row>(() => routePart(entry.value));
  const queries = useQueryClient();
  const put = (dryRun: boolean) => {
    const { section, name, version } = entry;
    return ask(
      api.PUT('/admin/config/entries/{section}/{name}', {
        params: { path: { section, name }, query: { version, ...(dryRun && { dry_run: true }) } },
        body: { value: keptRow(entry, row) },
      }),
    );
  };
  const check = useMutation({ mutationFn: () => put(true) });
  const save = useMutation({
    mutationFn: async () => {
      const { faults } = await check.mutateAsync();
      if (faults.length > 0) return false;
      await put(false);
      return true;
    },
    onSuccess: async (isSaved) => {
      if (!isSaved) return;
      for (const queryKey of ENTRY_QUERIES) await queries.invalidateQueries({ queryKey });
      onSaved();
    },
  });
  const change = (path: RowPath, value: unknown): void => {
    check.reset();
    setRow((before) => withValue(before, path, value));
  };
  return { row, change, check, save };
}

interface PartProps {
  readonly row: Row;
  readonly codes: readonly string[];
  readonly change: (path: RowPath, value: unknown) => void;
}

function Fallbacks({ row, codes, change }: PartProps) {
  return (
    <>
      <h2>{t('Fallbacks')}</h2>
      {(Object.keys(CAUSES) as FallbackCause[]).map((cause) => (
        <TagsInput
          key={cause}
          label={t(CAUSES[cause])}
          description={t('Models, in the order in which they are asked.')}
          data={[...codes]}
          value={(valueAt(row, ['fallbacks', cause]) as string[] | undefined) ?? []}
          onChange={(models) => change(['fallbacks', cause], models.length === 0 ? undefined : models)}
        />
      ))}
    </>
  );
}

/** What saving would change, or why it would be refused. */
function Checked({ result: { faults, warnings, differences } }: { result: Schemas['ConfigChangeResult'] }) {
  return (
    <>
      <ConfigurationFaults title={t('It would be refused')} of={faults} />
      <ConfigurationFaults title={t('Warnings')} of={warnings} tone="warn" />
      {faults.length === 0 && (
        <ul className="small" aria-label={t('It would change')}>
          {differences.length === 0 ? (
            <li>{t('Nothing is other')}</li>
          ) : (
            differences.map((each) => <li key={each}>{each}</li>)
          )}
        </ul>
      )}
    </>
  );
}

function Step({ at, row, codes, change }: PartProps & { readonly at: number }) {
  const place: RowPath = ['routes', at];
  const when: RowPath = [...place, 'when'];
  const field = (member: string) => ({ row, change, path: [...place, member] });
  return (
    <fieldset className="row-of">
      <legend className="small">{t('Step {number}', { number: at + 1 })}</legend>
      <div className="fields">
        <Autocomplete
          label={t('Model')}
          limit={100}
          data={[...codes]}
          value={(valueAt(row, [...place, 'model']) as string | undefined) ?? ''}
          onChange={(model) => change([...place, 'model'], model)}
        />
        <NumberField
          {...field('weight')}
          label={t('Weight')}
          description={t('Share of the requests, beside the others.')}
        />
        <NumberField {...field('priority')} label={t('Priority')} description={t('Lower comes first.')} />
      </div>
      <details open={valueAt(row, when) !== undefined}>
        <summary>{t('Only for some requests')}</summary>
        <Conditions row={row} when={when} change={change} />
      </details>
      <Button
        size="xs"
        variant="default"
        aria-label={t('Remove {name}', { name: t('Step {number}', { number: at + 1 }) })}
        onClick={() => change(place, undefined)}
      >
        {t('Remove')}
      </Button>
    </fieldset>
  );
}

/** Which requests a step is for. */
function Conditions({ row, when, change }: Pick<PartProps, 'row' | 'change'> & { readonly when: RowPath }) {
  const field = (...steps: readonly string[]) => ({ row, change, path: [...when, ...steps] });
  return (
    <div className="fields">
      <NamesField {...field('groups')} label={t('Groups')} />
      <NamesField {...field('keys')} label={t('Key names')} />
      <NamesField {...field('regions')} label={t('Regions')} />
      <TagsInput
        label={t('Tags')}
        placeholder="team=search"
        value={tagPairs(valueAt(row, [...when, 'tags']))}
        onChange={(pairs) => change([...when, 'tags'], tagsOf(pairs))}
      />
      <WordsField {...field('inputs')} label={t('Inputs beside text')} words={INPUTS} />
      <NumberField {...field('input_tokens', 'from')} label={t('Input tokens from')} />
      <NumberField {...field('input_tokens', 'below')} label={t('Input tokens below')} />
      <TextField {...field('time', 'from')} label={t('Time of day from')} placeholder="22:00" />
      <TextField {...field('time', 'until')} label={t('Time of day until')} placeholder="06:00" />
      <WordsField {...field('time', 'days')} label={t('Days')} words={DAYS} />
      <TextField {...field('time', 'zone')} label={t('Time zone')} placeholder="Europe/Berlin" />
    </div>
  );
}

/** A field of the row: what is emptied is taken out of it. */
interface FieldProps extends Pick<PartProps, 'row' | 'change'> {
  readonly path: RowPath;
  readonly label: string;
}

function NumberField({ row, change, path, ...shown }: FieldProps & { readonly description?: string }) {
  return (
    <NumberInput
      {...shown}
      hideControls
      value={(valueAt(row, path) as number | undefined) ?? ''}
      onChange={(value) => change(path, typeof value === 'number' ? value : undefined)}
    />
  );
}

function NamesField({ row, change, path, label }: FieldProps) {
  return (
    <TagsInput
      label={label}
      value={(valueAt(row, path) as string[] | undefined) ?? []}
      onChange={(values) => change(path, values.length === 0 ? undefined : values)}
    />
  );
}

/** Some of the words that there are. */
function WordsField({ row, change, path, label, words }: FieldProps & { readonly words: readonly string[] }) {
  return (
    <MultiSelect
      label={label}
      data={[...words]}
      value={(valueAt(row, path) as string[] | undefined) ?? []}
      onChange={(values) => change(path, values.length === 0 ? undefined : values)}
    />
  );
}

function TextField({ row, change, path, ...shown }: FieldProps & { readonly placeholder: string }) {
  return (
    <TextInput
      {...shown}
      value={(valueAt(row, path) as string | undefined) ?? ''}
      onChange={({ currentTarget }) => change(path, currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}

/** `{ team: ['search', 'ads'] }` → `team=search`, `team=ads` */
function tagPairs(tags: unknown): string[] {
  return Object.entries((tags ?? {}) as Readonly<Record<string, readonly string[]>>).flatMap(([name, values]) =>
    values.map((value) => `${name}=${value}`),
  );
}

function tagsOf(pairs: readonly string[]): Readonly<Record<string, readonly string[]>> | undefined {
  const tags: Record<string, string[]> = {};
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    (tags[name.trim()] ??= []).push(value.join('=').trim());
  }
  return pairs.length === 0 ? undefined : tags;
}

/** The form of one model, where the database keeps changes; why not, where it does not. */
export function EditRoute({
  model,
  codes,
  onSaved,
}: {
  readonly model: string;
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}) {
  const loaded = useQuery({ queryKey: ['configuration'], queryFn: () => ask(api.GET('/admin/config')) });
  const entry = useQuery({
    queryKey: ['configuration-entry', model],
    queryFn: () =>
      ask(api.GET('/admin/config/entries/{section}/{name}', { params: { path: { section: 'models', name: model } } })),
  });
  if (entry.isError) return <FaultBox error={entry.error} onRetry={() => void entry.refetch()} />;
  if (entry.data === undefined || loaded.data === undefined) return <p className="quiet">{t('Loading')}</p>;
  if (loaded.data.kept_in !== 'database')
    return (
      <p className="quiet">{t('Routes are changed in the configuration file here: config.source is not database.')}</p>
    );
  return <RouteForm key={entry.data.version} entry={entry.data} codes={codes} onSaved={onSaved} />;
}

/** A key to be made or changed. */
import { Button, NumberInput, SegmentedControl, Switch, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { faultAt } from '../api/fault.ts';
import { OwnerPicker } from '../ui/names.tsx';
import { FormFault } from '../ui/parts.tsx';
import { LIMIT_NAMES } from './keys-mine.tsx';

type Key = Schemas['Key'];
type Limits = Schemas['KeyLimits'];
type LimitName = keyof typeof LIMIT_NAMES;
const LIMITS = Object.keys(LIMIT_NAMES) as readonly LimitName[];
const FIELDS = [
  'name',
  'owner_id',
  'models',
  'ip_ranges',
  'tags',
  'expires_at',
  ...LIMITS.map((name) => `limits.${name}`),
];

export interface KeyFormProps {
  /** The key to change; without it one is made. */
  readonly record?: Key;
  readonly onDone: (created?: Schemas['KeyCreated'], changed?: Key) => void;
}

export function KeyForm({ record, onDone }: KeyFormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(record));
  const set = (changed: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changed }));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      if (record !== undefined) onDone(undefined, await changeKey(record, draft));
      else onDone(await createKey(draft));
      await queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const parts = { draft, set, error: save.error };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        label={t('Name')}
        data-autofocus
        required
        withAsterisk={false}
        maxLength={100}
        error={faultAt(save.error, 'name')}
        value={draft.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      {record === undefined && <ModeAndOwner {...parts} />}
      <Scope {...parts} />
      <Switch
        label={t('Keep prompts and answers')}
        description={t('Only where the operator has set requests.log to bodies. They are masked and encrypted.')}
        checked={draft.keepsBodies}
        onChange={({ currentTarget }) => set({ keepsBodies: currentTarget.checked })}
      />
      <LimitFields {...parts} />
      <FormFault error={save.error} fields={FIELDS} />
      <div className="row">
        <span className="grow" />
        {record !== undefined && (
          <Button variant="default" onClick={() => onDone()}>
            {t('Cancel')}
          </Button>
        )}
        <Button type="submit" loading={save.isPending} disabled={draft.name.trim() === ''}>
          {record === undefined ? t('Create the key') : t('Save')}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly set: (changed: Partial<Draft>) => void;
  /** Of the last attempt to save; null without one. */
  readonly error: unknown;
}

/** What a key has for good, and is asked for only when it is made. */
function ModeAndOwner({ draft, set, error }: PartProps) {
  return (
    <>
      <SegmentedControl
        aria-label={t('Mode')}
        value={draft.mode}
        onChange={(mode) => set({ mode })}
        data={[
          { value: 'test', label: t('Test: answered by the twin, free') },
          { value: 'live', label: t('Live') },
        ]}
      />
      <OwnerPicker
        label={t('Owner')}
        description={t('Who pays; left empty, the key gets an owner of its own.')}
        error={faultAt(error, 'owner_id')}
        value={draft.owner}
        onValue={(owner) => set({ owner })}
      />
    </>
  );
}

/** What it is good for: models, addresses, tags, until when. */
function Scope({ draft, set, error }: PartProps) {
  return (
    <>
      <TagsInput
        label={t('Models')}
        description={t('Codes, or patterns with *; without any, all of them. Enter adds one.')}
        error={faultAt(error, 'models')}
        value={draft.models}
        onChange={(models) => set({ models })}
      />
      <TagsInput
        label={t('Addresses')}
        description={t('Addresses or ranges it may come from; without any, anywhere.')}
        error={faultAt(error, 'ip_ranges')}
        value={draft.ranges}
        onChange={(ranges) => set({ ranges })}
      />
      <TagsInput
        label={t('Tags')}
        description={t('Names and values, such as team=search. Enter adds one.')}
        error={faultAt(error, 'tags')}
        value={draft.tags}
        onChange={(tags) => set({ tags })}
      />
      <TextInput
        label={t('Expires')}
        type="datetime-local"
        error={faultAt(error, 'expires_at')}
        value={draft.expires}
        onChange={({ currentTarget }) => set({ expires: currentTarget.value })}
      />
    </>
  );
}

function LimitFields({ draft: { limits }, set, error }: PartProps) {
  return (
    <fieldset className="limits">
      <legend>{t('Limits')}</legend>
      {LIMITS.map((limit) => (
        <NumberInput
          key={limit}
          label={t(LIMIT_NAMES[limit])}
          hideControls
          min={limit.startsWith('spend') ? 0 : 1}
          allowDecimal={limit.startsWith('spend')}
          error={faultAt(error, `limits.${limit}`)}
          value={limits[limit] ?? ''}
          onChange={(value) => {
            const { [limit]: _old, ...rest } = limits;
            set({ limits: typeof value === 'number' ? { ...rest, [limit]: value } : rest });
          }}
        />
      ))}
    </fieldset>
  );
}

/** What stands in the fields. */
interface Draft {
  readonly name: string;
  readonly mode: 'live' | 'test';
  readonly owner: number | undefined;
  readonly models: string[];
  readonly ranges: string[];
  readonly expires: string;
  /** `team=search` */
  readonly tags: string[];
  readonly limits: Limits;
  readonly keepsBodies: boolean;
}

function draftOf(record: Key | undefined): Draft {
  return {
    name: record?.name ?? '',
    mode: record?.mode ?? 'test',
    owner: record?.owner_id,
    models: record?.models ?? [],
    ranges: record?.ip_ranges ?? [],
    expires: record?.expires_at?.slice(0, 16) ?? '',
    tags: pairsOf(record?.tags ?? {}),
    limits: record?.limits ?? {},
    keepsBodies: record?.keep_bodies ?? false,
  };
}

function createKey(draft: Draft): Promise<Schemas['KeyCreated']> {
  const { mode, owner } = draft;
  const body = { ...sharedBody(draft), mode, ...(owner !== undefined && { owner_id: owner }) };
  return ask(api.POST('/admin/keys', { body }));
}

/** What was emptied is sent too, as it is to be forgotten. */
function changeKey(record: Key, draft: Draft): Promise<Key> {
  const body = {
    ...sharedBody(draft),
    models: draft.models.length > 0 ? draft.models : ['*'],
    ...(draft.expires === '' && { expires_at: null }),
  };
  return ask(api.PATCH('/admin/keys/{key_id}', { params: { path: { key_id: record.id } }, body }));
}

function sharedBody({ name, limits, ranges, tags, keepsBodies, models, expires }: Draft) {
  return {
    name,
    limits,
    ip_ranges: ranges,
    tags: tagsOf(tags),
    keep_bodies: keepsBodies,
    ...(models.length > 0 && { models }),
    ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
  };
}

const pairsOf = (tags: Key['tags']): string[] => Object.entries(tags).map(([name, value]) => `${name}=${value}`);

/** `team=search` → `{ team: 'search' }`; a word alone has an empty value. */
function tagsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

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
  const [name, setName] = useState(record?.name ?? '');
  const [mode, setMode] = useState<'live' | 'test'>(record?.mode ?? 'test');
  const [owner, setOwner] = useState<number | undefined>(record?.owner_id);
  const [models, setModels] = useState<string[]>(record?.models ?? []);
  const [ranges, setRanges] = useState<string[]>(record?.ip_ranges ?? []);
  const [expires, setExpires] = useState(record?.expires_at?.slice(0, 16) ?? '');
  const [tags, setTags] = useState(pairsOf(record?.tags ?? {}));
  const [limits, setLimits] = useState<Limits>(record?.limits ?? {});
  const [keepsBodies, setKeepsBodies] = useState(record?.keep_bodies ?? false);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const shared = {
        name,
        limits,
        ip_ranges: ranges,
        tags: tagsOf(tags),
        keep_bodies: keepsBodies,
        ...(models.length > 0 && { models }),
        ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
      };
      if (record !== undefined) {
        const params = { path: { key_id: record.id } };
        const body = {
          ...shared,
          models: models.length > 0 ? models : ['*'],
          ...(expires === '' && { expires_at: null }),
        };
        onDone(undefined, await ask(api.PATCH('/admin/keys/{key_id}', { params, body })));
      } else {
        const body = { ...shared, mode, ...(owner !== undefined && { owner_id: owner }) };
        onDone(await ask(api.POST('/admin/keys', { body })));
      }
      await queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
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
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {record === undefined && (
        <>
          <SegmentedControl
            aria-label={t('Mode')}
            value={mode}
            onChange={(chosen) => setMode(chosen)}
            data={[
              { value: 'test', label: t('Test: answered by the twin, free') },
              { value: 'live', label: t('Live') },
            ]}
          />
          <OwnerPicker
            label={t('Owner')}
            description={t('Who pays; left empty, the key gets an owner of its own.')}
            error={faultAt(save.error, 'owner_id')}
            value={owner}
            onValue={setOwner}
          />
        </>
      )}
      <TagsInput
        label={t('Models')}
        description={t('Codes, or patterns with *; without any, all of them. Enter adds one.')}
        error={faultAt(save.error, 'models')}
        value={models}
        onChange={setModels}
      />
      <TagsInput
        label={t('Addresses')}
        description={t('Addresses or ranges it may come from; without any, anywhere.')}
        error={faultAt(save.error, 'ip_ranges')}
        value={ranges}
        onChange={setRanges}
      />
      <TagsInput
        label={t('Tags')}
        description={t('Names and values, such as team=search. Enter adds one.')}
        error={faultAt(save.error, 'tags')}
        value={tags}
        onChange={setTags}
      />
      <TextInput
        label={t('Expires')}
        type="datetime-local"
        error={faultAt(save.error, 'expires_at')}
        value={expires}
        onChange={({ currentTarget }) => setExpires(currentTarget.value)}
      />
      <Switch
        label={t('Keep prompts and answers')}
        description={t('Only where the operator has set requests.log to bodies. They are masked and encrypted.')}
        checked={keepsBodies}
        onChange={({ currentTarget }) => setKeepsBodies(currentTarget.checked)}
      />
      <fieldset className="limits">
        <legend>{t('Limits')}</legend>
        {LIMITS.map((limit) => (
          <NumberInput
            key={limit}
            label={t(LIMIT_NAMES[limit])}
            hideControls
            min={limit.startsWith('spend') ? 0 : 1}
            allowDecimal={limit.startsWith('spend')}
            error={faultAt(save.error, `limits.${limit}`)}
            value={limits[limit] ?? ''}
            onChange={(value) => {
              const { [limit]: _old, ...rest } = limits;
              setLimits(typeof value === 'number' ? { ...rest, [limit]: value } : rest);
            }}
          />
        ))}
      </fieldset>
      <FormFault error={save.error} fields={FIELDS} />
      <div className="row">
        <span className="grow" />
        {record !== undefined && (
          <Button variant="default" onClick={() => onDone()}>
            {t('Cancel')}
          </Button>
        )}
        <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
          {record === undefined ? t('Create the key') : t('Save')}
        </Button>
      </div>
    </form>
  );
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

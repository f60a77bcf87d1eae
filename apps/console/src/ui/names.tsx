/** Owners and keys by their names: shown, looked for and chosen. Numbers are for programs. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { SearchField } from './search-field.tsx';

const FRESH_MS = 60_000;
/** As many as are asked for at once; others are asked for one by one. */
const FIRST = 500;
const CHOICES = 50;
const TYPING_MS = 200;

type Kind = 'owner' | 'key';

/** How owners and keys are asked for: a list of them, by a part of the name or not, and one of them. */
export const ownersAndKeys = {
  owner: {
    list: async (query: { readonly limit: number; readonly name?: string }) =>
      (await ask(api.GET('/admin/owners', { params: { query } }))).data,
    one: (id: number) => ask(api.GET('/admin/owners/{owner_id}', { params: { path: { owner_id: id } } })),
  },
  key: {
    list: async (query: { readonly limit: number; readonly name?: string; readonly include_revoked?: boolean }) =>
      (await ask(api.GET('/admin/keys', { params: { query } }))).data,
    one: (id: number) => ask(api.GET('/admin/keys/{key_id}', { params: { path: { key_id: id } } })),
  },
};

/** The names of the first ones by their numbers: one request for all that a page shows. */
async function readNames(kind: Kind): Promise<ReadonlyMap<number, string>> {
  const all =
    kind === 'owner'
      ? await ownersAndKeys.owner.list({ limit: FIRST })
      : await ownersAndKeys.key.list({ limit: FIRST, include_revoked: true });
  return new Map(all.map(({ id, name }) => [id, name]));
}

/** The name of an owner or a key; undefined while it is read, and for people who may not see it. */
function useName(kind: Kind, id: number | undefined): string | undefined {
  const { admin } = useRights();
  const isAsked = admin && id !== undefined && id > 0;
  const all = useQuery({
    queryKey: [`${kind}s`, 'names'],
    queryFn: () => readNames(kind),
    enabled: isAsked,
    staleTime: FRESH_MS,
  });
  const known = id === undefined ? undefined : all.data?.get(id);
  const one = useQuery({
    queryKey: [`${kind}s`, 'name', id],
    queryFn: async () => (await ownersAndKeys[kind].one(id ?? 0)).name,
    enabled: isAsked && all.isFetched && known === undefined,
    staleTime: FRESH_MS,
    retry: false,
  });
  return known ?? one.data;
}

/** Whose it is; what test keys do is paid by nobody. */
export function OwnerName({ id }: { id: number }) {
  const name = useName('owner', id);
  if (id < 0) return <>{t('test')}</>;
  return <span title={t('Number {id}', { id })}>{name ?? id}</span>;
}

export function KeyName({ id }: { id: number }) {
  const name = useName('key', id);
  return <span title={t('Number {id}', { id })}>{name ?? id}</span>;
}

interface PickerProps {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly value: number | undefined;
  readonly onValue: (id: number | undefined) => void;
}

export function OwnerPicker(props: PickerProps) {
  return <Picker kind="owner" {...props} />;
}

/** Choosing one as a filter, which the address keeps as text. */
export function NameFilter({
  of,
  value,
  onValue,
}: {
  readonly of: Kind;
  readonly value: string | undefined;
  readonly onValue: (id: string | undefined) => void;
}) {
  return (
    <Picker
      kind={of}
      label={of === 'owner' ? t('Owner') : t('Key')}
      value={value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined}
      onValue={(id) => onValue(id === undefined ? undefined : String(id))}
    />
  );
}

/** A filter by a key: whoever may not see names writes its number. */
export function KeyFilter({
  value,
  onValue,
}: {
  readonly value: string | undefined;
  readonly onValue: (id: string | undefined) => void;
}) {
  const { admin } = useRights();
  return admin ? (
    <NameFilter of="key" value={value} onValue={onValue} />
  ) : (
    <SearchField label={t('Key number')} value={value} onValue={onValue} />
  );
}

function Picker({ kind, label, description, error, value, onValue }: PickerProps & { readonly kind: Kind }) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const chosen = useName(kind, value);
  const [typed] = useDebouncedValue(search.trim(), TYPING_MS);
  // What stands in the field when one is chosen is no search.
  const name = typed === chosen ? '' : typed;
  const found = useQuery({
    queryKey: [`${kind}s`, 'choices', name],
    queryFn: async (): Promise<readonly { readonly id: number; readonly name: string }[]> =>
      ownersAndKeys[kind].list({ limit: CHOICES, ...(name !== '' && { name }) }),
    enabled: isOpen,
    staleTime: FRESH_MS,
    placeholderData: (before) => before,
  });
  const choices = new Map((found.data ?? []).map((each) => [each.id, each.name]));
  if (value !== undefined && !choices.has(value)) choices.set(value, chosen ?? String(value));
  const names = [...choices.values()];
  return (
    <Select
      label={label}
      {...(description !== undefined && { description })}
      {...(error !== undefined && { error })}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear') }}
      nothingFoundMessage={found.isFetching ? undefined : t('Nothing has this name')}
      // The gateway has looked already.
      filter={({ options }) => options}
      data={[...choices].map(([id, each]) => ({ value: String(id), label: each }))}
      // Names are not unique: where one is there twice, its number tells which it is.
      renderOption={({ option }) =>
        names.filter((each) => each === option.label).length > 1 ? `${option.label} (${option.value})` : option.label
      }
      searchValue={search}
      onSearchChange={setSearch}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onValue(id === null ? undefined : Number(id))}
    />
  );
}

/** Owners and keys by their names: shown, looked for and chosen. Numbers are for programs. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';

const FRESH_MS = 60_000;
/** As many as are asked for at once; others are asked for one by one. */
const FIRST = 500;
const CHOICES = 50;

type Kind = 'owner' | 'key';

/** The names of the first ones by their numbers: one request for all that a page shows. */
async function readNames(kind: Kind): Promise<ReadonlyMap<number, string>> {
  const query = { limit: FIRST };
  const { data } =
    kind === 'owner'
      ? await ask(api.GET('/admin/owners', { params: { query } }))
      : await ask(api.GET('/admin/keys', { params: { query: { ...query, include_revoked: true } } }));
  return new Map(data.map(({ id, name }) => [id, name]));
}

async function readName(kind: Kind, id: number): Promise<string> {
  const { name } =
    kind === 'owner'
      ? await ask(api.GET('/admin/owners/{owner_id}', { params: { path: { owner_id: id } } }))
      : await ask(api.GET('/admin/keys/{key_id}', { params: { path: { key_id: id } } }));
  return name;
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
    queryFn: () => readName(kind, id ?? 0),
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

function Picker({ kind, label, description, error, value, onValue }: PickerProps & { readonly kind: Kind }) {
  const [search, setSearch] = useState('');
  const chosen = useName(kind, value);
  // What stands in the field when one is chosen is no search.
  const name = search === chosen ? '' : search.trim();
  const found = useQuery({
    queryKey: [`${kind}s`, 'choices', name],
    queryFn: async () => {
      const query = { limit: CHOICES, ...(name !== '' && { name }) };
      const { data } =
        kind === 'owner'
          ? await ask(api.GET('/admin/owners', { params: { query } }))
          : await ask(api.GET('/admin/keys', { params: { query } }));
      return data.map((each) => ({ id: each.id, name: each.name }));
    },
    staleTime: FRESH_MS,
    placeholderData: (before) => before,
  });
  const choices = new Map((found.data ?? []).map((each) => [each.id, each.name]));
  if (value !== undefined && !choices.has(value)) choices.set(value, chosen ?? String(value));
  return (
    <Select
      label={label}
      {...(description !== undefined && { description })}
      {...(error !== undefined && { error })}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear') }}
      nothingFoundMessage={t('Nothing has this name')}
      // The gateway has looked already.
      filter={({ options }) => options}
      data={labelled(choices)}
      searchValue={search}
      onSearchChange={setSearch}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onValue(id === null ? undefined : Number(id))}
    />
  );
}

/** Names are not unique: where one is there twice, its number tells which it is. */
function labelled(choices: ReadonlyMap<number, string>): { readonly value: string; readonly label: string }[] {
  const names = [...choices.values()];
  return [...choices].map(([id, name]) => ({
    value: String(id),
    label: names.filter((each) => each === name).length > 1 ? `${name} (${id})` : name,
  }));
}

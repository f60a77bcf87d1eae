/** Where the catalogue differs from the lists of vendors. They are asked when somebody presses the button, and never by themselves. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatTime } from '../ui/format.ts';
import { Rows, Side, type Column } from '../ui/list.tsx';
import type { Filters } from '../ui/page-link.tsx';
import { Empty, FaultBox, FilterBar, Tag, type Tone } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ChangeDetail, membersWords } from './model-change.tsx';

type Change = Schemas['ModelChange'];
type Kind = Change['change'];

const CHANGE_NAMES: Readonly<Record<Kind, Text>> = {
  new: 'new',
  gone: 'gone',
  deprecated: 'deprecated',
  retiring: 'will be retired',
  limits: 'other limits',
  price: 'another price',
};
const COUNTS: Readonly<Record<Kind, Text>> = {
  new: '{count} new',
  gone: '{count} gone',
  deprecated: '{count} deprecated',
  retiring: '{count} will be retired',
  limits: '{count} with other limits',
  price: '{count} with another price',
};
const TONES: Readonly<Record<Kind, Tone>> = { new: 'ok', gone: 'bad', deprecated: 'warn', retiring: 'warn', limits: 'accent', price: 'accent' }; // prettier-ignore
const KINDS = Object.keys(CHANGE_NAMES) as readonly Kind[];

const columns = (): readonly Column<Change>[] => [
  { name: t('Model'), width: '1.8fr', narrow: '1.6fr', cell: ({ model }) => model, wraps: true },
  { name: t('Account'), width: '1fr', cell: ({ account }) => account, extra: true, wraps: true },
  {
    name: t('Change'),
    width: '150px',
    narrow: '124px',
    cell: ({ change }) => <Tag tone={TONES[change]}>{t(CHANGE_NAMES[change])}</Tag>,
  },
  { name: t('In the catalogue'), width: '1.5fr', cell: ({ before }) => membersWords(before), extra: true, wraps: true },
  { name: t('At the vendor'), width: '2fr', cell: ({ after }) => membersWords(after), extra: true, wraps: true },
];

interface Props {
  readonly filters: Filters;
  readonly change: (changed: Filters) => void;
}

export function ModelChanges({ filters, change }: Props) {
  const { account } = filters;
  const [open, setOpen] = useState<Change>();
  const asked = useQuery({
    queryKey: ['model-changes', account],
    queryFn: () =>
      ask(api.GET('/admin/models/changes', { params: { query: { ...(account !== undefined && { account }) } } })),
    // Each vendor is asked: only when somebody wants it.
    enabled: false,
    retry: false,
    staleTime: Infinity,
  });
  const { data } = asked;
  return (
    <div className="stack">
      <form
        className="card stack row-form"
        onSubmit={(event) => {
          event.preventDefault();
          void asked.refetch();
        }}
      >
        <p>
          {t(
            'The gateway asks vendors for their lists of models and compares them with the catalogue. Nothing is asked before you press the button, and nothing is changed.',
          )}
        </p>
        <div className="row">
          <AccountSelect value={account} onValue={(chosen) => change({ account: chosen })} />
          <Button type="submit" loading={asked.isFetching}>
            {account === undefined ? t('Ask all vendors') : t('Ask the vendor')}
          </Button>
        </div>
        {asked.isError && <FaultBox error={asked.error} />}
        {data !== undefined && <Asked of={data} at={asked.dataUpdatedAt} />}
      </form>
      {data !== undefined && data.data.length === 0 && data.accounts.some(({ listed }) => listed !== null) && (
        <Empty title={t('The catalogue says the same')}>{t('No vendor that was asked lists anything else.')}</Empty>
      )}
      {data !== undefined && data.data.length > 0 && (
        <Changes all={data.data} filters={filters} change={change} onOpen={setOpen} />
      )}
      <Side title={open?.model ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && (
          <ChangeDetail
            of={open}
            onTaken={() => {
              setOpen(undefined);
              void asked.refetch();
            }}
          />
        )}
      </Side>
    </div>
  );
}

interface AccountSelectProps {
  readonly value: string | undefined;
  readonly onValue: (account: string | undefined) => void;
}

function AccountSelect({ value, onValue }: AccountSelectProps) {
  const accounts = useQuery({ queryKey: ['account-list'], queryFn: () => ask(api.GET('/admin/accounts')) });
  return (
    <Select
      aria-label={t('Account')}
      placeholder={t('All accounts that are on')}
      clearable
      clearButtonProps={{ 'aria-label': t('Clear') }}
      data={(accounts.data?.data ?? []).filter(({ twin }) => !twin).map(({ name }) => name)}
      value={value ?? null}
      onChange={(chosen) => onValue(chosen ?? undefined)}
    />
  );
}

type ChangesProps = Props & { readonly all: readonly Change[]; readonly onOpen: (change: Change) => void };

function Changes({ all, filters: { what, q }, change, onOpen }: ChangesProps) {
  const found = all.filter(
    (each) =>
      (what === undefined || each.change === what) &&
      (q === undefined || `${each.model} ${each.code ?? ''}`.toLowerCase().includes(q.toLowerCase())),
  );
  return (
    <>
      <FilterBar set={[what, q].filter((each) => each !== undefined).length}>
        <SearchField label={t('Search')} value={q} onValue={(typed) => change({ q: typed })} />
        <Select
          label={t('Change')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={KINDS.map((value) => ({ value, label: t(CHANGE_NAMES[value]) }))}
          value={what ?? null}
          onChange={(chosen) => change({ what: chosen ?? undefined })}
        />
      </FilterBar>
      {found.length === 0 ? (
        <Empty title={t('No models found')}>{t('Nothing fits these filters; clear some of them.')}</Empty>
      ) : (
        <Rows
          label={t('Changes at vendors')}
          columns={columns()}
          rows={found}
          rowKey={({ account, model, change: kind }) => `${account} ${kind} ${model}`}
          onOpen={onOpen}
        />
      )}
    </>
  );
}

/** What each account said: `openai lists 96 models: 12 new, 1 gone`. */
function Asked({ of: { data, accounts }, at }: { of: Schemas['ModelChangeList']; at: number }) {
  const counted = (account: string): string =>
    KINDS.map((kind) => [kind, data.filter((each) => each.account === account && each.change === kind).length] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => t(COUNTS[kind], { count: formatNumber(count) }))
      .join(', ');
  return (
    <div aria-live="polite">
      <p className="quiet small">{t('Asked at {time}', { time: formatTime(new Date(at).toISOString()) })}</p>
      {accounts.length === 0 && <p>{t('No account is on.')}</p>}
      <ul className="plain-list">
        {accounts.map(({ account, lists_models: lists, listed, error }) => (
          <li key={account}>
            <b>{account}</b>{' '}
            {error === null && !lists ? (
              t('its vendor has no list of models')
            ) : error === null ? (
              <>
                {t('lists {count} models', { count: formatNumber(listed ?? 0) })}:{' '}
                {counted(account) || t('no difference')}
              </>
            ) : (
              <>
                <Tag tone="warn">{t('gave no list')}</Tag> {error}
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

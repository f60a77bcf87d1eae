/** Lines of the ledger, newest first, and as CSV. */
import { Button, Select } from '@mantine/core';
import { PageLink, useFilters, type Filters } from '../ui/page-link.tsx';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { formatQuota, formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { KeyFilter, KeyName, NameFilter, OwnerName } from '../ui/names.tsx';
import { Empty, FilterBar, Facts, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';

type Entry = Schemas['LedgerEntry'];
const KINDS = ['hold', 'capture', 'release', 'topup', 'adjust'] as const;

const columns = (): readonly Column<Entry>[] => [
  { name: t('Time'), width: '160px', narrow: '84px', cell: ({ created_at: at }) => <When at={at} /> },
  { name: t('Kind'), width: '120px', cell: ({ kind }) => <Tag tone="plain">{kind}</Tag> },
  { name: t('Amount'), width: '130px', cell: ({ amount }) => formatQuota(amount), right: true },
  { name: t('Charged'), width: '120px', cell: ({ charged }) => formatQuota(charged), right: true, extra: true },
  { name: t('Model'), width: '1.5fr', cell: ({ model }) => model ?? '–', extra: true },
  { name: t('Request or task'), width: '2fr', cell: (line) => line.task_id ?? line.request_id ?? '–', extra: true },
  { name: t('Owner'), width: '1fr', cell: ({ owner_id: id }) => <OwnerName id={id} />, extra: true },
];

export default function Ledger() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Entry>();
  return (
    <>
      <PageHead title={t('Ledger')} about={t('Every movement of money, newest first. Entries never change.')}>
        <Button component="a" variant="default" href={csvAddress(admin, filters)} download>
          {t('Download CSV')}
        </Button>
      </PageHead>
      <FilterBar set={Object.keys(filters).length}>
        <Select
          label={t('Kind')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[...KINDS]}
          value={filters['kind'] ?? null}
          onChange={(kind) => change({ kind: kind ?? undefined })}
        />
        <SearchField
          label={t('Request id')}
          value={filters['request_id']}
          onValue={(request_id) => change({ request_id })}
        />
        <SearchField label={t('Task id')} value={filters['task_id']} onValue={(task_id) => change({ task_id })} />
        <KeyFilter value={filters['key_id']} onValue={(key_id) => change({ key_id })} />
        {admin && <NameFilter of="owner" value={filters['owner_id']} onValue={(owner_id) => change({ owner_id })} />}
      </FilterBar>
      <List<Entry, number>
        label={t('Ledger')}
        queryKey={['ledger', admin, filters]}
        read={(after) => readPage(admin, filters, after)}
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={<Empty title={t('No entries found')}>{t('Holds, charges and top-ups appear here.')}</Empty>}
      />
      <Side title={t('Ledger entry')} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <EntryDetail entry={open} />}
      </Side>
    </>
  );
}

function EntryDetail({ entry }: { entry: Entry }) {
  return (
    <>
      <Facts
        of={{
          [t('Kind')]: <Tag tone="plain">{entry.kind}</Tag>,
          [t('Amount')]: formatQuota(entry.amount),
          [t('Charged')]: formatQuota(entry.charged),
          [t('Shortfall')]: entry.shortfall === 0 ? undefined : formatQuota(entry.shortfall),
          [t('Time')]: formatTime(entry.created_at),
          [t('Owner')]: <OwnerName id={entry.owner_id} />,
          [t('Key')]: entry.key_id === null ? undefined : <KeyName id={entry.key_id} />,
          [t('Model')]: entry.model,
          [t('Request id')]:
            entry.request_id === null ? undefined : (
              <PageLink to={`/requests/${entry.request_id}`}>{entry.request_id}</PageLink>
            ),
          [t('Task id')]: entry.task_id,
          [t('Prices')]: entry.price_version,
        }}
      />
      <h3>{t('Detail')}</h3>
      <div className="code">
        <pre tabIndex={0}>{JSON.stringify(entry.detail, undefined, 2)}</pre>
      </div>
    </>
  );
}

/** Every line that the filters leave, written by the gateway. */
function csvAddress(admin: boolean, filters: Filters): string {
  const asked = Object.entries(filters).filter((each): each is [string, string] => each[1] !== undefined);
  const query = new URLSearchParams([...asked, ['format', 'csv']]);
  return `${admin ? '/admin/ledger' : '/v1/ledger'}?${query.toString()}`;
}

function readPage(admin: boolean, filters: Filters, after: number | undefined) {
  const { kind, request_id: request, task_id: task, key_id: key, owner_id: owner } = filters;
  const query = {
    ...(kind !== undefined && { kind: kind as Entry['kind'] }),
    ...(request !== undefined && { request_id: request }),
    ...(task !== undefined && { task_id: task }),
    ...(key !== undefined && Number.isInteger(Number(key)) && { key_id: Number(key) }),
    ...(after !== undefined && { after }),
  };
  if (!admin) return ask(api.GET('/v1/ledger', { params: { query } }));
  const mine = owner !== undefined && Number.isInteger(Number(owner)) ? { owner_id: Number(owner) } : {};
  return ask(api.GET('/admin/ledger', { params: { query: { ...query, ...mine } } }));
}

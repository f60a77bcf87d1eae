/** The log of requests. */
import { Button, Select } from '@mantine/core';
import { MODEL_KINDS } from '@model-gateway/contracts';
import { useOpenPage, useFilters, type Filters } from '../ui/page-link.tsx';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { List, type Column } from '../ui/list.tsx';
import { KeyFilter, KeyName, NameFilter } from '../ui/names.tsx';
import { Empty, FilterBar, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField, TimeField } from '../ui/search-field.tsx';

type Request = Schemas['RequestRecord'];

const LIVE_MS = 5000;

/** How an answer ended, by colour and in words. */
export function StatusTag({ request }: { request: Request }) {
  const { status, error, aborted } = request;
  const tone = error !== null || status >= 500 ? 'bad' : status >= 400 || aborted ? 'warn' : 'ok';
  return <Tag tone={tone}>{error ?? (aborted ? t('client aborted') : status)}</Tag>;
}

const columns = (): readonly Column<Request>[] => [
  { name: t('Time'), width: '160px', narrow: '84px', cell: ({ at }) => <When at={at} /> },
  { name: t('Model'), width: '1.6fr', cell: ({ model, operation }) => model ?? operation },
  { name: t('Operation'), width: '1.2fr', cell: ({ operation }) => operation, extra: true },
  { name: t('Outcome'), width: '150px', cell: (request) => <StatusTag request={request} /> },
  { name: t('Vendor'), width: '1fr', cell: ({ account, vendor }) => account ?? vendor ?? '–', extra: true },
  { name: t('Key'), width: '1fr', cell: ({ key_id: id }) => <KeyName id={id} />, extra: true },
  {
    name: t('First byte'),
    width: '100px',
    cell: ({ first_byte_ms: ms }) => formatDuration(ms),
    right: true,
    extra: true,
  },
  { name: t('Total'), width: '90px', cell: ({ ms }) => formatDuration(ms), right: true, extra: true },
  {
    name: t('Tokens'),
    width: '110px',
    cell: ({ input_tokens: input, output_tokens: output }) =>
      input === null && output === null ? '–' : formatNumber((input ?? 0) + (output ?? 0)),
    right: true,
    extra: true,
  },
  { name: t('Cost'), width: '110px', cell: ({ charged_usd: usd }) => formatUsd(usd), right: true, extra: true },
];

export default function Requests() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const open = useOpenPage();
  return (
    <>
      <PageHead title={t('Requests')} about={t('Every request, about a second after it was answered.')} />
      <FilterBar set={Object.keys(filters).length}>
        <SearchField label={t('Model')} value={filters['model']} onValue={(model) => change({ model })} />
        <Select
          label={t('Kind')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={MODEL_KINDS}
          value={filters['kind'] ?? null}
          onChange={(kind) => change({ kind: kind ?? undefined })}
        />
        <Select
          label={t('Outcome')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[
            { value: '2xx', label: t('Answered') },
            { value: '4xx', label: t('Refused (4xx)') },
            { value: '5xx', label: t('Failed (5xx)') },
          ]}
          value={filters['status'] ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
        />
        <SearchField label={t('Error code')} value={filters['error']} onValue={(error) => change({ error })} />
        <SearchField
          label={t('Tag')}
          placeholder="team=search"
          value={filters['tag']}
          onValue={(tag) => change({ tag })}
        />
        <KeyFilter value={filters['key_id']} onValue={(key_id) => change({ key_id })} />
        {admin && (
          <Select
            label={t('Kind of keys')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            data={[
              { value: 'live', label: t('Live keys') },
              { value: 'test', label: t('Test keys') },
            ]}
            value={filters['mode'] ?? null}
            onChange={(mode) => change({ mode: mode ?? undefined })}
          />
        )}
        {admin && <NameFilter of="owner" value={filters['owner_id']} onValue={(owner_id) => change({ owner_id })} />}
        <TimeField label={t('From')} value={filters['from']} onValue={(from) => change({ from })} />
        <TimeField label={t('To')} value={filters['to']} onValue={(to) => change({ to })} />
        {Object.keys(filters).length > 0 && (
          <Button
            className="fixed"
            variant="default"
            onClick={() => change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))}
          >
            {t('Clear the filters')}
          </Button>
        )}
      </FilterBar>
      <List<Request, string>
        label={t('Requests')}
        queryKey={['requests', admin, filters]}
        {...(filters['to'] === undefined && { refresh: () => LIVE_MS })}
        read={(after) => readRequests(admin, filters, after)}
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open({ to: `/requests/${id}` })}
        empty={
          <Empty title={t('No requests found')}>
            {Object.keys(filters).length > 0
              ? t('Nothing fits these filters; clear some of them.')
              : t('Call a model in the playground, or from a program with your key.')}
          </Empty>
        }
      />
    </>
  );
}

function readRequests(admin: boolean, filters: Filters, after: string | undefined) {
  const { key_id: key, owner_id: owner, model, kind, status, error, tag, from, to, mode } = filters;
  const query = {
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind: kind as (typeof MODEL_KINDS)[number] }),
    ...(status !== undefined && { status: status as '2xx' }),
    ...(error !== undefined && { error }),
    ...(tag !== undefined && { tag }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(key !== undefined && Number.isInteger(Number(key)) && { key_id: Number(key) }),
    ...(after !== undefined && { after }),
  };
  if (!admin) return ask(api.GET('/v1/requests', { params: { query } }));
  const more = {
    ...(owner !== undefined && Number.isInteger(Number(owner)) && { owner_id: Number(owner) }),
    ...(mode !== undefined && { mode: mode as 'live' }),
  };
  return ask(api.GET('/admin/requests', { params: { query: { ...query, ...more } } }));
}

/** The log of requests. */
import { Button } from '@mantine/core';
import { Fragment } from 'react';
import type { MODEL_KINDS } from '@model-gateway/contracts';
import { PageLink, useOpenPage, useFilters, type Filters } from '../ui/page-link.tsx';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { List, type Column } from '../ui/list.tsx';
import { Empty, PageHead, Tag, When } from '../ui/parts.tsx';
import type { CsvLine } from '../ui/csv.ts';
import { ExportCsv } from '../ui/export-csv.tsx';
import { Replay } from './replay.tsx';
import { RequestFilters } from './request-filters.tsx';

type Request = Schemas['RequestRecord'];

const LIVE_MS = 5000;
const EXPORTED_AT_ONCE = 500;

/** How an answer ended, by colour and in words. */
export function StatusTag({ request }: { request: Request }) {
  const { status, error, aborted } = request;
  const tone = error !== null || status >= 500 ? 'bad' : status >= 400 || aborted ? 'warn' : 'ok';
  return <Tag tone={tone}>{error ?? (aborted ? t('client aborted') : status)}</Tag>;
}

const columns = (): readonly Column<Request>[] => [
  { name: t('Time'), width: '92px', narrow: '84px', cell: ({ at }) => <When at={at} />, wraps: true },
  { name: t('Model'), width: '1.2fr', cell: ({ model, operation }) => model ?? inParts(operation), wraps: true },
  { name: t('Operation'), width: '1.2fr', cell: ({ operation }) => inParts(operation), extra: true, wraps: true },
  { name: t('Outcome'), width: '186px', narrow: '158px', cell: (request) => <StatusTag request={request} /> },
  {
    name: t('Vendor'),
    width: '0.9fr',
    cell: ({ account, vendor }) => account ?? vendor ?? '–',
    extra: true,
    wraps: true,
  },
  {
    name: t('Key'),
    width: '1.25fr',
    cell: ({ key_name: name, key_id: id, mode }) => (
      <span title={t('Number {id}', { id })}>
        {mode === 'test' && <span className="quiet">{t('test')} · </span>}
        {name ?? id}
      </span>
    ),
    extra: true,
    wraps: true,
  },
  {
    name: t('Duration'),
    width: '92px',
    cell: ({ ms, first_byte_ms: first }) => (
      <span title={t('first byte after {time}', { time: formatDuration(first) })}>{formatDuration(ms)}</span>
    ),
    right: true,
    extra: true,
  },
  {
    name: t('Tokens'),
    width: '78px',
    cell: ({ input_tokens: input, output_tokens: output }) =>
      input === null && output === null ? '–' : formatNumber((input ?? 0) + (output ?? 0)),
    right: true,
    extra: true,
  },
  { name: t('Cost'), width: '112px', cell: ({ charged_usd: usd }) => formatUsd(usd), right: true, extra: true },
];

/** `createChatCompletion`, which may break before a capital. */
function inParts(operation: string) {
  return operation.split(/(?=[A-Z])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A line of the file: names and numbers, whole; the answer's own words beside ours. */
const lineOf = ({ object: _object, tags, dropped, guardrails, ...row }: Request): CsvLine => ({
  ...row,
  guardrails: guardrails.join(', '),
  dropped: dropped.join(' '),
  tags: Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(' '),
});

export default function Requests() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const open = useOpenPage();
  if (admin && filters['view'] === 'replay') return <Replay keyId={filters['key_id']} />;
  return (
    <>
      <PageHead title={t('Requests')} about={t('Every request, about a second after it was answered.')}>
        {admin && (
          <Button
            component={PageLink}
            to="/requests"
            search={{ view: 'replay', ...(filters['key_id'] !== undefined && { key_id: filters['key_id'] }) }}
            variant="default"
          >
            {t('Try on another model')}
          </Button>
        )}
        <ExportCsv<Request>
          fileName={`requests-${new Date().toISOString().slice(0, 10)}.csv`}
          read={(after) => readRequests({ admin, filters, after, limit: EXPORTED_AT_ONCE })}
          lineOf={lineOf}
        />
      </PageHead>
      <RequestFilters filters={filters} change={change} />
      <List<Request, string>
        label={t('Requests')}
        queryKey={['requests', admin, filters]}
        {...(filters['to'] === undefined && { refresh: () => LIVE_MS })}
        read={(after) => readRequests({ admin, filters, after })}
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

interface Asked {
  readonly admin: boolean;
  readonly filters: Filters;
  readonly after: string | undefined;
  readonly limit?: number;
}

function readRequests({ admin, filters, after, limit }: Asked) {
  const { key_id: key, owner_id: owner, model, kind, status, error, tag, from, to, mode } = filters;
  const { user, session, run } = filters;
  const query = {
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind: kind as (typeof MODEL_KINDS)[number] }),
    ...(status !== undefined && { status: status as '2xx' }),
    ...(error !== undefined && { error }),
    ...(tag !== undefined && { tag }),
    ...(user !== undefined && { user }),
    ...(session !== undefined && { session }),
    ...(run !== undefined && { run }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(key !== undefined && Number.isInteger(Number(key)) && { key_id: Number(key) }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  };
  if (!admin) return ask(api.GET('/v1/requests', { params: { query } }));
  const more = {
    ...(owner !== undefined && Number.isInteger(Number(owner)) && { owner_id: Number(owner) }),
    ...(mode !== undefined && { mode: mode as 'live' }),
  };
  return ask(api.GET('/admin/requests', { params: { query: { ...query, ...more } } }));
}

/** The statement of an owner: on the page, as CSV, and on paper. */
import { Button, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { Money } from '../ui/money.tsx';
import { formatNumber, formatTime } from '../ui/format.ts';
import { OwnerPicker } from '../ui/names.tsx';
import { Empty, FaultBox, PageHead } from '../ui/parts.tsx';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { dayWords, periodOf, PeriodPicker, periodWords, timesOf, type Period } from '../ui/period.tsx';

type StatementData = Schemas['Statement'];
type Line = Schemas['StatementLine'];

type Group = Exclude<Schemas['StatementGroup'], 'day'>;

const GROUP_NAMES: Readonly<Record<Group, Text>> = {
  model: 'Model',
  key: 'Key',
  project: 'Project',
  user: 'User',
  session: 'Session',
  run: 'Run',
  endpoint: 'Endpoint',
  tag: 'Tag',
};
const USUAL_TAG = 'team';

const SHOWN = 500;
const REQUESTS = 100;
const KIND_NAMES: Readonly<Record<Line['kind'], Text>> = {
  topup: 'Top-up',
  adjustment: 'Adjustment',
  credit: 'Credit',
  charge: 'Charge',
  hold: 'Hold',
  release: 'Release',
};

export default function Statement() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const period = periodOf(filters);
  const owner = filters['owner_id'];
  const ownerId = owner !== undefined && /^[1-9]\d{0,14}$/.test(owner) ? Number(owner) : undefined;
  const holds = filters['holds'] === 'true';
  const by = filters['by'] ?? '';
  const split = Object.hasOwn(GROUP_NAMES, by) ? (by as Group) : 'model';
  const tag = split === 'tag' ? (filters['tag'] ?? USUAL_TAG) : undefined;
  const lines: Lines = { holds, split, tag };
  const query = useQuery({
    queryKey: ['statement', admin, ownerId, period.from, period.to, lines],
    queryFn: () => readStatement(admin ? ownerId : undefined, period, lines),
    enabled: !admin || ownerId !== undefined,
  });
  const path = admin ? `/admin/owners/${ownerId ?? 0}/statement` : '/v1/statement';
  const csv = new URLSearchParams({ ...timesOf(period), format: 'csv', ...(holds && { holds: 'true' }) });
  const daily = new URLSearchParams({ group_by: split, ...(tag !== undefined && { tag }) });
  return (
    <>
      <PageHead
        title={t('Statement')}
        about={t('What an owner had, added, used and has left. Days and months are UTC.')}
      >
        <PeriodPicker filters={filters} change={change} />
        {query.data !== undefined && (
          <>
            <Button component="a" variant="default" href={`${path}?${csv.toString()}&${daily.toString()}`} download>
              {t('Download CSV')}
            </Button>
            <Button
              component="a"
              variant="default"
              href={`${path}?${csv.toString()}&detail=requests`}
              download
              title={t('One line for each charge')}
            >
              {t('CSV of all charges')}
            </Button>
            <Button onClick={() => window.print()}>{t('Print')}</Button>
          </>
        )}
      </PageHead>
      <div className="filters open statement-choices">
        {admin && (
          <OwnerPicker
            label={t('Owner')}
            value={ownerId}
            onValue={(id) => change({ owner_id: id === undefined ? undefined : String(id) })}
          />
        )}
        <Select
          label={t('Split charges by')}
          allowDeselect={false}
          data={(Object.keys(GROUP_NAMES) as Group[]).map((value) => ({ value, label: t(GROUP_NAMES[value]) }))}
          value={split}
          onChange={(chosen) => change({ by: chosen ?? undefined })}
        />
        {tag !== undefined && (
          <SearchField label={t('Name of the tag')} value={tag} onValue={(name) => change({ tag: name })} />
        )}
        <Switch
          label={t('Show holds and releases')}
          checked={holds}
          onChange={({ currentTarget }) => change({ holds: currentTarget.checked ? 'true' : undefined })}
        />
      </div>
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {admin && ownerId === undefined && (
        <Empty title={t('Whose statement?')}>{t('Choose an owner above to see the account of a month.')}</Empty>
      )}
      {query.data !== undefined && <Sheet statement={query.data} period={period} admin={admin} />}
    </>
  );
}

/** Which lines a statement has. */
interface Lines {
  readonly holds: boolean;
  readonly split: Group;
  readonly tag: string | undefined;
}

function readStatement(
  ownerId: number | undefined,
  period: Period,
  { holds, split, tag }: Lines,
): Promise<StatementData> {
  const query = { ...timesOf(period), holds, group_by: [split], ...(tag !== undefined && { tag }) };
  return ownerId === undefined
    ? ask(api.GET('/v1/statement', { params: { query } }))
    : ask(api.GET('/admin/owners/{owner_id}/statement', { params: { path: { owner_id: ownerId }, query } }));
}

/** What is printed. */
function Sheet({ statement, period, admin }: { statement: StatementData; period: Period; admin: boolean }) {
  const { totals } = statement;
  const corrections = totals.adjustments.amount + totals.credits.amount;
  return (
    <article className="card sheet">
      <header className="sheet-head">
        <div className="brand">
          <img src="/console/icon.svg" alt="" width={28} height={28} />
          <span>Model Gateway</span>
        </div>
        <dl>
          <div>
            <dt>{t('Owner')}</dt>
            <dd>
              {statement.owner_name} <span className="quiet">({t('Number {id}', { id: statement.owner_id })})</span>
            </dd>
          </div>
          <div>
            <dt>{t('Period')}</dt>
            <dd>{periodWords(period)} (UTC)</dd>
          </div>
          <div>
            <dt>{t('As of')}</dt>
            <dd>{formatTime(statement.created_at)}</dd>
          </div>
        </dl>
      </header>
      {statement.mode === 'test' && <p className="quiet">{t('Of test keys, which pay nothing.')}</p>}
      <div className="cards figures totals">
        <Total name={t('Opening balance')} units={statement.opening_balance} />
        <Total name={t('Top-ups')} units={totals.topups.amount} />
        <Total name={t('Adjustments and credits')} units={corrections} />
        <Total
          name={t('Charges')}
          units={totals.charges.amount}
          about={t('{count} requests', { count: formatNumber(totals.requests) })}
        />
        <Total name={t('Closing balance')} units={statement.closing_balance} />
      </div>
      {statement.closing_reserved !== 0 && (
        <p className="quiet">
          {t('Of the closing balance, set aside for running requests:')} <Money units={statement.closing_reserved} />
        </p>
      )}
      <LinesTable statement={statement} admin={admin} />
    </article>
  );
}

function Total({ name, units, about }: { name: string; units: number; about?: string }) {
  return (
    <div className="figure">
      <span>{name}</span>
      <b>
        <Money units={units} />
      </b>
      {about !== undefined && <span>{about}</span>}
    </div>
  );
}

function LinesTable({ statement, admin }: { statement: StatementData; admin: boolean }) {
  const [all, setAll] = useState(false);
  const { lines } = statement;
  const shown = all ? lines : lines.slice(0, SHOWN);
  const balance = (name: string, date: string, units: number) => (
    <tr className="balance">
      <td className="day">{dayWords(date.slice(0, 10))}</td>
      <td className="extra" />
      <td>{name}</td>
      <td className="extra" />
      <td />
      <td className="right">
        <Money units={units} />
      </td>
    </tr>
  );
  return (
    <>
      <table className="plain-table statement">
        <thead>
          <tr>
            <th>{t('Date')}</th>
            <th className="extra">{t('Kind')}</th>
            <th>{t('{group} or note', { group: t(GROUP_NAMES[splitOf(statement)]) })}</th>
            <th className="right extra">{t('Requests')}</th>
            <th className="right">{t('Amount')}</th>
            <th className="right">{t('Balance')}</th>
          </tr>
        </thead>
        <tbody>
          {balance(t('Opening balance'), statement.from, statement.opening_balance)}
          {shown.map((line, at) => (
            <LineRow key={at} line={line} statement={statement} admin={admin} />
          ))}
          {shown.length === lines.length &&
            balance(
              t('Closing balance'),
              new Date(new Date(statement.to).getTime() - 1).toISOString(),
              statement.closing_balance,
            )}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <Button className="no-print" mt="sm" variant="default" onClick={() => setAll(true)}>
          {t('Show all {count} lines', { count: formatNumber(lines.length) })}
        </Button>
      )}
      {lines.length === 0 && <p className="quiet">{t('Nothing was added or charged in this period.')}</p>}
    </>
  );
}

function splitOf({ group_by: groups }: StatementData): Group {
  return groups.find((group) => group !== 'day') ?? 'model';
}

/** What a line is split by; credits and the like have their model. */
function valueOf(line: Line, split: Group): string | undefined {
  if (line.entry_id !== null || split === 'model') return line.model ?? undefined;
  if (split === 'key') return line.key_id === null ? t('Not known') : t('Number {id}', { id: line.key_id });
  return line[split] ?? t('Not known');
}

function LineRow({ line, statement, admin }: { line: Line; statement: StatementData; admin: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const canOpen =
    line.kind === 'charge' && line.entry_id === null && splitOf(statement) === 'model' && line.model !== null;
  // Narrow screens leave the kind out.
  const about = valueOf(line, splitOf(statement)) ?? line.note ?? t(KIND_NAMES[line.kind]);
  return (
    <Fragment>
      <tr>
        <td className="day">{dayWords(line.date)}</td>
        <td className="extra">{t(KIND_NAMES[line.kind])}</td>
        <td>
          {canOpen ? (
            <button type="button" className="open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {about}
            </button>
          ) : (
            about
          )}
          {line.kind === 'credit' && line.note !== null && line.model !== null && (
            <span className="quiet"> {line.note}</span>
          )}
        </td>
        <td className="right extra">{line.requests === 0 ? '' : formatNumber(line.requests)}</td>
        <td className="right">
          <Money units={line.kind === 'hold' || line.kind === 'release' ? -line.reserved : line.amount} />
        </td>
        <td className="right">
          <Money units={line.balance} />
        </td>
      </tr>
      {isOpen && (
        <tr className="within no-print">
          <td colSpan={6}>
            <RequestsOf line={line} ownerId={admin ? statement.owner_id : undefined} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** The charges of a day and model, one by one. */
function RequestsOf({ line, ownerId }: { line: Line; ownerId: number | undefined }) {
  const [limit, setLimit] = useState(REQUESTS);
  const from = `${line.date}T00:00:00.000Z`;
  const to = new Date(Date.parse(from) + 86_400_000).toISOString();
  const model = line.model ?? '';
  const query = useQuery({
    queryKey: ['statement-requests', ownerId, line.date, model, limit],
    queryFn: () => {
      const asked = { kind: 'capture' as const, model, from, to, limit };
      return ownerId === undefined
        ? ask(api.GET('/v1/ledger', { params: { query: asked } }))
        : ask(api.GET('/admin/ledger', { params: { query: { ...asked, owner_id: ownerId } } }));
    },
  });
  if (query.isError) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  const entries = query.data?.data ?? [];
  const search = { model, from, to, ...(ownerId !== undefined && { owner_id: String(ownerId) }) };
  return (
    <>
      <ul className="charges">
        {entries.map((entry) => (
          <li key={entry.id}>
            <span className="quiet">{formatTime(entry.created_at)}</span>
            {entry.request_id === null ? (
              <span>{entry.task_id}</span>
            ) : (
              <PageLink to={`/requests/${entry.request_id}`}>{entry.request_id}</PageLink>
            )}
            <Money units={-entry.charged} />
          </li>
        ))}
      </ul>
      <div className="row">
        {query.data?.has_more === true && limit < 500 && (
          <Button size="xs" variant="default" loading={query.isFetching} onClick={() => setLimit(500)}>
            {t('Load more')}
          </Button>
        )}
        <PageLink to="/requests" search={search}>
          {t('Open in the request log')}
        </PageLink>
      </div>
    </>
  );
}

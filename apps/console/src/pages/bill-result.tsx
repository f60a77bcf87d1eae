/** What a check of a bill found: sums, each day and model that differs with its likely cause, and what could not be compared. */
import { Button, SegmentedControl } from '@mantine/core';
import type { BillExport } from '@model-gateway/contracts/bills';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { saveFile, toCsv, type CsvLine } from '../ui/csv.ts';
import { formatNumber, formatUsd } from '../ui/format.ts';
import { Rows, Side, type Column } from '../ui/list.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Empty, Facts } from '../ui/parts.tsx';
import { dayWords } from '../ui/period.tsx';
import { projectsOf } from './bill-file.ts';
import { ProjectAccounts, UnknownItems, type Refinement } from './bill-refinements.tsx';

type Row = Schemas['BillDifference'];
type Cause = Row['causes'][number]['cause'];

const DAY_MS = 86_400_000;

const CAUSES: Readonly<Record<Cause, Text>> = {
  outside: 'Somebody uses the vendor’s key outside the gateway.',
  not_billed: 'The vendor bills nothing: the export ends too early, or is of another account.',
  time_zone: 'The next day differs the other way round: export by UTC days.',
  price: 'Each day differs by the same factor: compare the price in the catalogue.',
  cached_tokens: 'Cached input was billed at the full price.',
  batch: 'One side has the price of batches.',
  regional: 'The vendor charges more for a region or a data zone.',
  interrupted: 'Answers were cut off, so the ledger has estimates.',
  unknown: 'Nothing that is known explains it.',
};

const KINDS: Readonly<Record<Schemas['VendorBillLine']['kind'], Text>> = {
  usage: 'usage',
  tax: 'taxes',
  credit: 'credits',
  other: 'fees and adjustments',
};

const causeWords = ({ causes: [first] }: Row): string => (first === undefined ? '' : t(CAUSES[first.cause]));

/** `+$1.20`: what the vendor charged more. */
const moreWords = (usd: number): string => (usd > 0 ? `+${formatUsd(usd)}` : formatUsd(usd));
const moreClass = (usd: number): string | undefined => (usd > 0 ? 'worse' : undefined);

function Difference({ usd }: { usd: number }) {
  return <span className={moreClass(usd)}>{moreWords(usd)}</span>;
}

const columns = (hasAccounts: boolean): readonly Column<Row>[] => [
  { name: t('Date'), width: '96px', narrow: '82px', cell: ({ day }) => dayWords(day) },
  { name: t('Model'), width: '1.3fr', cell: ({ model }) => model, wraps: true },
  ...(hasAccounts
    ? [{ name: t('Account'), width: '1fr', cell: ({ account }: Row) => account ?? '–', extra: true, wraps: true }]
    : []),
  { name: t('Vendor'), width: '104px', cell: ({ vendor_usd: usd }) => formatUsd(usd), right: true, extra: true },
  { name: t('Ledger'), width: '104px', cell: ({ ledger_usd: usd }) => formatUsd(usd), right: true, extra: true },
  {
    name: t('Difference'),
    width: '112px',
    narrow: '96px',
    cell: ({ difference_usd: usd }) => <Difference usd={usd} />,
    right: true,
  },
  { name: t('Requests'), width: '90px', cell: ({ requests }) => formatNumber(requests), right: true, extra: true },
  { name: t('Likely cause'), width: '2.6fr', cell: causeWords, extra: true, wraps: true },
];

export interface BillResultProps {
  readonly bill: BillExport;
  readonly result: Schemas['BillCheck'];
  readonly refinement: Refinement;
  readonly accounts: readonly string[];
  readonly isBusy: boolean;
  readonly onAgain: (refinement: Refinement) => void;
}

export function BillResult({ bill, result, refinement, accounts, isBusy, onAgain }: BillResultProps) {
  const [said, setSaid] = useState(refinement);
  const projects = projectsOf(bill);
  const { unknown } = result;
  const refining = { said, onSaid: setSaid, isBusy, onAgain: () => onAgain(said) };
  return (
    <section className="stack" aria-label={t('Result')}>
      <Totals result={result} />
      <Comparison result={result} />
      {unknown.length > 0 && <UnknownItems items={unknown} {...refining} />}
      {projects.length > 0 && accounts.length > 1 && (
        <ProjectAccounts projects={projects} accounts={accounts} {...refining} />
      )}
      <NotCompared result={result} otherServices={bill.otherServices} />
    </section>
  );
}

function Totals({ result }: { result: Schemas['BillCheck'] }) {
  const { from, to, differences, compared } = result;
  return (
    <div className="card">
      <h2>{from === to ? dayWords(from) : `${dayWords(from)} – ${dayWords(to)}`} (UTC)</h2>
      <div className="cards figures totals" aria-live="polite">
        <Figure name={t('The vendor bills')}>{formatUsd(result.vendor_usd)}</Figure>
        <Figure name={t('The ledger has')} about={t('at the prices of the catalogue')}>
          {formatUsd(result.ledger_usd)}
        </Figure>
        <Figure name={t('Difference')} className={moreClass(result.difference_usd)}>
          {moreWords(result.difference_usd)}
        </Figure>
        <Figure
          name={t('Days and models that differ')}
          about={t('of {count} that were compared', { count: formatNumber(compared) })}
        >
          {formatNumber(differences.length)}
        </Figure>
      </div>
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly about?: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

function Figure({ name, about, className, children }: FigureProps) {
  return (
    <div className="figure">
      <span>{name}</span>
      <b className={className}>{children}</b>
      {about !== undefined && <span>{about}</span>}
    </div>
  );
}

/** The rows: what differs first; all of them on demand. */
function Comparison({ result }: { result: Schemas['BillCheck'] }) {
  const { differences, matches = [], vendor, from } = result;
  const [isWhole, setWhole] = useState(false);
  const [open, setOpen] = useState<Row>();
  const rows = isWhole ? [...differences, ...matches] : differences;
  return (
    <>
      <div className="row">
        <SegmentedControl
          aria-label={t('Which rows')}
          value={isWhole ? 'all' : 'differences'}
          onChange={(chosen) => setWhole(chosen === 'all')}
          data={[
            { value: 'differences', label: t('Only differences') },
            { value: 'all', label: t('Everything compared') },
          ]}
        />
        <span className="grow" />
        {rows.length > 0 && (
          <Button variant="default" onClick={() => saveFile(`bill-${vendor}-${from}.csv`, [toCsv(rows.map(lineOf))])}>
            {t('Download CSV')}
          </Button>
        )}
      </div>
      {rows.length === 0 ? (
        <Empty title={isWhole ? t('Nothing was compared') : t('Both sides agree')}>
          {isWhole
            ? t('Neither the bill nor the ledger has a known model on these days.')
            : t('No day and model differs by more than what you ignore.')}
        </Empty>
      ) : (
        <Rows
          key={String(isWhole)}
          label={t('Comparison')}
          columns={columns(rows.some(({ account }) => account !== null))}
          rows={rows}
          rowKey={({ day, model, account }) => `${day} ${model} ${account ?? ''}`}
          onOpen={setOpen}
        />
      )}
      <Side
        title={open === undefined ? '' : `${dayWords(open.day)} · ${open.model}`}
        isOpen={open !== undefined}
        onClose={() => setOpen(undefined)}
      >
        {open !== undefined && <RowDetail row={open} />}
      </Side>
    </>
  );
}

/** A line of the file: numbers whole, causes by their names and as the gateway says them. */
const lineOf = ({ causes, ...row }: Row): CsvLine => ({
  ...row,
  causes: causes.map(({ cause }) => cause).join(' '),
  explanation: causes.map(({ text }) => text).join(' '),
});

function RowDetail({ row }: { row: Row }) {
  const { day, account, requests, causes } = row;
  const to = new Date(Date.parse(day) + DAY_MS).toISOString();
  return (
    <>
      <Facts
        of={{
          [t('Account')]: account,
          [t('The vendor bills')]: formatUsd(row.vendor_usd),
          [t('The ledger has')]: formatUsd(row.ledger_usd),
          [t('Difference')]: <Difference usd={row.difference_usd} />,
          [t('Requests')]: formatNumber(requests),
        }}
      />
      {causes.length > 0 && (
        <>
          <h3>{t('Likely causes')}</h3>
          <ul>
            {causes.map(({ cause, text }) => (
              <li key={cause}>
                {t(CAUSES[cause])}
                <p className="quiet small" lang="en">
                  {text}
                </p>
              </li>
            ))}
          </ul>
          <p className="small">
            {t('A cause is a guess by numbers.')}{' '}
            <a href="/docs/guides/bills.html#likely-causes">{t('What each of them means')}</a>
          </p>
        </>
      )}
      <p>
        <PageLink to="/requests" search={{ from: `${day}T00:00:00.000Z`, to, mode: 'live' }}>
          {t('Requests of the day')}
        </PageLink>
      </p>
    </>
  );
}

function projectWords(projects: Schemas['BillCheck']['other_projects']): readonly string[] {
  if (projects.length === 0) return [];
  const count = formatNumber(projects.length);
  const what =
    projects.length === 1 ? t('one project without an account') : t('{count} projects without an account', { count });
  return [`${what} ${formatUsd(projects.reduce((sum, { usd }) => sum + usd, 0))}`];
}

/** Projects without an account, taxes, credits, and what a cloud's bill has beside models. */
function NotCompared({ result, otherServices }: { result: Schemas['BillCheck']; otherServices: number }) {
  const { other, other_projects: projects, other_accounts: accounts } = result;
  const words = [
    ...projectWords(projects),
    ...accounts.map(({ account, usd }) => t('the account {account} without a project, {usd} in the ledger', { account, usd: formatUsd(usd) })), // prettier-ignore
    ...other.map(({ kind, usd }) => `${t(KINDS[kind])} ${formatUsd(usd)}`),
    ...(otherServices === 0 ? [] : [t('{count} rows of other services', { count: formatNumber(otherServices) })]),
  ];
  if (words.length === 0) return undefined;
  return (
    <p className="quiet">
      {t('Not compared:')} {words.join(', ')}
    </p>
  );
}

/** Every limit of money and every budget of an account, the fullest first, and where it is changed. */
import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatTime, formatUsd } from '../ui/format.ts';
import { List, Side, type Column } from '../ui/list.tsx';
import { ownersAndKeys } from '../ui/names.tsx';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { Empty, Facts, FaultBox, Meter, PageHead, Tag, When } from '../ui/parts.tsx';
import { ACTIONS, BudgetForm, SCOPES, WINDOWS } from './budget-form.tsx';
import { percentOf, type Rule } from './budget-fields.ts';
import { KeyForm } from './key-form.tsx';

type Budget = Schemas['Budget'];

const LIVE_MS = 10_000;
const MOST = 500;

const BOUNDS: Readonly<Record<Budget['bound'], Text>> = {
  spend_per_hour: 'Spend per hour (USD)',
  spend_per_day: 'Spend per day (USD)',
  spend_per_week: 'Spend per week (USD)',
  spend_per_month: 'Spend per month (USD)',
  spend_total: 'Spend in total (USD)',
  monthly_budget: 'Monthly budget',
  balance: 'Balance',
  credit: 'Credit',
  requests_per_minute: 'Requests per minute',
  tokens_per_minute: 'Tokens per minute',
  dollars_per_minute: 'US dollars per minute',
  requests_per_day: 'Requests per day',
  tokens_per_day: 'Tokens per day',
  dollars_per_day: 'US dollars per day',
};
const SUBJECTS: Readonly<Record<Budget['of'], Text>> = {
  key: 'Key',
  owner: 'Owner',
  account: 'Account',
  budget: 'Budget',
};

const amount = (value: number | null, { unit }: Budget): string =>
  value === null ? '–' : unit === 'usd' ? formatUsd(value) : formatNumber(Math.round(value));

const columns = (): readonly Column<Budget>[] => [
  {
    name: t('Name'),
    width: '1.4fr',
    cell: ({ of, name, declared }) => (
      <>
        {name}{' '}
        <span className="quiet">
          {t(SUBJECTS[of])}
          {/* Accounts have their budgets from the configuration, whichever layer it is. */}
          {declared && of !== 'account' && ` · ${t('from file')}`}
        </span>
      </>
    ),
    wraps: true,
  },
  { name: t('Owner'), width: '1fr', cell: ({ owner_name: name }) => name ?? '–', extra: true, wraps: true },
  { name: t('Limit'), width: '1.2fr', cell: (budget) => <Bound of={budget} />, extra: true, wraps: true },
  { name: t('Used'), width: '1.2fr', cell: (budget) => <Used of={budget} />, extra: true },
  { name: t('Left'), width: '130px', narrow: '96px', cell: (budget) => amount(budget.left, budget), right: true },
  { name: t('Full'), width: '104px', narrow: '92px', cell: ({ share }) => <Fullness share={share} />, right: true },
  { name: t('Resets'), width: '110px', cell: ({ resets_at: at }) => <When at={at} />, extra: true, wraps: true },
];

function Bound({ of: { bound, rule } }: { of: Budget }) {
  return (
    <>
      {t(BOUNDS[bound])} {rule?.action === 'alert' && <span className="quiet">· {t('alert only')}</span>}
    </>
  );
}

function Used({ of: budget }: { of: Budget }) {
  if (budget.limit === null) return <>–</>;
  return (
    <span className="small">
      {amount(budget.used, budget)} / {amount(budget.limit, budget)}
    </span>
  );
}

const NEARLY = 0.8;

function Fullness({ share }: { share: number | null }) {
  if (share === null) return <>–</>;
  return <Tag tone={share >= 1 ? 'bad' : share >= NEARLY ? 'warn' : 'ok'}>{`${Math.round(share * 100)} %`}</Tag>;
}

export default function Budgets() {
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Budget>();
  const [isMaking, setMaking] = useState(false);
  const loaded = useQuery({ queryKey: ['configuration'], queryFn: () => ask(api.GET('/admin/config')) });
  const keptIn = loaded.data?.kept_in;
  const of = (['key', 'owner', 'account', 'budget'] as const).find((each) => each === filters['of']);
  return (
    <>
      <PageHead
        title={t('Budgets')}
        about={t('Caps of keys, credit of owners, budgets above keys and of accounts, the fullest first.')}
      >
        <Button disabled={keptIn !== 'database'} onClick={() => setMaking(true)}>
          {t('New budget')}
        </Button>
      </PageHead>
      {keptIn === 'file' && (
        <p className="quiet small">
          {t('Budgets above keys are kept in the configuration file here: config.source is not database.')}
        </p>
      )}
      <SegmentedControl
        className="modes"
        size="xs"
        aria-label={t('Budgets of')}
        value={of ?? ''}
        onChange={(chosen) => change({ of: chosen === '' ? undefined : chosen })}
        data={[
          { value: '', label: t('All') },
          { value: 'key', label: t('Keys') },
          { value: 'owner', label: t('Owners') },
          { value: 'account', label: t('Accounts') },
          { value: 'budget', label: t('Budgets') },
        ]}
      />
      <List<Budget, number>
        label={t('Budgets')}
        queryKey={['budgets', of]}
        refresh={() => LIVE_MS}
        read={() =>
          ask(api.GET('/admin/budgets', { params: { query: { limit: MOST, ...(of !== undefined && { of }) } } }))
        }
        columns={columns()}
        rowKey={({ of: subject, id, bound }) => `${subject} ${id} ${bound}`}
        onOpen={setOpen}
        empty={
          <Empty title={t('Nothing has a budget')}>
            {t('Keys get a spend cap in their form, accounts a budget in the configuration.')}
          </Empty>
        }
      />
      <Modal
        opened={isMaking}
        onClose={() => setMaking(false)}
        size="lg"
        title={t('New budget')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <BudgetForm onDone={() => setMaking(false)} />
      </Modal>
      {/* A line of one of many opens the budget of all of them. */}
      <Side title={open?.rule?.name ?? open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <Detail budget={open} onDone={() => setOpen(undefined)} />}
      </Side>
    </>
  );
}

function Detail({ budget, onDone }: { budget: Budget; onDone: () => void }) {
  const { of, id, name, bound, limit, used, left, resets_at: resets, owner_name: owner, rule } = budget;
  return (
    <>
      <Facts
        of={{
          [t('Kind')]: t(SUBJECTS[of]),
          [t('Name')]: rule === null || rule.name === name ? undefined : name,
          [t('Owner')]: of === 'key' ? owner : undefined,
          [t('Limit')]: t(BOUNDS[bound]),
          [t('Used')]: limit === null ? undefined : `${amount(used, budget)} / ${amount(limit, budget)}`,
          [t('Left')]: amount(left, budget),
          [t('Resets')]: resets === null ? undefined : formatTime(resets),
        }}
      />
      {limit !== null && used !== null && <Meter used={used} limit={limit} label={t(BOUNDS[bound])} />}
      {of === 'key' ? (
        <EditKey id={id} isDeclared={budget.declared} onDone={onDone} />
      ) : of === 'owner' ? (
        <p>
          <PageLink to="/owners" search={{ id: String(id) }}>
            {t('Add funds or change the owner')}
          </PageLink>
        </p>
      ) : rule !== null ? (
        <RuleOf name={rule.name} onDone={onDone} />
      ) : (
        <p>
          <PageLink to="/configuration">{t('Budgets of accounts are changed in the configuration')}</PageLink>
        </p>
      )}
    </>
  );
}

function EditKey({ id, isDeclared, onDone }: { id: number; isDeclared: boolean; onDone: () => void }) {
  const key = useQuery({
    queryKey: ['keys', 'one', id],
    queryFn: () => ownersAndKeys.key.one(id),
    enabled: !isDeclared,
  });
  if (isDeclared)
    return <p className="quiet">{t('This key is declared in the configuration file and changed there.')}</p>;
  if (key.isError) return <FaultBox error={key.error} onRetry={() => void key.refetch()} />;
  return key.data === undefined ? (
    <p className="quiet">{t('Loading')}</p>
  ) : (
    <KeyForm record={key.data} onDone={onDone} />
  );
}

/** What a budget above keys is, and the form where the database has it. */
function RuleOf({ name, onDone }: { name: string; onDone: () => void }) {
  const rule = useQuery({
    queryKey: ['budget', name],
    queryFn: () => ask(api.GET('/admin/budgets/{budget}', { params: { path: { budget: name } } })),
  });
  if (rule.isError) return <FaultBox error={rule.error} onRetry={() => void rule.refetch()} />;
  if (rule.data === undefined) return <p className="quiet">{t('Loading')}</p>;
  if (!rule.data.declared) return <BudgetForm rule={rule.data} onDone={onDone} />;
  return (
    <>
      <RuleFacts rule={rule.data} />
      <p className="quiet">{t('This budget is declared in the configuration file and changed there.')}</p>
    </>
  );
}

function RuleFacts({ rule }: { rule: Rule }) {
  const { scope, tag, values, each, window, action, alert_at: shares } = rule;
  return (
    <Facts
      of={{
        [t('Budget of')]: t(SCOPES[scope]),
        [t('Name of the tag')]: tag,
        [t('Whose requests count')]: values === null ? t('All') : values.join(', '),
        [t('Limit for')]: each ? t('each of them') : t('all of them together'),
        [t('Window, in UTC')]: t(WINDOWS[window]),
        [t('Beyond the limit')]: t(ACTIONS[action]),
        [t('Alerts')]:
          shares === null
            ? t('As for all budgets (alerts.at)')
            : shares.length === 0
              ? t('At no share')
              : shares.map((share) => `${percentOf(share)} %`).join(', '),
      }}
    />
  );
}

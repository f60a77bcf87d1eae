/** Vendor accounts and how they fare. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../ui/page-link.tsx';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, Facts, PageHead } from '../ui/parts.tsx';
import { AccountBudgets, AccountState, Recent, TestNow } from './account-parts.tsx';

type Account = Schemas['Account'];
const LIVE_MS = 5000;

const columns = (): readonly Column<Account>[] => [
  { name: t('Account'), width: '1.5fr', cell: ({ name }) => name },
  { name: t('State'), width: '150px', cell: (account) => <AccountState account={account} /> },
  {
    name: t('Vendor'),
    width: '1.3fr',
    cell: ({ vendor, twin }) => (twin ? `${vendor} (${t('twin')})` : vendor),
    extra: true,
  },
  {
    name: t('In flight'),
    width: '120px',
    cell: ({ in_flight: now, max_concurrency: most }) => `${now} / ${most}`,
    right: true,
    extra: true,
  },
  { name: t('Waiting'), width: '90px', cell: ({ queued }) => queued, right: true, extra: true },
  { name: t('Open tasks'), width: '120px', cell: ({ open_tasks: tasks }) => tasks, right: true, extra: true },
  { name: t('Last fault'), width: '1.7fr', cell: ({ last_fault: fault }) => fault?.code ?? '–', extra: true },
];

/** Most accounts of the built-in catalogue are off: nobody has their keys. */
function usedFirst(accounts: readonly Account[]): readonly Account[] {
  return accounts.toSorted((left, right) => Number(right.on) - Number(left.on));
}

export default function Accounts() {
  const [open, setOpen] = useState<Account>();
  return (
    <>
      <PageHead title={t('Accounts')} about={t('Health, load, budgets and recent faults of every vendor account.')} />
      <List<Account, number>
        label={t('Accounts')}
        queryKey={['accounts']}
        refresh={() => LIVE_MS}
        read={async () => ({ data: usedFirst((await ask(api.GET('/admin/accounts'))).data) })}
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={
          <Empty
            title={t('No accounts')}
            action={<a href="/docs/guides/configuration.html">{t('How to configure one')}</a>}
          >
            {t('Accounts are declared in the configuration file, with the vendors’ keys.')}
          </Empty>
        }
      />
      <Side title={open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <LiveAccount account={open} />}
      </Side>
    </>
  );
}

/** The account as it is now; the list beside it looks again every few seconds. */
function LiveAccount({ account }: { account: Account }) {
  const query = useQuery({
    queryKey: ['account', account.id],
    refetchInterval: LIVE_MS,
    queryFn: async () => (await ask(api.GET('/admin/accounts'))).data.find(({ id }) => id === account.id) ?? account,
  });
  return <AccountDetail account={query.data ?? account} />;
}

function AccountDetail({ account }: { account: Account }) {
  const { last_fault: fault } = account;
  return (
    <>
      <Facts
        of={{
          [t('State')]: <AccountState account={account} />,
          [t('Number')]: account.id,
          [t('Vendor')]: account.vendor,
          [t('In flight')]: `${account.in_flight} / ${account.max_concurrency}`,
          [t('Waiting')]: account.queued,
          [t('Open tasks')]: account.open_tasks,
          [t('Failures in a row')]: account.failures,
          [t('Cooling until')]: account.cool_until === null ? undefined : formatTime(account.cool_until),
          [t('Models')]: account.models.join(', '),
        }}
      />
      {!account.on && <p className="quiet">{t('Its credentials are not set: it is never asked.')}</p>}
      {fault !== null && (
        <section className="card">
          <h2>{t('Last fault')}</h2>
          <Facts
            of={{
              [t('Time')]: formatTime(fault.at),
              [t('Code')]: <code>{fault.code}</code>,
              [t('Status')]: fault.status,
              [t('Model')]: fault.model,
              [t('Vendor’s message')]: fault.message,
            }}
          />
        </section>
      )}
      <AccountBudgets budgets={account.budgets} />
      <Recent name={account.name} />
      <TestNow account={account} />
      <p>
        <PageLink to="/requests" search={{ status: '5xx' }}>
          {t('Requests that failed')}
        </PageLink>
      </p>
    </>
  );
}

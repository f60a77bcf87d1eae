/** Vendor accounts and how they fare. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, Facts, FilterBar, PageHead } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { AccountBudgets, AccountState, Recent, TestNow } from './account-parts.tsx';
import { AddAccount, EditAccount } from './account-setup.tsx';

type Account = Schemas['Account'];
const LIVE_MS = 5000;

const columns = (): readonly Column<Account>[] => [
  { name: t('Account'), width: '1.3fr', cell: ({ name }) => name },
  {
    name: t('State'),
    width: '3fr',
    narrow: '1.6fr',
    cell: (account) => (
      <>
        <AccountState account={account} />{' '}
        {!account.on && (
          <span className="quiet small" title={account.off_reason ?? ''}>
            {account.off_reason}
          </span>
        )}
      </>
    ),
  },
  {
    name: t('Vendor'),
    width: '1.2fr',
    cell: ({ vendor, twin }) => (twin ? `${vendor} (${t('twin')})` : vendor),
    extra: true,
  },
  {
    name: t('In flight'),
    width: '90px',
    cell: ({ in_flight: now, max_concurrency: most }) => `${now} / ${most}`,
    right: true,
    extra: true,
  },
  { name: t('Waiting'), width: '80px', cell: ({ queued }) => queued, right: true, extra: true },
  { name: t('Open tasks'), width: '100px', cell: ({ open_tasks: tasks }) => tasks, right: true, extra: true },
  { name: t('Last fault'), width: '1.1fr', cell: ({ last_fault: fault }) => fault?.code ?? '–', extra: true },
];

/** Those that are asked come first, those that wait for a key next; the twin's are nobody's own. */
function inOrder(accounts: readonly Account[], search = ''): readonly Account[] {
  const rank = ({ on, twin }: Account): number => (twin ? 2 : on ? 0 : 1);
  return accounts
    .filter(({ name, vendor }) => `${name} ${vendor}`.toLowerCase().includes(search.toLowerCase()))
    .toSorted((left, right) => rank(left) - rank(right));
}

export default function Accounts() {
  const [open, setOpen] = useState<Account>();
  const [{ add, q }, change] = useFilters();
  const [edited, setEdited] = useState<string>();
  const adding = add !== undefined;
  return (
    <>
      <PageHead title={t('Accounts')} about={t('Health, load, budgets and recent faults of every vendor account.')}>
        <Button onClick={() => change({ add: 'account' })}>{t('Add an account')}</Button>
      </PageHead>
      <FilterBar set={q === undefined ? 0 : 1}>
        <SearchField label={t('Search')} value={q} onValue={(typed) => change({ q: typed })} />
      </FilterBar>
      <List<Account, number>
        label={t('Accounts')}
        queryKey={['accounts', q]}
        refresh={() => LIVE_MS}
        read={async () => ({ data: inOrder((await ask(api.GET('/admin/accounts'))).data, q) })}
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={
          <Empty
            title={t('No accounts')}
            action={<a href="/docs/guides/add-a-server.html">{t('How to configure one')}</a>}
          >
            {t('An account is the key of a vendor, or the address of a server of yours.')}
          </Empty>
        }
      />
      <Side title={open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && (
          <LiveAccount
            account={open}
            onEdit={() => {
              setEdited(open.name);
              setOpen(undefined);
            }}
          />
        )}
      </Side>
      <Side title={t('Add an account')} isOpen={adding} onClose={() => change({ add: undefined })}>
        {adding && <AddAccount onDone={() => change({ add: undefined })} />}
      </Side>
      <Side title={edited ?? ''} isOpen={edited !== undefined} onClose={() => setEdited(undefined)}>
        {edited !== undefined && <EditAccount name={edited} onDone={() => setEdited(undefined)} />}
      </Side>
    </>
  );
}

/** The account as it is now; the list beside it looks again every few seconds. */
function LiveAccount({ account, onEdit }: { account: Account; onEdit: () => void }) {
  const query = useQuery({
    queryKey: ['account', account.id],
    refetchInterval: LIVE_MS,
    queryFn: async () => (await ask(api.GET('/admin/accounts'))).data.find(({ id }) => id === account.id) ?? account,
  });
  return <AccountDetail account={query.data ?? account} onEdit={onEdit} />;
}

function AccountDetail({ account, onEdit }: { account: Account; onEdit: () => void }) {
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
      {!account.on && (
        <p>
          <b>{account.off_reason}</b> <span className="quiet">{t('Until then it is never asked.')}</span>
        </p>
      )}
      {!account.twin && (
        <div>
          <Button variant={account.on ? 'default' : 'filled'} size="xs" onClick={onEdit}>
            {account.on ? t('Edit') : t('Set it up')}
          </Button>
        </div>
      )}
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
      {account.on && !account.twin && (
        <p>
          <PageLink to="/models" search={{ view: 'changes', account: account.name }}>
            {t('New models of the vendor')}
          </PageLink>
        </p>
      )}
      <p>
        <PageLink to="/requests" search={{ status: '5xx' }}>
          {t('Requests that failed')}
        </PageLink>
      </p>
    </>
  );
}

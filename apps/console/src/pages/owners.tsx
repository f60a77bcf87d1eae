/** Owners, their balances, and whether the money adds up. */
import { Button, Modal, NumberInput, Switch, TextInput } from '@mantine/core';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PageLink, useOpenById } from '../ui/page-link.tsx';
import { useState } from 'react';
import { faultAt } from '../api/fault.ts';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatQuota, formatTime, formatUsd } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { ownersAndKeys } from '../ui/names.tsx';
import { Empty, Facts, FormFault, PageHead, Tag, When } from '../ui/parts.tsx';
import { MoneyChecks } from './money-checks.tsx';
import { OwnerEdit, OwnerForm } from './owner-form.tsx';

type Owner = Schemas['Owner'];

const credit = ({ credit_limit: limit }: Owner): string => (limit === null ? t('without limit') : formatQuota(limit));
const columns = (): readonly Column<Owner>[] => [
  {
    name: t('Name'),
    width: '2fr',
    cell: ({ name, declared }) => (
      <>
        {name} {declared && <Tag tone="accent">{t('from file')}</Tag>}
      </>
    ),
  },
  { name: t('Number'), width: '90px', cell: ({ id }) => id, right: true, extra: true },
  { name: t('Balance'), width: '160px', cell: (owner) => <Balance of={owner} />, right: true },
  { name: t('Credit'), width: '130px', cell: credit, right: true, extra: true },
  { name: t('Group'), width: '1fr', cell: ({ group }) => group, extra: true },
  { name: t('Created'), width: '160px', cell: ({ created_at: at }) => <When at={at} />, extra: true },
];

export default function Owners() {
  const [open, setOpen] = useState<Owner>();
  const [isMaking, setMaking] = useState(false);
  useOpenById(ownersAndKeys.owner.one, setOpen);
  return (
    <>
      <PageHead title={t('Owners and money')} about={t('Owners hold keys and pay for what they use.')}>
        <Button onClick={() => setMaking(true)}>{t('Create owner')}</Button>
      </PageHead>
      <div className="stack">
        <List<Owner, number>
          label={t('Owners')}
          queryKey={['owners']}
          read={(after) => ask(api.GET('/admin/owners', { params: { query: after === undefined ? {} : { after } } }))}
          columns={columns()}
          rowKey={({ id }) => id}
          onOpen={setOpen}
          empty={<Empty title={t('No owners found')}>{t('Create one, and then keys for it.')}</Empty>}
        />
        <MoneyChecks />
      </div>
      <Modal
        opened={isMaking}
        onClose={() => setMaking(false)}
        title={t('Create owner')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <OwnerForm onDone={() => setMaking(false)} />
      </Modal>
      <Side title={open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <OwnerDetail owner={open} onChanged={setOpen} />}
      </Side>
    </>
  );
}

/** The balance, and whether it is below what its owner is to be warned at. */
export function Balance({ of: { balance, balance_usd: usd, low_balance: low } }: { of: Owner }) {
  return (
    <>
      {low !== null && balance < low && <Tag tone="warn">{t('low')}</Tag>} {formatUsd(usd)}
    </>
  );
}

function OwnerDetail({ owner, onChanged }: { owner: Owner; onChanged: (owner: Owner) => void }) {
  return (
    <>
      <Facts
        of={{
          [t('Number')]: owner.id,
          [t('Balance')]: <Balance of={owner} />,
          [t('Credit')]: credit(owner),
          [t('Budget a month')]: owner.monthly_budget === null ? undefined : formatQuota(owner.monthly_budget),
          [t('Low below')]: owner.low_balance === null ? undefined : formatQuota(owner.low_balance),
          [t('Group')]: owner.group,
          [t('Organization')]: owner.organization ?? undefined,
          [t('Created')]: formatTime(owner.created_at),
        }}
      />
      <p>
        <PageLink to="/statement" search={{ owner_id: String(owner.id) }}>
          {t('Statement')}
        </PageLink>
        {' · '}
        <PageLink to="/usage" search={{ owner_id: String(owner.id) }}>
          {t('Usage')}
        </PageLink>
        {' · '}
        <PageLink to="/ledger" search={{ owner_id: String(owner.id) }}>
          {t('Ledger')}
        </PageLink>
        {' · '}
        <PageLink to="/keys" search={{ owner_id: String(owner.id) }}>
          {t('Keys')}
        </PageLink>
        {' · '}
        <PageLink to="/requests" search={{ owner_id: String(owner.id) }}>
          {t('Requests')}
        </PageLink>
      </p>
      <OwnerEdit owner={owner} onChanged={onChanged} />
      <MoneyForm owner={owner} onChanged={onChanged} />
    </>
  );
}

/** Adds money, or corrects the balance with a reason. */
function MoneyForm({ owner, onChanged }: { owner: Owner; onChanged: (owner: Owner) => void }) {
  const [usd, setUsd] = useState<number | ''>('');
  const [note, setNote] = useState('');
  const queries = useQueryClient();
  const [isCorrection, setCorrection] = useState(false);
  // The same try is paid once, however often it is sent.
  const [tryId, setTryId] = useState(() => crypto.randomUUID());
  const move = useMutation({
    mutationFn: () => {
      const params = { path: { owner_id: owner.id }, header: { 'Idempotency-Key': tryId } };
      const dollars = usd === '' ? 0 : usd;
      return isCorrection
        ? ask(
            api.POST('/admin/owners/{owner_id}/adjustments', {
              params,
              body: { amount: Math.round(dollars * UNITS_PER_DOLLAR), note },
            }),
          )
        : ask(
            api.POST('/admin/owners/{owner_id}/topups', {
              params,
              body: { usd: dollars, ...(note !== '' && { note }) },
            }),
          );
    },
    onSuccess: async ({ owner: after }) => {
      setUsd('');
      setNote('');
      setTryId(crypto.randomUUID());
      onChanged(after);
      await queries.invalidateQueries({ queryKey: ['owners'] });
      await queries.invalidateQueries({ queryKey: ['ledger'] });
    },
  });
  return (
    <form
      className="stack card"
      onSubmit={(event) => {
        event.preventDefault();
        move.mutate();
      }}
    >
      <h2>{isCorrection ? t('Adjust the balance') : t('Add funds')}</h2>
      <Switch
        label={t('Adjustment; a negative amount takes money away')}
        checked={isCorrection}
        onChange={({ currentTarget }) => setCorrection(currentTarget.checked)}
      />
      <NumberInput
        label={t('Amount (USD)')}
        hideControls
        {...(!isCorrection && { min: 0 })}
        error={faultAt(move.error, 'usd') ?? faultAt(move.error, 'amount')}
        value={usd}
        onChange={(value) => setUsd(typeof value === 'number' ? value : '')}
      />
      <TextInput
        label={isCorrection ? t('Why') : t('Note')}
        error={faultAt(move.error, 'note')}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <FormFault error={move.error} fields={['usd', 'amount', 'note']} />
      <div className="row">
        <span className="grow" />
        <Button
          type="submit"
          loading={move.isPending}
          disabled={usd === '' || usd === 0 || (isCorrection && note.trim() === '')}
        >
          {isCorrection ? t('Adjust') : t('Add funds')}
        </Button>
      </div>
    </form>
  );
}

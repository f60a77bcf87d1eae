/** Owners, their balances, and whether the money adds up. */
import { Button, Modal, NumberInput, Switch, TextInput } from '@mantine/core';
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
import { Act } from '../ui/act.tsx';
import { MoneyChecks } from './money-checks.tsx';
import { saveStatement } from '../ui/csv.ts';

type Owner = Schemas['Owner'];
const UNITS_PER_DOLLAR = 500_000;

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
  { name: t('Balance'), width: '140px', cell: ({ balance_usd: usd }) => formatUsd(usd), right: true },
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

function OwnerForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('');
  const [isUnlimited, setUnlimited] = useState(false);
  const [limit, setLimit] = useState<number | ''>(0);
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: () => {
      const creditLimit = isUnlimited ? null : Math.round((limit === '' ? 0 : limit) * UNITS_PER_DOLLAR);
      return ask(api.POST('/admin/owners', { body: { name, credit_limit: creditLimit } }));
    },
    onSuccess: async () => {
      onDone();
      await queries.invalidateQueries({ queryKey: ['owners'] });
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <TextInput
        label={t('Name')}
        data-autofocus
        required
        withAsterisk={false}
        error={faultAt(make.error, 'name')}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Switch
        label={t('Unlimited credit')}
        checked={isUnlimited}
        onChange={({ currentTarget }) => setUnlimited(currentTarget.checked)}
      />
      {!isUnlimited && (
        <NumberInput
          label={t('Credit, in US dollars')}
          description={t('How far below zero the balance may go; 0 is prepaid.')}
          min={0}
          hideControls
          error={faultAt(make.error, 'credit_limit')}
          value={limit}
          onChange={(value) => setLimit(typeof value === 'number' ? value : '')}
        />
      )}
      <FormFault error={make.error} fields={['name', 'credit_limit']} />
      <div className="row">
        <span className="grow" />
        <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
          {t('Create owner')}
        </Button>
      </div>
    </form>
  );
}

function OwnerDetail({ owner, onChanged }: { owner: Owner; onChanged: (owner: Owner) => void }) {
  return (
    <>
      <Facts
        of={{
          [t('Number')]: owner.id,
          [t('Balance')]: formatUsd(owner.balance_usd),
          [t('Credit')]: credit(owner),
          [t('Group')]: owner.group,
          [t('Created')]: formatTime(owner.created_at),
        }}
      />
      <p>
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
      <div>
        <Act
          name={t('Statement as CSV')}
          done={t('The statement is saved')}
          changes={[]}
          run={() =>
            saveStatement(`statement-owner-${owner.id}.csv`, (after) =>
              ask(
                api.GET('/admin/ledger', {
                  params: { query: { owner_id: owner.id, limit: 500, ...(after !== undefined && { after }) } },
                }),
              ),
            )
          }
        />
      </div>
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

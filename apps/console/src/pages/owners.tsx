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

const dollarsOf = (units: number | null): number | '' => (units === null ? '' : units / UNITS_PER_DOLLAR);
const unitsOf = (dollars: number | ''): number | null =>
  dollars === '' ? null : Math.round(dollars * UNITS_PER_DOLLAR);

/** What can be said of an owner, as it is typed: an empty amount is none. */
interface OwnerFields {
  readonly name: string;
  readonly group: string;
  readonly isUnlimited: boolean;
  readonly credit: number | '';
  readonly budget: number | '';
  readonly low: number | '';
  readonly organization: string;
}

const NEW_OWNER: OwnerFields = {
  ...{ name: '', group: 'default', organization: '' },
  ...{ isUnlimited: false, credit: 0, budget: '', low: '' },
};
const FIELDS = ['name', 'group', 'organization', 'credit_limit', 'monthly_budget', 'low_balance'];

const fieldsOf = (owner: Owner): OwnerFields => ({
  name: owner.name,
  group: owner.group,
  isUnlimited: owner.credit_limit === null,
  credit: dollarsOf(owner.credit_limit ?? 0),
  budget: dollarsOf(owner.monthly_budget),
  low: dollarsOf(owner.low_balance),
  organization: owner.organization ?? '',
});

const budgetsOf = ({ budget, low }: OwnerFields) => ({ monthly_budget: unitsOf(budget), low_balance: unitsOf(low) });
const bodyOf = (fields: OwnerFields) => ({
  name: fields.name,
  group: fields.group,
  organization: fields.organization.trim() === '' ? null : fields.organization.trim(),
  credit_limit: fields.isUnlimited ? null : (unitsOf(fields.credit) ?? 0),
  ...budgetsOf(fields),
});

function OwnerForm({ onDone }: { onDone: () => void }) {
  const [fields, setFields] = useState(NEW_OWNER);
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: () => ask(api.POST('/admin/owners', { body: bodyOf(fields) })),
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
      <OwnerInputs fields={fields} onFields={setFields} error={make.error} />
      <div className="row">
        <span className="grow" />
        <Button type="submit" loading={make.isPending} disabled={fields.name.trim() === ''}>
          {t('Create owner')}
        </Button>
      </div>
    </form>
  );
}

/** Changes an owner; of one of the configuration file only what the file does not say. */
function OwnerEdit({ owner, onChanged }: { owner: Owner; onChanged: (owner: Owner) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [fields, setFields] = useState(() => fieldsOf(owner));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      ask(
        api.PATCH('/admin/owners/{owner_id}', {
          params: { path: { owner_id: owner.id } },
          body: owner.declared ? budgetsOf(fields) : bodyOf(fields),
        }),
      ),
    onSuccess: async (after) => {
      setOpen(false);
      onChanged(after);
      await queries.invalidateQueries({ queryKey: ['owners'] });
      await queries.invalidateQueries({ queryKey: ['budgets'] });
    },
  });
  if (!isOpen)
    return (
      <div>
        <Button
          variant="default"
          onClick={() => {
            setFields(fieldsOf(owner));
            setOpen(true);
          }}
        >
          {t('Edit owner')}
        </Button>
      </div>
    );
  return (
    <form
      className="stack card"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h2>{t('Edit owner')}</h2>
      {owner.declared && (
        <p className="quiet">
          {t('This owner is in the configuration file: change its name, group, organization and credit there.')}
        </p>
      )}
      <OwnerInputs fields={fields} onFields={setFields} error={save.error} isDeclared={owner.declared} />
      <div className="row">
        <span className="grow" />
        <Button variant="default" onClick={() => setOpen(false)}>
          {t('Cancel')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={fields.name.trim() === ''}>
          {t('Save')}
        </Button>
      </div>
    </form>
  );
}

interface OwnerInputsProps {
  readonly fields: OwnerFields;
  readonly onFields: (fields: OwnerFields) => void;
  readonly error: unknown;
  readonly isDeclared?: boolean;
}

function OwnerInputs({ fields, onFields, error, isDeclared = false }: OwnerInputsProps) {
  const set = (changed: Partial<OwnerFields>): void => onFields({ ...fields, ...changed });
  const amount = (value: string | number): number | '' => (typeof value === 'number' ? value : '');
  return (
    <>
      {!isDeclared && (
        <>
          <TextInput
            label={t('Name')}
            data-autofocus
            required
            withAsterisk={false}
            error={faultAt(error, 'name')}
            value={fields.name}
            onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          />
          <TextInput
            label={t('Group')}
            description={t('The group of keys that name none.')}
            required
            withAsterisk={false}
            error={faultAt(error, 'group')}
            value={fields.group}
            onChange={({ currentTarget }) => set({ group: currentTarget.value })}
          />
          <TextInput
            label={t('Organization')}
            description={t('Usage adds up owners of the same organization. Empty is none.')}
            error={faultAt(error, 'organization')}
            value={fields.organization}
            onChange={({ currentTarget }) => set({ organization: currentTarget.value })}
          />
          <Switch
            label={t('Unlimited credit')}
            checked={fields.isUnlimited}
            onChange={({ currentTarget }) => set({ isUnlimited: currentTarget.checked })}
          />
          {!fields.isUnlimited && (
            <NumberInput
              label={t('Credit, in US dollars')}
              description={t('How far below zero the balance may go; 0 is prepaid.')}
              min={0}
              hideControls
              error={faultAt(error, 'credit_limit')}
              value={fields.credit}
              onChange={(value) => set({ credit: amount(value) })}
            />
          )}
        </>
      )}
      <NumberInput
        label={t('Monthly budget, in US dollars')}
        description={t('For reports and forecasts; nothing is refused beyond it. Empty is no budget.')}
        min={0}
        hideControls
        error={faultAt(error, 'monthly_budget')}
        value={fields.budget}
        onChange={(value) => set({ budget: amount(value) })}
      />
      <NumberInput
        label={t('Low-balance warning, in US dollars')}
        description={t('A balance below it is marked as low. Empty is no warning.')}
        min={0}
        hideControls
        error={faultAt(error, 'low_balance')}
        value={fields.low}
        onChange={(value) => set({ low: amount(value) })}
      />
      <FormFault error={error} fields={FIELDS} />
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

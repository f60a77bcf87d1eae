/** An owner, made and changed: amounts are typed in dollars. */
import { Button, NumberInput, Switch, TextInput } from '@mantine/core';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt } from '../api/fault.ts';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { FormFault } from '../ui/parts.tsx';

type Owner = Schemas['Owner'];

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

/** A new owner. */
export function OwnerForm({ onDone }: { onDone: () => void }) {
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
/** What can be changed of one. */
export function OwnerEdit({ owner, onChanged }: { owner: Owner; onChanged: (owner: Owner) => void }) {
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

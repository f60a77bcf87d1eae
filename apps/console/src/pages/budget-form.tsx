/** A budget above keys to be made or changed. */
import { Button, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/api.ts';
import { faultAt } from '../api/fault.ts';
import { t, type Text } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { ownersAndKeys } from '../ui/names.tsx';
import { FormFault } from '../ui/parts.tsx';
import {
  createBody,
  fieldsOf,
  lacksShares,
  NEW_BUDGET,
  updateBody,
  wrongShare,
  type AlertsAt,
  type BudgetFields,
  type Rule,
} from './budget-fields.ts';
import { ENTRY_QUERIES } from './entry-queries.ts';

export const SCOPES: Readonly<Record<Rule['scope'], Text>> = {
  organization: 'Organization',
  owner: 'Owner',
  user: 'User',
  key: 'Key',
  tag: 'Tag',
};
const WHOSE: Readonly<Record<Rule['scope'], Text>> = {
  organization: 'Names of organizations. Empty is all. Enter adds one.',
  owner: 'Names or numbers of owners. Empty is all. Enter adds one.',
  user: 'Users as requests name them. Empty is all. Enter adds one.',
  key: 'Names or numbers of keys. Empty is all. Enter adds one.',
  tag: 'Values of the tag. Empty is all. Enter adds one.',
};
/** What people must know before they change the budget of one of them. */
const FOR_EACH: Readonly<Record<Rule['scope'], Text>> = {
  organization: 'This budget is for each organization. A change counts for all of them.',
  owner: 'This budget is for each owner. A change counts for all of them.',
  user: 'This budget is for each user. A change counts for all of them.',
  key: 'This budget is for each key. A change counts for all of them.',
  tag: 'This budget is for each value of the tag. A change counts for all of them.',
};
export const ACTIONS: Readonly<Record<Rule['action'], Text>> = { refuse: 'Refuse requests', alert: 'Alert only' };
export const WINDOWS: Readonly<Record<Rule['window'], Text>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week, from Monday',
  month: 'Calendar month',
  total: 'In total, without an end',
};
const ALERTS: Readonly<Record<AlertsAt, Text>> = {
  general: 'As for all budgets (alerts.at)',
  own: 'At shares of its own',
  none: 'At no share',
};
const FIELDS = ['name', 'scope', 'tag', 'values', 'each', 'window', 'limit', 'action', 'alert_at'];
const CHOICES = 500;
const FRESH_MS = 60_000;

const optionsOf = <Word extends string>(texts: Readonly<Record<Word, Text>>) =>
  (Object.keys(texts) as Word[]).map((value) => ({ value, label: t(texts[value]) }));

export interface BudgetFormProps {
  /** The budget to change; without it one is made. */
  readonly rule?: Rule;
  readonly onDone: () => void;
}

export function BudgetForm({ rule, onDone }: BudgetFormProps) {
  const [fields, setFields] = useState(() => (rule === undefined ? NEW_BUDGET : fieldsOf(rule)));
  const queries = useQueryClient();
  const readAnew = async (): Promise<void> => {
    for (const queryKey of ENTRY_QUERIES) await queries.invalidateQueries({ queryKey });
  };
  const save = useMutation({
    mutationFn: async () => {
      if (rule === undefined) return void (await ask(api.POST('/admin/budgets', { body: createBody(fields) })));
      const body = updateBody(rule, fields);
      if (body === undefined) return;
      await ask(api.PATCH('/admin/budgets/{budget}', { params: { path: { budget: rule.name } }, body }));
    },
    onSuccess: async () => {
      onDone();
      await readAnew();
    },
  });
  const isWhole =
    fields.name.trim() !== '' &&
    fields.limit !== '' &&
    wrongShare(fields) === undefined &&
    !lacksShares(fields) &&
    (fields.scope !== 'tag' || fields.tag.trim() !== '');
  return (
    <form
      className="stack row-form"
      aria-label={rule === undefined ? t('New budget') : t('The budget {name}', { name: rule.name })}
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) save.mutate();
      }}
    >
      {rule === undefined && (
        <TextInput
          label={t('Name')}
          description={t('Refusals and alerts have it: letters, digits, dots, dashes and underscores.')}
          data-autofocus
          spellCheck={false}
          maxLength={64}
          error={faultAt(save.error, 'name')}
          value={fields.name}
          onChange={({ currentTarget }) => setFields({ ...fields, name: currentTarget.value })}
        />
      )}
      {rule?.each === true && <p>{t(FOR_EACH[rule.scope])}</p>}
      <WhoseFields fields={fields} onFields={setFields} error={save.error} />
      <LimitFields fields={fields} onFields={setFields} error={save.error} />
      <FormFault error={save.error} fields={FIELDS} />
      <div className="row">
        {rule !== undefined && <DeleteBudget name={rule.name} onDone={onDone} />}
        <span className="grow" />
        <Button variant="default" onClick={onDone}>
          {t('Cancel')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={!isWhole}>
          {rule === undefined ? t('Create budget') : t('Save')}
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly fields: BudgetFields;
  readonly onFields: (fields: BudgetFields) => void;
  readonly error: unknown;
}

/** Whose requests count. */
function WhoseFields({ fields, onFields, error }: FieldsProps) {
  const { scope, tag, values, each } = fields;
  const kind = scope === 'owner' || scope === 'key' ? scope : undefined;
  const named = useQuery({
    queryKey: [`${kind}s`, 'choices', 'names'],
    queryFn: async () => (kind === undefined ? [] : ownersAndKeys[kind].list({ limit: CHOICES })),
    enabled: kind !== undefined,
    staleTime: FRESH_MS,
  });
  const names = kind === undefined ? [] : [...new Set((named.data ?? []).map(({ name }) => name))];
  return (
    <>
      <div className="fields">
        <Select
          label={t('Budget of')}
          allowDeselect={false}
          error={faultAt(error, 'scope')}
          data={optionsOf(SCOPES)}
          value={scope}
          onChange={(chosen) => chosen !== null && onFields({ ...fields, scope: chosen, values: [] })}
        />
        {scope === 'tag' && (
          <TextInput
            label={t('Name of the tag')}
            spellCheck={false}
            maxLength={64}
            error={faultAt(error, 'tag')}
            value={tag}
            onChange={({ currentTarget }) => onFields({ ...fields, tag: currentTarget.value })}
          />
        )}
      </div>
      <TagsInput
        label={t('Whose requests count')}
        description={t(WHOSE[scope])}
        data={names}
        limit={50}
        error={faultAt(error, 'values')}
        value={[...values]}
        onChange={(chosen) => onFields({ ...fields, values: chosen })}
      />
      <Switch
        label={t('Each of them has the whole limit')}
        description={t('Otherwise they share it.')}
        error={faultAt(error, 'each')}
        checked={each}
        onChange={({ currentTarget }) => onFields({ ...fields, each: currentTarget.checked })}
      />
    </>
  );
}

/** How much, in which window, and what happens then. */
function LimitFields({ fields, onFields, error }: FieldsProps) {
  const { window, limit, action, alerts, shares } = fields;
  const wrong = wrongShare(fields);
  return (
    <>
      <div className="fields">
        <NumberInput
          label={t('Limit, in US dollars')}
          min={0}
          hideControls
          error={faultAt(error, 'limit')}
          value={limit}
          onChange={(value) => onFields({ ...fields, limit: typeof value === 'number' ? value : '' })}
        />
        <Select
          label={t('Window, in UTC')}
          allowDeselect={false}
          error={faultAt(error, 'window')}
          data={optionsOf(WINDOWS)}
          value={window}
          onChange={(chosen) => chosen !== null && onFields({ ...fields, window: chosen })}
        />
        <Select
          label={t('Beyond the limit')}
          allowDeselect={false}
          error={faultAt(error, 'action')}
          data={optionsOf(ACTIONS)}
          value={action}
          onChange={(chosen) => chosen !== null && onFields({ ...fields, action: chosen })}
        />
        <Select
          label={t('Alerts')}
          allowDeselect={false}
          data={optionsOf(ALERTS)}
          value={alerts}
          onChange={(chosen) => chosen !== null && onFields({ ...fields, alerts: chosen })}
        />
      </div>
      {alerts === 'own' && (
        <TagsInput
          label={t('Shares of the limit, in percent')}
          description={t('You are told once at each share in each window. Enter adds one.')}
          maxTags={10}
          error={
            lacksShares(fields)
              ? t('Write at least one share, or choose “At no share”.')
              : wrong === undefined
                ? faultAt(error, 'alert_at')
                : t('{share} is no share: write a percentage such as 80.', { share: wrong })
          }
          value={[...shares]}
          onChange={(chosen) => onFields({ ...fields, shares: chosen })}
        />
      )}
    </>
  );
}

function DeleteBudget({ name, onDone }: { name: string; onDone: () => void }) {
  return (
    <Act
      name={t('Delete')}
      color="red"
      variant="light"
      question={t(
        'The budget {name} refuses nothing from now on. What was spent stays in the ledger. You can undo this on the page Configuration.',
        { name },
      )}
      done={t('The budget {name} is deleted', { name })}
      changes={[...ENTRY_QUERIES]}
      run={async () => {
        await ask(api.DELETE('/admin/budgets/{budget}', { params: { path: { budget: name } } }));
        onDone();
      }}
    />
  );
}

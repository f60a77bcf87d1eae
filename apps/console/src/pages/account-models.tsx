/** Models of an account that was tested: which of them are offered, at which price. */
import { Checkbox, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useVisibleModels } from '../playground/models.ts';
import { t } from '../text/text.ts';
import { priceWords, unitWords } from '../ui/prices.ts';
import { choiceOf, priceOf, type AccountModel, type ModelChoice } from './account-draft.ts';

/** More are found by searching. */
const SHOWN = 60;

export type Choices = ReadonlyMap<string, ModelChoice>;

export interface AccountModelsProps {
  readonly models: readonly AccountModel[];
  readonly from: 'vendor' | 'catalogue' | null;
  readonly choices: Choices;
  readonly onChoices: (choices: Choices) => void;
  /** Kinds, and the units of their prices. */
  readonly pricedBy: Readonly<Record<string, readonly string[]>>;
  /** Prices that are missing are said. */
  readonly isChecked: boolean;
}

export function AccountModels({ models, from, choices, onChoices, ...row }: AccountModelsProps) {
  const [typed, setTyped] = useState('');
  const found = models.filter(({ id, code }) => `${id} ${code}`.toLowerCase().includes(typed.trim().toLowerCase()));
  const chosen = models.filter((model) => (choices.get(model.id) ?? choiceOf(model)).isOffered);
  const withAll = (isOffered: boolean): void =>
    onChoices(
      new Map([
        ...choices,
        ...found.map((model) => [model.id, { ...(choices.get(model.id) ?? choiceOf(model)), isOffered }] as const),
      ]),
    );
  return (
    <section className="card stack">
      <h2>{t('Models')}</h2>
      <p className="quiet small">
        {from === 'vendor'
          ? t('The vendor lists these models. Choose those that callers may use.')
          : t('The vendor has no list. These are the models that the catalogue knows.')}
      </p>
      {models.length > 8 && (
        <TextInput
          label={t('Search models')}
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      <Checkbox
        label={t('All that are listed ({count})', { count: found.length })}
        checked={found.length > 0 && found.every((model) => chosen.includes(model))}
        indeterminate={found.some((model) => chosen.includes(model)) && !found.every((model) => chosen.includes(model))}
        onChange={({ currentTarget }) => withAll(currentTarget.checked)}
      />
      <ul className="account-models">
        {found.slice(0, SHOWN).map((model) => (
          <ModelRow
            key={model.id}
            {...row}
            model={model}
            choice={choices.get(model.id) ?? choiceOf(model)}
            onChoice={(choice) => onChoices(new Map([...choices, [model.id, choice]]))}
          />
        ))}
      </ul>
      {found.length > SHOWN && (
        <p className="quiet small">{t('{count} more; search to find them.', { count: found.length - SHOWN })}</p>
      )}
    </section>
  );
}

interface ModelRowProps extends Pick<AccountModelsProps, 'pricedBy' | 'isChecked'> {
  readonly model: AccountModel;
  readonly choice: ModelChoice;
  readonly onChoice: (choice: ModelChoice) => void;
}

function ModelRow({ model, choice, onChoice, pricedBy, isChecked }: ModelRowProps) {
  const words = priceWords(model.price ?? undefined)
    .slice(0, 2)
    .join(' · ');
  return (
    <li>
      <div className="row">
        <Checkbox
          className="grow"
          label={model.id}
          description={[model.code === model.id ? '' : t('Callers write {code}', { code: model.code }), words]
            .filter((each) => each !== '')
            .join(' · ')}
          checked={choice.isOffered}
          onChange={({ currentTarget }) => onChoice({ ...choice, isOffered: currentTarget.checked })}
        />
      </div>
      {choice.isOffered && model.price === null && (
        <PriceFields model={model} choice={choice} onChoice={onChoice} pricedBy={pricedBy} isChecked={isChecked} />
      )}
    </li>
  );
}

/** A model that nobody knows the price of: nothing is given away because a line was forgotten. */
function PriceFields({ model, choice, onChoice, pricedBy, isChecked }: ModelRowProps) {
  const units = pricedBy[choice.kind] ?? [];
  const isMissing = isChecked && priceOf(model, choice, units) === undefined;
  return (
    <fieldset className="model-price">
      <legend className="small">{t('Price of {model} in US dollars', { model: model.id })}</legend>
      <Select
        label={t('Kind')}
        allowDeselect={false}
        data={Object.keys(pricedBy)}
        value={choice.kind in pricedBy ? choice.kind : null}
        error={isChecked && !(choice.kind in pricedBy) && t('Choose what kind of model it is.')}
        onChange={(kind) => onChoice({ ...choice, kind: kind ?? choice.kind })}
      />
      {!choice.isFree &&
        units.map((unit) => (
          <TextInput
            key={unit}
            label={unitWords(unit)}
            inputMode="decimal"
            value={choice.price[unit] ?? ''}
            error={isMissing && !isAmount(choice.price[unit])}
            onChange={({ currentTarget }) =>
              onChoice({ ...choice, price: { ...choice.price, [unit]: currentTarget.value } })
            }
          />
        ))}
      <Checkbox
        label={t('Free')}
        aria-label={t('{model} is free', { model: model.id })}
        checked={choice.isFree}
        onChange={({ currentTarget }) => onChoice({ ...choice, isFree: currentTarget.checked })}
      />
      {isMissing && (
        <p className="field-fault small" role="alert">
          {t('Enter a price, or tick “Free”.')}
        </p>
      )}
    </fieldset>
  );
}

const isAmount = (typed: string | undefined): boolean =>
  typed !== undefined && typed.trim() !== '' && Number(typed) >= 0;

/** Whom the new models are replaced by when their account fails. */
export function FallbackPicker({
  value,
  onValue,
}: {
  readonly value: string;
  readonly onValue: (code: string) => void;
}) {
  const models = useVisibleModels();
  return (
    <Select
      label={t('And fall back to')}
      description={t(
        'Asked in place of the models that you add here, when this account fails. Leave it empty for none.',
      )}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear') }}
      limit={50}
      nothingFoundMessage={t('Nothing has this name')}
      data={[...new Set((models.data ?? []).map(({ id }) => id))]}
      value={value === '' ? null : value}
      onChange={(code) => onValue(code ?? '')}
    />
  );
}

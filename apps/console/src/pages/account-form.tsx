/** An account as a form: the fields of its vendor, a test before it is saved, and the models that it offers. */
import { Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { faultAt } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { FaultBox, Tag } from '../ui/parts.tsx';
import {
  accountValue,
  choiceOf,
  draftOf,
  fieldName,
  missingIn,
  needsCredentials,
  priceOf,
  storedSecrets,
  type AccountDraft,
  type Kept,
  type Vendor,
} from './account-draft.ts';
import { AccountModels, FallbackPicker, type Choices } from './account-models.tsx';
import { saveAccount } from './account-save.ts';
import { ENTRY_QUERIES } from './entry-queries.ts';
import { VendorMark } from './vendor-picker.tsx';

type Tested = Schemas['AccountDraftTest'];

export interface AccountFormProps {
  readonly vendor: Vendor;
  readonly name: string;
  /** The account of this name, where there is one. */
  readonly account: Kept | undefined;
  readonly onDone: () => void;
}

export function AccountForm(props: AccountFormProps) {
  const { vendor, account } = props;
  const state = useAccountForm(props);
  const { draft, choices, fallback, test, save, missing, unpriced, isChecked, unless } = state;
  const tested = test.data;
  const models = tested?.models ?? [];
  const isIncomplete = missing.length + unpriced.length > 0;
  const faults = { vendor, draft, missing: isChecked ? missing : [], tested, error: save.error };
  return (
    <form
      ref={state.form}
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        unless(isIncomplete, save.mutate);
      }}
    >
      <div className="row">
        <VendorMark vendor={vendor} />
        <b className="grow">{vendor.title}</b>
      </div>
      <Fields
        vendor={vendor}
        draft={draft}
        account={account}
        onDraft={state.setDraft}
        errorOf={(field) => errorOf(field, faults)}
      />
      <TestResult tested={tested} isPending={test.isPending} onTest={() => unless(missing.length > 0, test.mutate)} />
      {test.isError && <FaultBox error={test.error} />}
      {models.length > 0 && (
        <AccountModels
          models={models}
          from={tested?.models_from ?? null}
          choices={choices}
          onChoices={state.setChoices}
          pricedBy={vendor.priced_by}
          isChecked={isChecked}
        />
      )}
      {models.some((model) => !model.offered && choices.get(model.id)?.isOffered === true) && (
        <FallbackPicker value={fallback} onValue={state.setFallback} />
      )}
      {save.isError && <FaultBox error={save.error} />}
      <div className="row">
        <span className="grow">
          {isChecked && isIncomplete && (
            <span className="field-fault small" role="alert">
              {t('Something is missing above.')}
            </span>
          )}
        </span>
        <Button type="submit" loading={save.isPending}>
          {t('Save')}
        </Button>
      </div>
    </form>
  );
}

/** What was typed and chosen, what is missing of it, and what is done with it. */
function useAccountForm({ vendor, name, account, onDone }: AccountFormProps) {
  const [draft, setDraft] = useState(() => draftOf(vendor, name, account));
  const [choices, setChoices] = useState<Choices>(new Map());
  const [fallback, setFallback] = useState('');
  const [attempts, setAttempts] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const version = useRef(account?.version ?? 0);
  const queries = useQueryClient();
  const row = { name: draft.name.trim(), value: accountValue(vendor, draft, account) };
  const test = useMutation({ mutationFn: () => ask(api.POST('/admin/accounts/test', { body: row })) });
  const models = test.data?.models ?? [];
  const unitsOf = (kind: string): readonly string[] => vendor.priced_by[kind] ?? [];
  const unpriced = models.filter((model) => {
    const choice = choices.get(model.id) ?? choiceOf(model);
    if (!choice.isOffered || model.offered || model.price !== null) return false;
    return !(choice.kind in vendor.priced_by) || priceOf(model, choice, unitsOf(choice.kind)) === undefined;
  });
  const save = useMutation({
    mutationFn: () => saveAccount({ ...row, version, models, choices, fallback, unitsOf }),
    onSettled: async () => {
      for (const queryKey of ENTRY_QUERIES) await queries.invalidateQueries({ queryKey });
    },
    onSuccess: () => {
      notifications.show({ message: t('Saved'), closeButtonProps: { 'aria-label': t('Close') } });
      onDone();
    },
  });
  // What was refused is drawn by then.
  useEffect(
    () => form.current?.querySelector<HTMLElement>('input[data-invalid], input[aria-invalid="true"]')?.focus(),
    [attempts, test.data?.faults, save.error],
  );
  return {
    ...{ draft, setDraft, choices, setChoices, fallback, setFallback, form, test, save, unpriced },
    missing: missingIn(vendor, draft, account),
    isChecked: attempts > 0,
    /** Goes on unless something is missing, which is said at its field. */
    unless: (isIncomplete: boolean, act: () => void): void => {
      setAttempts(attempts + 1);
      if (!isIncomplete) act();
    },
  };
}

interface TestResultProps {
  readonly tested: Tested | undefined;
  readonly isPending: boolean;
  readonly onTest: () => void;
}

/** The button that tries the account as it stands in the form, and what came of it. */
function TestResult({ tested, isPending, onTest }: TestResultProps) {
  return (
    <>
      <div className="row">
        <Button variant="default" loading={isPending} onClick={onTest}>
          {t('Test connection')}
        </Button>
        {tested !== undefined && <Tag tone={tested.ok ? 'ok' : 'bad'}>{tested.ok ? t('works') : tested.finding}</Tag>}
      </div>
      {tested === undefined ? (
        <p className="quiet small">
          {t('A test saves nothing. It sends one small request to the vendor, which may charge for it.')}
        </p>
      ) : (
        <p role="status">{tested.message.replace(/^works: /, '')}</p>
      )}
    </>
  );
}

interface Faults {
  readonly vendor: Vendor;
  readonly draft: AccountDraft;
  readonly missing: ReturnType<typeof missingIn>;
  readonly tested: Tested | undefined;
  readonly error: unknown;
}

/** What is wrong with a field, by its place in the row: `credentials.api_key`. */
function errorOf(field: string, { vendor, draft, missing, tested, error }: Faults): string | undefined {
  const gap = missing.find((each) => each.field === field);
  if (gap?.field === 'name') return t('Give the account a name.');
  if (gap?.field === 'base_url') return t('Enter the address of the server, such as http://127.0.0.1:11434/v1.');
  if (gap !== undefined) {
    const variable = vendor.credentials.find(({ name }) => name === gap.credential)?.variable ?? null;
    const words = { field: fieldName(gap.credential) };
    return variable === null
      ? t('Enter the {field}.', words)
      : t('Enter the {field}, or set {variable} and start the gateway again.', { ...words, variable });
  }
  const place = `accounts[${draft.name.trim()}].${field}`;
  return tested?.faults.find(({ path }) => path === place)?.message ?? faultAt(error, place);
}

interface FieldsProps {
  readonly vendor: Vendor;
  readonly draft: AccountDraft;
  readonly account: Kept | undefined;
  readonly onDraft: (draft: AccountDraft) => void;
  readonly errorOf: (field: string) => ReactNode;
}

function Fields({ vendor, draft, account, onDraft, errorOf: errorAt }: FieldsProps) {
  const [usual = []] = vendor.sufficient.filter((set) => set.length > 0);
  const isUsual = ({ name }: { readonly name: string }): boolean => usual.includes(name);
  const needsAddress = vendor.base_url === null || vendor.base_url.includes('${');
  const stored = storedSecrets(account);
  const address = (
    <TextInput
      label={t('Address')}
      description={t('Where the server is, as its documentation calls the base URL.')}
      placeholder={needsAddress ? 'http://127.0.0.1:11434/v1' : (vendor.base_url ?? '')}
      spellCheck={false}
      error={errorAt('base_url')}
      value={draft.baseUrl}
      onChange={({ currentTarget }) => onDraft({ ...draft, baseUrl: currentTarget.value })}
    />
  );
  const credential = (each: Vendor['credentials'][number]) => (
    <CredentialField
      key={each.name}
      credential={each}
      isStored={stored.includes(each.name)}
      isOptional={!needsCredentials(vendor)}
      error={errorAt(`credentials.${each.name}`)}
      value={draft.credentials[each.name] ?? ''}
      onValue={(value) => onDraft({ ...draft, credentials: { ...draft.credentials, [each.name]: value } })}
    />
  );
  const setting = (each: Vendor['settings'][number]) => (
    <SettingField
      key={each.name}
      setting={each}
      error={errorAt(`settings.${each.name}`)}
      value={draft.settings[each.name] ?? ''}
      onValue={(value) => onDraft({ ...draft, settings: { ...draft.settings, [each.name]: value } })}
    />
  );
  return (
    <>
      <TextInput
        label={t('Name')}
        description={t('What offers and the log call the account.')}
        maxLength={200}
        spellCheck={false}
        readOnly={account !== undefined}
        error={errorAt('name')}
        value={draft.name}
        onChange={({ currentTarget }) => onDraft({ ...draft, name: currentTarget.value })}
      />
      {needsAddress && address}
      {vendor.credentials.filter(isUsual).map(credential)}
      {vendor.settings.filter(isUsual).map(setting)}
      <details className="card">
        <summary>{t('More settings')}</summary>
        <div className="stack">
          {!needsAddress && address}
          {vendor.credentials.filter((each) => !isUsual(each)).map(credential)}
          {vendor.wires.length > 0 && (
            <Select
              label={t('Wire')}
              description={t('Which of the vendor’s APIs is asked; its usual one when empty.')}
              clearable
              clearButtonProps={{ 'aria-label': t('Clear') }}
              data={[...vendor.wires]}
              error={errorAt('wire')}
              value={draft.wire === '' ? null : draft.wire}
              onChange={(wire) => onDraft({ ...draft, wire: wire ?? '' })}
            />
          )}
          {vendor.settings.filter((each) => !isUsual(each)).map(setting)}
        </div>
      </details>
    </>
  );
}

interface FieldProps {
  readonly error: ReactNode;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function CredentialField({
  credential: { name, about, secret, variable, is_set: isSet },
  isStored,
  isOptional,
  error,
  value,
  onValue,
}: FieldProps & {
  readonly credential: Vendor['credentials'][number];
  readonly isStored: boolean;
  readonly isOptional: boolean;
}) {
  const from =
    variable === null
      ? t('Or write ${NAME} to read a variable of the gateway’s environment.')
      : isSet
        ? t('{variable} is set: leave it empty to use that.', { variable })
        : t('Or set {variable} in the gateway’s environment.', { variable });
  const shared = {
    label: fieldName(name),
    description: [plain(about), isOptional ? t('Only where the server asks for one.') : '', from]
      .filter((each) => each !== '')
      .join(' '),
    placeholder: isStored ? t('kept; type to replace it') : '',
    error,
    spellCheck: false,
    autoComplete: 'off',
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onValue(currentTarget.value),
  };
  if (!secret) return <TextInput {...shared} />;
  return (
    <PasswordInput
      {...shared}
      aria-invalid={error !== undefined && error !== false}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the key') }}
    />
  );
}

function SettingField({
  setting: { name, about, values, default: usual },
  error,
  value,
  onValue,
}: FieldProps & { readonly setting: Vendor['settings'][number] }) {
  const shared = { label: fieldName(name), description: plain(about), placeholder: usual ?? '', error };
  if (values.length > 0)
    return (
      <Select
        {...shared}
        clearable
        clearButtonProps={{ 'aria-label': t('Clear') }}
        data={[...values]}
        value={value === '' ? null : value}
        onChange={(chosen) => onValue(chosen ?? '')}
      />
    );
  return (
    <TextInput
      {...shared}
      spellCheck={false}
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

/** Without the marks of code, which fields do not show. */
const plain = (text: string): string => text.replaceAll('`', '');

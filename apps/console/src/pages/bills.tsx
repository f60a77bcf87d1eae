/** A vendor's bill beside the ledger: the export is added up here, and the gateway compares its sums. */
import { Button, Select, TextInput } from '@mantine/core';
import { ACCOUNTS_OF_BILL, type BillExport } from '@model-gateway/contracts/bills';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { faultAt } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace } from '../ui/files.tsx';
import { Empty, FormFault, PageHead } from '../ui/parts.tsx';
import { readBillFile, type BillFile } from './bill-file.ts';
import type { Refinement } from './bill-refinements.tsx';
import { BillResult } from './bill-result.tsx';

type Vendor = Schemas['BillVendor'];

const VENDOR_NAMES: Readonly<Record<Vendor, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  aws: 'AWS (Bedrock)',
  google: 'Google (Gemini API, Vertex AI)',
};
const VENDORS = Object.keys(ACCOUNTS_OF_BILL) as readonly Vendor[];
const FIELDS = ['vendor', 'account', 'from', 'to', 'tolerance_usd', 'file'];
const USUAL_TOLERANCE = '0.01';
/** A file of fewer bytes is read before anybody could read how far it is. */
const LARGE_FILE = 4 * 1024 * 1024;

/** What people fill in; empty texts are not given. */
interface Form {
  readonly vendor: Vendor;
  readonly account: string;
  readonly from: string;
  readonly to: string;
  readonly tolerance: string;
  readonly file: File | undefined;
}

const EMPTY: Form = { vendor: 'openai', account: '', from: '', to: '', tolerance: USUAL_TOLERANCE, file: undefined };
const NOTHING: Refinement = { models: {}, projects: {} };

export default function Bills() {
  const [form, setForm] = useState(EMPTY);
  const [shown, setShown] = useState<Checked>();
  const listed = useQuery({ queryKey: ['account-list'], queryFn: () => ask(api.GET('/admin/accounts')) });
  const accounts = (listed.data?.data ?? [])
    .filter(({ vendor, twin }) => !twin && ACCOUNTS_OF_BILL[form.vendor].includes(vendor))
    .map(({ name }) => name);
  const { check, share, stop } = useCheck(form, accounts.length > 1, setShown);
  const set = (changed: Partial<Form>): void => {
    setForm((before) => ({ ...before, ...changed }));
    // What is shown is of another bill, and what is being compared would be.
    if ('file' in changed || 'vendor' in changed) {
      stop();
      setShown(undefined);
    }
  };
  return (
    <>
      <PageHead
        title={t('Vendor bills')}
        about={t('What a vendor charged, beside what the ledger has, by day and model.')}
      >
        <a href="/docs/guides/bills.html#download-the-export">{t('Where to download the export')}</a>
      </PageHead>
      <div className="stack">
        <form
          className="card stack row-form"
          onSubmit={(event) => {
            event.preventDefault();
            check.mutate(NOTHING);
          }}
        >
          <FormFields form={form} set={set} accounts={accounts} error={check.error} />
          <FormFault error={check.error} fields={FIELDS} />
          <div className="row">
            <p className="quiet small grow">
              {t('The browser reads the file. Only its sums by day and item go to the gateway, and nothing is stored.')}
            </p>
            {check.isPending && form.file !== undefined && form.file.size > LARGE_FILE && (
              <Button variant="default" onClick={stop}>
                <span aria-live="polite">{t('{percent} % read · Cancel', { percent: Math.floor(share * 100) })}</span>
              </Button>
            )}
            <Button type="submit" disabled={form.file === undefined} loading={check.isPending}>
              {t('Compare')}
            </Button>
          </div>
        </form>
        {shown === undefined ? (
          !check.isPending && (
            <Empty title={t('Nothing is compared yet')}>
              {t('Choose the cost export of a vendor: CSV or JSON, also with gzip. A check covers up to 31 days.')}
            </Empty>
          )
        ) : (
          <BillResult key={shown.at} {...shown} accounts={accounts} isBusy={check.isPending} onAgain={check.mutate} />
        )}
      </div>
    </>
  );
}

interface Checked {
  readonly bill: BillExport;
  readonly result: Schemas['BillCheck'];
  readonly refinement: Refinement;
  readonly at: number;
}

/** Reads the file once, and asks the gateway as often as somebody says more about it. */
function useCheck(form: Form, hasAccounts: boolean, onChecked: (checked: Checked) => void) {
  const [share, setShare] = useState(0);
  /** The last one that was begun; what an earlier one finds is of a form that is gone. */
  const running = useRef<AbortController>(undefined);
  const last = useRef<{ readonly of: string; readonly file: File; readonly bill: BillExport }>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const billOf = async (given: BillFile, signal: AbortSignal): Promise<BillExport> => {
    const of = JSON.stringify({ ...given, file: undefined });
    if (last.current?.of === of && last.current.file === given.file) return last.current.bill;
    setShare(0);
    const bill = await readBillFile(given, { onShare: setShare, signal });
    last.current = { of, file: given.file, bill };
    return bill;
  };
  const check = useMutation({
    mutationFn: async (refinement: Refinement): Promise<Checked> => {
      const { file, vendor, from, to } = form;
      if (file === undefined) throw new Error(t('Choose a file first.'));
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      const bill = await billOf({ file, vendor, from, to, byProject: hasAccounts }, signal);
      const result = await ask(api.POST('/admin/bills/check', { body: bodyOf(form, bill, refinement), signal }));
      // It may have been stopped when the answer was there already.
      signal.throwIfAborted();
      return { bill, result, refinement, at: Date.now() };
    },
    onSuccess: onChecked,
  });
  const stop = (): void => {
    running.current?.abort();
    check.reset();
  };
  return { check, share, stop };
}

function bodyOf(
  { vendor, account, from, to, tolerance }: Form,
  { lines }: BillExport,
  { models, projects }: Refinement,
): Schemas['BillCheckCreate'] {
  const isApart = Object.keys(projects).length > 0;
  return {
    ...{ vendor, include_matches: true, lines: [...lines] },
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(account !== '' && { account }),
    ...(tolerance.trim() !== '' && { tolerance_usd: Number(tolerance.replace(',', '.')) }),
    ...(Object.keys(models).length > 0 && { models: { ...models } }),
    ...(isApart && { projects: { ...projects } }),
  };
}

interface FieldsProps {
  readonly form: Form;
  readonly set: (changed: Partial<Form>) => void;
  readonly accounts: readonly string[];
  readonly error: unknown;
}

function FormFields({ form, set, accounts, error }: FieldsProps) {
  const choose = ([file]: File[]): void => set({ file });
  const fileFault = faultAt(error, 'file') ?? faultAt(error, 'lines');
  return (
    <>
      <div className="fields">
        <Select
          label={t('Vendor')}
          allowDeselect={false}
          data={VENDORS.map((value) => ({ value, label: VENDOR_NAMES[value] }))}
          value={form.vendor}
          onChange={(vendor) => set({ vendor: vendor ?? 'openai', account: '' })}
        />
        <Select
          label={t('Account')}
          placeholder={t('All of the vendor')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          error={faultAt(error, 'account')}
          data={[...accounts]}
          value={form.account === '' ? null : form.account}
          onChange={(account) => set({ account: account ?? '' })}
        />
        <TextInput
          label={t('First day (UTC)')}
          type="date"
          error={faultAt(error, 'from')}
          value={form.from}
          onChange={({ currentTarget }) => set({ from: currentTarget.value })}
        />
        <TextInput
          label={t('Last day (UTC)')}
          type="date"
          error={faultAt(error, 'to')}
          value={form.to}
          onChange={({ currentTarget }) => set({ to: currentTarget.value })}
        />
        <TextInput
          label={t('Ignore differences up to (USD)')}
          inputMode="decimal"
          error={faultAt(error, 'tolerance_usd')}
          value={form.tolerance}
          onChange={({ currentTarget }) => set({ tolerance: currentTarget.value })}
        />
      </div>
      <p className="quiet small">
        {t('Without days, those of the file. Give both if it begins or ends within a day.')}
      </p>
      <DropPlace onFiles={choose}>
        <ChooseFiles
          label={t('Choose the export')}
          accept=".csv,.json,.jsonl,.ndjson,.gz,text/csv,application/json,application/gzip"
          isMultiple={false}
          onFiles={choose}
        />
        <p className="quiet small">{form.file === undefined ? t('Or drop it here.') : form.file.name}</p>
        {fileFault !== undefined && (
          <p className="small field-fault" role="alert">
            {fileFault}
          </p>
        )}
      </DropPlace>
    </>
  );
}

/** How an account comes to be and is changed: whom it is for, then its form. The raw editor is on the page of the configuration. */
import { Button, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { FaultBox } from '../ui/parts.tsx';
import { freeName, type Vendor } from './account-draft.ts';
import { AccountForm } from './account-form.tsx';
import { ENTRY_QUERIES } from './entry-queries.ts';
import { VendorPicker } from './vendor-picker.tsx';

type Entry = Schemas['ConfigEntry'];

function useVendors() {
  return useQuery({
    queryKey: ['vendors'],
    staleTime: 60_000,
    queryFn: async () => (await ask(api.GET('/admin/vendors'))).data,
  });
}

/** Picks a vendor, then asks for what an account of it needs. */
export function AddAccount({ onDone }: { onDone: () => void }) {
  const vendors = useVendors();
  const accounts = useQuery({ queryKey: ['account-list'], queryFn: () => ask(api.GET('/admin/accounts')) });
  const [picked, setPicked] = useState<Vendor>();
  if (vendors.isError) return <FaultBox error={vendors.error} onRetry={() => void vendors.refetch()} />;
  if (accounts.isError) return <FaultBox error={accounts.error} onRetry={() => void accounts.refetch()} />;
  if (vendors.data === undefined || accounts.data === undefined) return <Loader aria-label={t('Loading')} />;
  if (picked === undefined)
    return (
      <>
        <Locked />
        <VendorPicker vendors={vendors.data} onPick={setPicked} />
      </>
    );
  // A built-in account that is off waits for its key; beside one that is on there is a further one.
  const builtIn = accounts.data.data.find(({ name, twin }) => name === picked.id && !twin);
  const isWaiting = picked.account !== null && builtIn?.on === false;
  const taken = new Set(accounts.data.data.map(({ name }) => name));
  return (
    <>
      <div>
        <Button size="xs" variant="default" onClick={() => setPicked(undefined)}>
          {t('Another vendor')}
        </Button>
      </div>
      {isWaiting ? (
        <EditAccount key={picked.id} name={picked.id} onDone={onDone} />
      ) : (
        <AccountForm
          key={picked.id}
          vendor={picked}
          name={freeName(picked, taken)}
          account={undefined}
          onDone={onDone}
        />
      )}
    </>
  );
}

/** The account as the configuration has it. */
export function EditAccount({ name, onDone }: { name: string; onDone: () => void }) {
  const vendors = useVendors();
  const entry = useQuery({
    queryKey: ['configuration-entries', 'accounts', name],
    queryFn: () =>
      ask(api.GET('/admin/config/entries/{section}/{name}', { params: { path: { section: 'accounts', name } } })),
    staleTime: 0,
    gcTime: 0,
  });
  if (entry.isError) return <FaultBox error={entry.error} onRetry={() => void entry.refetch()} />;
  if (vendors.isError) return <FaultBox error={vendors.error} onRetry={() => void vendors.refetch()} />;
  if (entry.data === undefined || vendors.data === undefined) return <Loader aria-label={t('Loading')} />;
  const vendor = vendorOf(entry.data, vendors.data);
  return (
    <>
      <Locked />
      {vendor === undefined ? (
        <p>{t('Its vendor is not known.')}</p>
      ) : (
        <AccountForm vendor={vendor} name={name} account={entry.data} onDone={onDone} />
      )}
      {entry.data.version > 0 && (
        <Act
          name={entry.data.beneath === null ? t('Delete') : t('Back to the file')}
          question={t('The database forgets what it has of this row. It can be undone.')}
          done={t('Changed')}
          changes={ENTRY_QUERIES}
          run={async () => {
            const query = { version: entry.data.version };
            const params = { path: { section: 'accounts' as const, name }, query };
            await ask(api.DELETE('/admin/config/entries/{section}/{name}', { params }));
            onDone();
          }}
        />
      )}
      <p className="small">
        <PageLink to="/configuration" search={{ section: 'accounts', search: name }}>
          {t('Everything that an account can say, as JSON')}
        </PageLink>
      </p>
    </>
  );
}

/** The built-in account of this name; else one of the same maker; else its vendor. */
function vendorOf({ name, value, beneath }: Entry, vendors: readonly Vendor[]): Vendor | undefined {
  const row = value ?? beneath ?? {};
  const alike = vendors.filter(({ vendor }) => vendor === row['vendor']);
  const maker = (settings: unknown): unknown =>
    (settings as Readonly<Record<string, unknown>> | undefined)?.['provider'];
  const provider = maker(row['settings']);
  return (
    alike.find(({ id }) => id === name) ??
    alike.find(({ account }) => provider !== undefined && maker(account?.['settings']) === provider) ??
    alike.find(({ id }) => id === row['vendor']) ??
    alike[0]
  );
}

/** Says why nothing can be saved, where the file alone says which accounts there are. */
function Locked() {
  const config = useQuery({ queryKey: ['configuration'], queryFn: () => ask(api.GET('/admin/config')) });
  if (config.data?.kept_in !== 'file') return null;
  return (
    <p className="card" role="note">
      {t(
        'Models and accounts are kept in the configuration file, so nothing can be saved here. You can test an account all the same.',
      )}
    </p>
  );
}

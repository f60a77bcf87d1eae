/** Models, accounts and budgets with where they come from; one of them is edited at the side. */
import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { useFilters } from '../ui/page-link.tsx';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, FilterBar, Tag } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ConfigurationEditor } from './configuration-editor.tsx';

type Entry = Schemas['ConfigEntry'];
type Layer = Entry['from'][number];

export const layerName = (layer: Layer): string =>
  ({ builtin: t('built in'), file: t('file'), database: t('database') })[layer];

const columns = (): readonly Column<Entry>[] => [
  { name: t('Name'), width: '2fr', narrow: '2fr', cell: ({ name }) => name },
  {
    name: t('Kind'),
    width: '110px',
    narrow: '78px',
    cell: ({ section }) => ({ models: t('model'), accounts: t('account'), budgets: t('budget') })[section],
  },
  {
    name: t('From'),
    width: '1.5fr',
    cell: ({ from }) =>
      from.map((layer) => (
        <Tag key={layer} tone={layer === 'database' ? 'accent' : 'quiet'}>
          {layerName(layer)}
        </Tag>
      )),
  },
  {
    name: t('State'),
    width: '1fr',
    extra: true,
    cell: ({ faults, removed }) =>
      faults.length > 0 ? (
        <Tag tone="bad">{t('left out')}</Tag>
      ) : removed ? (
        <Tag tone="warn">{t('taken away')}</Tag>
      ) : (
        ''
      ),
  },
];

export function ConfigurationEntries({ isEditable }: { isEditable: boolean }) {
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Entry>();
  const [isAdding, setAdding] = useState(false);
  const { section, from, search } = filters;
  const close = (): void => {
    setOpen(undefined);
    setAdding(false);
  };
  return (
    <>
      {isEditable && (
        <div className="row above">
          <Button onClick={() => setAdding(true)}>{t('Add')}</Button>
        </div>
      )}
      <FilterBar set={[section, from, search].filter((each) => each !== undefined).length}>
        <SegmentedControl
          className="fixed"
          aria-label={t('Kind')}
          value={section ?? 'all'}
          onChange={(chosen) => change({ section: chosen === 'all' ? undefined : chosen })}
          data={[
            { value: 'all', label: t('All') },
            { value: 'models', label: t('Models') },
            { value: 'accounts', label: t('Accounts') },
            { value: 'budgets', label: t('Budgets') },
          ]}
        />
        <Select
          label={t('From')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={(['builtin', 'file', 'database'] as const).map((value) => ({ value, label: layerName(value) }))}
          value={from ?? null}
          onChange={(chosen) => change({ from: chosen ?? undefined })}
        />
        <SearchField
          label={t('Name')}
          placeholder="gpt"
          value={search}
          onValue={(typed) => change({ search: typed })}
        />
      </FilterBar>
      <List<Entry, string>
        label={t('Models, accounts and budgets')}
        queryKey={['configuration-entries', section, from, search]}
        read={(after) =>
          ask(
            api.GET('/admin/config/entries', {
              params: {
                query: {
                  ...(section !== undefined && { section: section as Entry['section'] }),
                  ...(from !== undefined && { from: from as Layer }),
                  ...(search !== undefined && { search }),
                  ...(after !== undefined && { after }),
                },
              },
            }),
          )
        }
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={<Empty title={t('Nothing found')}>{t('No model, account or budget is like this.')}</Empty>}
      />
      <Side title={open?.id ?? t('Add')} isOpen={open !== undefined || isAdding} onClose={close}>
        {isAdding && <NewEntry onDone={close} />}
        {open !== undefined && <ConfigurationEditor entry={open} isEditable={isEditable} onDone={close} />}
      </Side>
    </>
  );
}

type Section = Schemas['ConfigSection'];

const TEMPLATES: Readonly<Record<Section, object>> = {
  models: {
    kind: 'chat',
    offers: [{ account: 'openai', model: 'gpt-5.2', dialect: 'openai-chat' }],
    price: { input: 1, output: 2 },
    limits: { max_input_tokens: 128_000, max_output_tokens: 16_000 },
  },
  accounts: {
    vendor: 'openai-compatible',
    base_url: 'https://models.example.com/v1',
    credentials: { api_key: '${MODELS_API_KEY}' },
    dialects: ['openai-chat'],
  },
  budgets: { scope: 'organization', values: ['acme'], window: 'month', limit: 1000 },
};

export function NewEntry({ onDone }: { onDone: () => void }) {
  const [section, setSection] = useState<Section>('models');
  const [name, setName] = useState('');
  const [isNamed, setNamed] = useState(false);
  if (isNamed)
    return (
      <ConfigurationEditor
        entry={{ section, name, version: 0, kept: null, removed: false, beneath: null, value: null, faults: [] }}
        template={TEMPLATES[section]}
        isEditable
        onDone={onDone}
      />
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setNamed(true);
      }}
    >
      <SegmentedControl
        aria-label={t('Kind')}
        value={section}
        onChange={(chosen) => setSection(chosen)}
        data={[
          { value: 'models', label: t('Model') },
          { value: 'accounts', label: t('Account') },
          { value: 'budgets', label: t('Budget') },
        ]}
      />
      <TextInput
        label={t('Name')}
        description={t('What callers write in model, what offers call the account, or what refusals call the budget.')}
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button type="submit">{t('Next')}</Button>
    </form>
  );
}

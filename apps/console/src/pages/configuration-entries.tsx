/** Models and accounts with where they come from; one of them is edited at the side. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { useFilters } from '../ui/filters.ts';
import { List, type Column } from '../ui/list.tsx';
import { Empty, FilterBar, Tag } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Side } from '../ui/side.tsx';
import { ConfigurationEditor } from './configuration-editor.tsx';
import { NewEntry } from './configuration-new-entry.tsx';

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
    cell: ({ section }) => (section === 'models' ? t('model') : t('account')),
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
        label={t('Models and accounts')}
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
        empty={<Empty title={t('Nothing found')}>{t('No model or account is like this.')}</Empty>}
      />
      <Side title={open?.id ?? t('Add')} isOpen={open !== undefined || isAdding} onClose={close}>
        {isAdding && <NewEntry onDone={close} />}
        {open !== undefined && <ConfigurationEditor entry={open} isEditable={isEditable} onDone={close} />}
      </Side>
    </>
  );
}

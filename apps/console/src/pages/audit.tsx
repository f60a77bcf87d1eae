/** Who changed what. */
import { Select } from '@mantine/core';
import { AUDIT_ACTIONS } from '@model-gateway/contracts';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { useFilters } from '../ui/page-link.tsx';
import { formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, FilterBar, Facts, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';

type Entry = Schemas['AuditEntry'];
const columns = (): readonly Column<Entry>[] => [
  { name: t('Time'), width: '160px', narrow: '84px', cell: ({ at }) => <When at={at} /> },
  { name: t('Action'), width: '1fr', cell: ({ action }) => <Tag tone="plain">{action}</Tag> },
  { name: t('Subject'), width: '1.5fr', cell: ({ subject }) => subject, extra: true },
  { name: t('Actor'), width: '1.5fr', cell: ({ actor }) => actor, extra: true },
];

export default function Audit() {
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Entry>();
  const { action, subject, actor } = filters;
  return (
    <>
      <PageHead title={t('Audit log')} about={t('Every change that an operator made, newest first.')} />
      <FilterBar set={Object.keys(filters).length}>
        <Select
          label={t('Action')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[...AUDIT_ACTIONS]}
          value={action ?? null}
          onChange={(chosen) => change({ action: chosen ?? undefined })}
        />
        <SearchField
          label={t('Subject')}
          placeholder="key 7"
          value={subject}
          onValue={(typed) => change({ subject: typed })}
        />
        <SearchField
          label={t('Actor')}
          placeholder="command"
          value={actor}
          onValue={(typed) => change({ actor: typed })}
        />
      </FilterBar>
      <List<Entry, number>
        label={t('Audit log')}
        queryKey={['audit', action, subject, actor]}
        read={(after) =>
          ask(
            api.GET('/admin/audit', {
              params: {
                query: {
                  ...(action !== undefined && { action: action as Entry['action'] }),
                  ...(subject !== undefined && { subject }),
                  ...(actor !== undefined && { actor }),
                  ...(after !== undefined && { after }),
                },
              },
            }),
          )
        }
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={<Empty title={t('No changes found')}>{t('Changes of keys, owners and money appear here.')}</Empty>}
      />
      <Side title={open?.action ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && (
          <>
            <Facts
              of={{
                [t('Time')]: formatTime(open.at),
                [t('Subject')]: open.subject,
                [t('Actor')]: open.actor,
                [t('Request id')]: open.request_id,
              }}
            />
            <Changes before={open.before} after={open.after} />
          </>
        )}
      </Side>
    </>
  );
}

/** What differs between the two. */
function Changes({ before, after }: { before: Entry['before']; after: Entry['after'] }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const said = (of: Entry['before'], name: string): string => {
    const value = of?.[name];
    return value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  };
  const changed = names.filter((name) => said(before, name) !== said(after, name));
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('What changed')}>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t('Field')}</th>
            <th>{t('Before')}</th>
            <th>{t('After')}</th>
          </tr>
        </thead>
        <tbody>
          {changed.map((name) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td>{said(before, name)}</td>
              <td>{said(after, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

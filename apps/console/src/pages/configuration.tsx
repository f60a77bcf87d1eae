/** The configuration: what is loaded, what is wrong with it, and the models and accounts that can be edited here. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { useFilters } from '../ui/page-link.tsx';
import { formatTime } from '../ui/format.ts';
import { CodeBlock, Empty, FaultBox, PageHead, Tag } from '../ui/parts.tsx';
import { ConfigurationEntries } from './configuration-entries.tsx';
import { ConfigurationFaults } from './configuration-faults.tsx';
import { Act } from '../ui/act.tsx';
import { List, type Column } from '../ui/list.tsx';
import { ENTRY_QUERIES } from './entry-queries.ts';

type Loaded = Schemas['LoadedConfig'];

export default function Configuration() {
  const [{ show = 'entries' }, change] = useFilters();
  const query = useQuery({ queryKey: ['configuration'], queryFn: () => ask(api.GET('/admin/config')) });
  const config = query.data;
  return (
    <>
      <PageHead title={t('Configuration')} about={t('As it is in effect, with secrets hidden.')}>
        <a href="/docs/guides/settings.html">{t('All settings')}</a>
      </PageHead>
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {config !== undefined && (
        <div className="stack">
          <Sources config={config} />
          <ConfigurationFaults title={t('Faults of the file as it stands: it is not taken')} of={config.faults} />
          <ConfigurationFaults title={t('Left out of the database: these rows do not fit')} of={config.left_out} />
          <ConfigurationFaults title={t('Warnings')} of={config.warnings} tone="warn" />
          <Tabs value={show} onChange={(chosen) => change({ show: chosen ?? undefined })} keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="entries">{t('Models, accounts and budgets')}</Tabs.Tab>
              <Tabs.Tab value="changes">{t('Changes')}</Tabs.Tab>
              <Tabs.Tab value="settings">{t('Settings of the file')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="entries" pt="sm">
              <ConfigurationEntries isEditable={config.kept_in === 'database'} />
            </Tabs.Panel>
            <Tabs.Panel value="changes" pt="sm">
              <ConfigurationChanges isEditable={config.kept_in === 'database'} />
            </Tabs.Panel>
            <Tabs.Panel value="settings" pt="sm">
              <Settings config={config} />
            </Tabs.Panel>
          </Tabs>
        </div>
      )}
    </>
  );
}

/** Where it comes from, whether it can be edited here, and what the last reload changed. */
function Sources({ config }: { config: Loaded }) {
  const { sources, kept_in: keptIn, last_reload: last } = config;
  return (
    <div className="card stack">
      <div className="row">
        <Tag tone={keptIn === 'database' ? 'accent' : 'plain'}>
          {keptIn === 'database' ? t('kept in the database') : t('kept in the file')}
        </Tag>
        <span>
          {t('From')}{' '}
          {sources.length === 0
            ? t('the built-in catalogue alone')
            : sources.map((source) => <code key={source}>{source} </code>)}
        </span>
      </div>
      <div className="small">
        {keptIn === 'database'
          ? t(
              'Models, accounts and budgets are edited here; what the database has lies over the file. The rest is changed in the file.',
            )
          : sources.length === 0
            ? t('Start the gateway with GATEWAY_CONFIG_SOURCE=database to edit models and accounts here.')
            : t(
                'Models, accounts and budgets are kept in the file {file}: set config.source: database in it to edit them here.',
                {
                  file: sources.join(', '),
                },
              )}
      </div>
      {last !== null && (
        <details>
          <summary>
            {t('Last reload: {time}', { time: formatTime(last.at) })} ({last.changes.length})
          </summary>
          <ul className="small">
            {last.changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
            {last.needs_restart.length > 0 && (
              <li>{t('From the next start only: {settings}', { settings: last.needs_restart.join(', ') })}</li>
            )}
            {last.changes.length + last.needs_restart.length === 0 && <li>{t('Nothing is other')}</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

function Settings({ config }: { config: Loaded }) {
  const sections = Object.entries(config.settings);
  if (sections.length === 0)
    return (
      <Empty
        title={t('Nothing is set')}
        action={<a href="/docs/guides/configuration.html">{t('How to configure it')}</a>}
      >
        {t('The gateway runs with the built-in catalogue and its own defaults.')}
      </Empty>
    );
  return (
    <div className="stack">
      {sections.map(([name, value]) => (
        <details key={name} className="card" open={sections.length < 8}>
          <summary>
            <b>{name}</b>
          </summary>
          <CodeBlock text={JSON.stringify(value, undefined, 2)} label={name} />
        </details>
      ))}
    </div>
  );
}

type Change = Schemas['ConfigChange'];

function wordsOf({ after, undoes }: Change): string {
  if (undoes !== null) return t('undoes {id}', { id: undoes });
  if (after === null) return t('Back to the file');
  return after.removed ? t('taken away') : t('set');
}

export function ConfigurationChanges({ isEditable }: { isEditable: boolean }) {
  const columns: readonly Column<Change>[] = [
    { name: t('No.'), width: '70px', cell: ({ id }) => id },
    { name: t('Time'), width: '190px', cell: ({ at }) => formatTime(at), extra: true },
    { name: t('Subject'), width: '2fr', cell: ({ section, name }) => `${section}/${name}` },
    { name: t('Action'), width: '1fr', cell: wordsOf },
    { name: t('Actor'), width: '1.5fr', cell: ({ actor }) => actor, extra: true },
    {
      name: t('Undo'),
      width: '110px',
      cell: ({ id }) =>
        isEditable && (
          <Act
            name={t('Undo')}
            question={t('The row is put back as it was before the change {id}.', { id })}
            done={t('Changed')}
            changes={ENTRY_QUERIES}
            run={() => ask(api.POST('/admin/config/changes/{change_id}/undo', { params: { path: { change_id: id } } }))}
          />
        ),
    },
  ];
  return (
    <List<Change, number>
      label={t('Changes')}
      queryKey={['configuration-changes']}
      read={(after) =>
        ask(api.GET('/admin/config/changes', { params: { query: { ...(after !== undefined && { after }) } } }))
      }
      columns={columns}
      rowKey={({ id }) => id}
      empty={<Empty title={t('No changes found')}>{t('What is edited here is listed here, and can be undone.')}</Empty>}
    />
  );
}

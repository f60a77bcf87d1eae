/** Every change of models and accounts in the database, and the way back. */
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { formatTime } from '../ui/format.ts';
import { List, type Column } from '../ui/list.tsx';
import { Empty } from '../ui/parts.tsx';
import { ENTRY_QUERIES } from './configuration-editor.tsx';

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

/** What the log of requests tells of all requests together: parameters that did not reach vendors. */
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatNumber } from '../ui/format.ts';
import { List, type Column } from '../ui/list.tsx';
import { NameFilter } from '../ui/names.tsx';
import { useFilters } from '../ui/page-link.tsx';
import { Empty, PageHead, When } from '../ui/parts.tsx';

type Dropped = Schemas['DroppedParameter'];

const MOST = 500;

const droppedColumns = (): readonly Column<Dropped>[] => [
  { name: t('Parameter'), width: '1.4fr', cell: ({ parameter }) => <code>{parameter}</code>, wraps: true },
  { name: t('Model'), width: '1.2fr', cell: ({ model }) => model ?? '–', wraps: true },
  { name: t('Key'), width: '1fr', cell: ({ key_name: name, key_id: id }) => name ?? id, extra: true, wraps: true },
  { name: t('Requests'), width: '100px', narrow: '80px', cell: ({ requests }) => formatNumber(requests), right: true },
  { name: t('Last seen'), width: '120px', cell: ({ last_at: at }) => <When at={at} />, extra: true, wraps: true },
  { name: t('Why'), width: '1.6fr', cell: ({ reason }) => reason, extra: true, wraps: true },
  { name: t('What to do'), width: '2fr', cell: ({ advice }) => advice, extra: true, wraps: true },
];

export default function Insights() {
  const [filters, change] = useFilters();
  const key = filters['key_id'];
  return (
    <>
      <PageHead title={t('Insights')} about={t('What requests of the last 7 days lose on their way to vendors.')} />
      <div className="filters open">
        <NameFilter of="key" value={key} onValue={(id) => change({ key_id: id })} />
      </div>
      <DroppedParameters keyId={key} />
    </>
  );
}

function DroppedParameters({ keyId }: { keyId: string | undefined }) {
  return (
    <section>
      <h2>{t('Parameters that did not reach the vendor')}</h2>
      <List<Dropped, number>
        label={t('Parameters that did not reach the vendor')}
        queryKey={['dropped-parameters', keyId]}
        read={() =>
          ask(
            api.GET('/admin/dropped-parameters', {
              params: { query: { limit: MOST, ...(keyId !== undefined && { key_id: Number(keyId) }) } },
            }),
          )
        }
        columns={droppedColumns()}
        rowKey={({ parameter, model, key_id: id }) => `${id} ${model ?? ''} ${parameter}`}
        empty={
          <Empty title={t('Every parameter reached its vendor')}>
            {t('Parameters are dropped when a request is translated for a vendor that has no such setting.')}
          </Empty>
        }
      />
    </section>
  );
}

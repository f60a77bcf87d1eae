/** What the log of requests tells of all requests together: losses of prompt caches, and parameters that did not reach vendors. */
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatUsd } from '../ui/format.ts';
import { List, type Column } from '../ui/list.tsx';
import { NameFilter } from '../ui/names.tsx';
import { useFilters } from '../ui/page-link.tsx';
import { Empty, FaultBox, PageHead, When } from '../ui/parts.tsx';

type Dropped = Schemas['DroppedParameter'];

const MOST = 500;

export const CACHE_CAUSES: Readonly<Record<Schemas['CacheCause'], Text>> = {
  changed: 'A block of the prompt changed',
  tools_reordered: 'Tools in another order',
  history_trimmed: 'First messages removed',
  other_model: 'Another model',
  other_account: 'Another account',
  not_requested: 'No cache_control was sent',
  marked_early: 'The last mark is too early',
  too_many_blocks: 'Too many new blocks',
  expired: 'Lifetime of the cache was over',
  at_once: 'Sent while the previous one ran',
  not_read: 'Not read by the vendor',
};

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
  const query = { limit: MOST, ...(key !== undefined && { key_id: Number(key) }) };
  return (
    <>
      <PageHead title={t('Insights')} about={t('What requests of the last 7 days lose on their way to vendors.')} />
      <div className="filters open">
        <NameFilter of="key" value={key} onValue={(id) => change({ key_id: id })} />
      </div>
      <div className="stack">
        <PromptCaches query={query} />
        <DroppedParameters query={query} />
      </div>
    </>
  );
}

interface Asked {
  readonly query: { readonly limit: number; readonly key_id?: number };
}

function PromptCaches({ query }: Asked) {
  const { data, error, isError, refetch } = useQuery({
    queryKey: ['cache-report', query],
    queryFn: () => ask(api.GET('/admin/cache-report', { params: { query } })),
  });
  return (
    <section className="card">
      <h2>{t('Prompt caches of vendors')}</h2>
      {isError && <FaultBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && data.data.length === 0 && (
        <p className="quiet">{t('No request was long enough to cache.')}</p>
      )}
      {data?.data.map((key) => (
        <KeyLosses key={key.key_id} of={key} />
      ))}
    </section>
  );
}

function KeyLosses({ of }: { of: Schemas['CacheReportKey'] }) {
  const name = of.key_name ?? String(of.key_id);
  return (
    <>
      <h3>{name}</h3>
      <p>
        {t(
          '{lost} of {charged} would have been saved. Vendors read {read} of {input} input tokens from their caches.',
          {
            lost: formatUsd(of.lost_usd),
            charged: formatUsd(of.charged_usd),
            read: formatNumber(of.read_tokens),
            input: formatNumber(of.input_tokens),
          },
        )}
      </p>
      {of.causes.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t('Losses of {name}', { name })}>
          <table className="plain-table">
            <thead>
              <tr>
                <th>{t('Cause')}</th>
                <th className="right">{t('Requests')}</th>
                <th className="right">{t('Lost')}</th>
                <th>{t('What to do')}</th>
              </tr>
            </thead>
            <tbody>
              {of.causes.map(({ cause, requests, lost_usd: lost, advice }) => (
                <tr key={cause}>
                  <td>{t(CACHE_CAUSES[cause])}</td>
                  <td className="right">{formatNumber(requests)}</td>
                  <td className="right">{formatUsd(lost)}</td>
                  <td>{advice}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function DroppedParameters({ query }: Asked) {
  return (
    <section>
      <h2>{t('Parameters that did not reach the vendor')}</h2>
      <List<Dropped, number>
        label={t('Parameters that did not reach the vendor')}
        queryKey={['dropped-parameters', query]}
        read={() => ask(api.GET('/admin/dropped-parameters', { params: { query } }))}
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

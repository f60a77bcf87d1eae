/** Who the money goes to. */
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../ui/page-link.tsx';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { formatNumber, formatUsd } from '../ui/format.ts';

const DAY = 86_400_000;
const SHOWN = 12;

export function UsageByModel({ mode, days }: { mode: 'live' | 'test'; days: number }) {
  const { admin } = useRights();
  const usage = useQuery({
    queryKey: ['usage-by-model', admin, mode, days],
    queryFn: () => {
      const times = { from: new Date(Date.now() - days * DAY).toISOString(), to: new Date().toISOString() };
      return admin
        ? ask(api.GET('/admin/usage', { params: { query: { ...times, group_by: ['model'], mode } } }))
        : ask(api.GET('/v1/usage', { params: { query: { ...times, group_by: ['model'] } } }));
    },
  });
  const rows = [...(usage.data?.data ?? [])].sort((a, b) => b.charged - a.charged).slice(0, SHOWN);
  const most = Math.max(1, ...rows.map(({ charged }) => charged));
  if (rows.length === 0) return null;
  return (
    <section className="card">
      <h2>{days === 1 ? t('Cost by model, last 24 hours') : t('Cost by model, last {days} days', { days })}</h2>
      <div className="bars">
        {rows.map(({ group, charged, charged_usd: usd, requests }) => {
          const model = String(group['model']);
          return (
            <div key={model} className="bar">
              <PageLink to="/requests" search={{ model }}>
                {model}
              </PageLink>
              <div className="track" role="img" aria-label={t('{count} requests', { count: formatNumber(requests) })}>
                <i style={{ left: 0, width: `${(100 * charged) / most}%` }} />
              </div>
              <span className="right">{formatUsd(usd)}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}

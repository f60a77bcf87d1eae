/** The money of whoever signed in with a key: what is there, what this month has cost, and what is left of the budget. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatQuota, formatUsd } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { Tag } from '../ui/parts.tsx';
import { forecastOf, periodOf, periodWords, timesOf } from '../ui/period.tsx';

const LIVE_MS = 30_000;

export function OwnMoney() {
  const month = periodOf({});
  const query = useQuery({
    queryKey: ['own-money', month.from],
    refetchInterval: LIVE_MS,
    queryFn: async () => {
      const [{ owner, mode }, { total }] = await Promise.all([
        ask(api.GET('/v1/me')),
        ask(api.GET('/v1/usage', { params: { query: { ...timesOf(month), group_by: ['day'] } } })),
      ]);
      return { owner, mode, spent: total.charged };
    },
  });
  if (query.data === undefined) return <div className="own-money-space" />;
  const { owner, mode, spent } = query.data;
  const budget = owner.monthly_budget;
  return (
    <section className="card own-money" aria-label={t('Money')}>
      <div className="cards figures">
        <div className="figure">
          <span>{t('Balance of {owner}', { owner: owner.name })}</span>
          <b>{formatUsd(owner.balance_usd)}</b>
          {owner.low_balance !== null && owner.balance < owner.low_balance && (
            <span>
              <Tag tone="warn">{t('low')}</Tag>
            </span>
          )}
        </div>
        <div className="figure">
          <span>{t('Spend in {period}', { period: periodWords(month) })}</span>
          <b>{formatQuota(spent)}</b>
          {mode === 'test' && <span>{t('Of test keys, which pay nothing.')}</span>}
        </div>
        <div className="figure">
          <span>{t('Forecast for the month')}</span>
          <b>{formatQuota(forecastOf(spent, month))}</b>
        </div>
        {budget !== null && mode === 'live' && (
          <div className="figure">
            <span>{t('Left of the budget')}</span>
            <b>{formatQuota(budget - spent)}</b>
            <span>{t('of {limit} a month', { limit: formatQuota(budget) })}</span>
          </div>
        )}
      </div>
      <p className="small">
        <PageLink to="/usage">{t('Usage')}</PageLink>
        {' · '}
        <PageLink to="/statement">{t('Statement')}</PageLink>
      </p>
    </section>
  );
}

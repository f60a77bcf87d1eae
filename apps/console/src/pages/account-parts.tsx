/** Of one account: what its budget allows, how its newest requests went, and one call that tries it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { Facts, FaultBox, Meter, Tag } from '../ui/parts.tsx';

const NEWEST = 500;

export function AccountState({ account }: { account: Schemas['Account'] }) {
  return (
    <>
      <StateTag account={account} /> <KeysTag keys={account.keys} />
    </>
  );
}

/** How many keys or regions an account has, and how many of them are not asked now. */
function KeysTag({ keys }: Pick<Schemas['Account'], 'keys'>) {
  if (keys.length === 0) return null;
  const cooling = keys.filter(({ state }) => state !== 'closed').length;
  const words = t('{count} keys', { count: keys.length });
  return (
    <span className="quiet small">
      {cooling === 0 ? words : `${words}, ${t('{count} cooling down', { count: cooling })}`}
    </span>
  );
}

function StateTag({ account }: { account: Schemas['Account'] }) {
  if (!account.on) return <Tag>{t('off')}</Tag>;
  if (account.state === 'open') return <Tag tone="bad">{t('cooling down')}</Tag>;
  if (account.state === 'half-open') return <Tag tone="warn">{t('probing')}</Tag>;
  return <Tag tone="ok">{t('healthy')}</Tag>;
}

export function AccountBudgets({ budgets }: { budgets: Schemas['Account']['budgets'] }) {
  if (budgets.length === 0) return null;
  return (
    <section className="card stack">
      <h2>{t('Budgets')}</h2>
      {budgets.map(({ bound, limit, used }) => {
        const show = bound.startsWith('dollars') ? formatUsd : (count: number) => formatNumber(Math.round(count));
        return (
          <div key={bound}>
            <div className="row">
              <code className="grow">{bound}</code>
              <span>
                {show(used)} / {show(limit)}
              </span>
            </div>
            <Meter used={used} limit={limit} label={bound} />
          </div>
        );
      })}
    </section>
  );
}

/** Among the newest requests of everybody, those that went to this account. */
export function Recent({ name }: { name: string }) {
  const query = useQuery({
    queryKey: ['requests', 'newest', NEWEST],
    queryFn: () => ask(api.GET('/admin/requests', { params: { query: { limit: NEWEST } } })),
  });
  const rows = query.data?.data.filter(({ account }) => account === name) ?? [];
  if (rows.length === 0) return null;
  const input = rows.reduce((sum, { input_tokens: tokens }) => sum + (tokens ?? 0), 0);
  const cached = rows.reduce((sum, { cached_input_tokens: tokens }) => sum + (tokens ?? 0), 0);
  const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
  const failed = rows.filter(({ error }) => error !== null).length;
  const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  return (
    <section className="card">
      <h2>
        {t('Recent')} <span className="quiet small">{t('of its newest {count} requests', { count: rows.length })}</span>
      </h2>
      <Facts
        of={{
          [t('Cached input')]: input === 0 ? undefined : percent(cached, input),
          [t('Errors')]: percent(failed, rows.length),
          [t('Median latency')]: formatDuration(times[Math.floor(times.length / 2)]),
        }}
      />
    </section>
  );
}

/** One small request to the vendor, and what its outcome means. */
export function TestNow({ account }: { account: Schemas['Account'] }) {
  const test = useMutation({
    mutationFn: () =>
      ask(api.POST('/admin/accounts/{account_id}/test', { params: { path: { account_id: account.id } } })),
  });
  return (
    <section className="card stack">
      <div className="row">
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {t('Test now')}
        </Button>
        {test.data !== undefined && <Tag tone={test.data.ok ? 'ok' : 'bad'}>{test.data.finding}</Tag>}
      </div>
      {test.data === undefined && (
        <p className="quiet small">{t('A test sends one small request to the vendor, which may charge for it.')}</p>
      )}
      {test.data !== undefined && (
        <div role="status">
          <div>{test.data.message}</div>
          <div className="quiet small">
            {t('What the vendor answered in {time}', { time: formatDuration(test.data.ms) })}
          </div>
        </div>
      )}
      {test.isError && <FaultBox error={test.error} />}
    </section>
  );
}

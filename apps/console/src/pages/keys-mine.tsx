/** The key that its holder signed in with, and parts that every page of keys shows. */
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatQuota, formatTime, formatUsd } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { OwnerName } from '../ui/names.tsx';
import { Facts, FaultBox, Meter, PageHead, Tag } from '../ui/parts.tsx';
import { Snippets } from './key-snippets.tsx';

const LIVE_MS = 10_000;

export function MyKey() {
  const query = useQuery({ queryKey: ['me'], queryFn: () => ask(api.GET('/v1/me')), refetchInterval: LIVE_MS });
  return (
    <>
      <PageHead
        title={t('Keys')}
        about={t('The key you signed in with. Whoever runs the gateway makes more of them.')}
      />
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && (
        <div className="cards wide">
          <section className="card">
            <h2>{query.data.key.name}</h2>
            <KeyFacts record={query.data.key} />
          </section>
          <section className="card">
            <h2>{t('Limits')}</h2>
            <LimitMeters limits={query.data.limits} />
          </section>
          <section className="card">
            <h2>{t('Money')}</h2>
            <Facts
              of={{
                [t('Owner')]: query.data.owner.name,
                [t('Balance')]: formatUsd(query.data.owner.balance_usd),
                [t('Credit')]:
                  query.data.owner.credit_limit === null
                    ? t('without limit')
                    : formatQuota(query.data.owner.credit_limit),
              }}
            />
            <p>
              <PageLink to="/ledger">{t('Open the ledger')}</PageLink>
            </p>
          </section>
          <section className="card">
            <h2>{t('In a program')}</h2>
            <Snippets />
          </section>
        </div>
      )}
    </>
  );
}

export function KeyFacts({ record }: { record: Schemas['Key'] }) {
  return (
    <Facts
      of={{
        [t('Number')]: record.id,
        [t('Secret')]: <code>{record.hint}</code>,
        [t('State')]: <KeyState record={record} />,
        [t('Mode')]: record.mode === 'test' ? t('test') : t('live'),
        [t('Owner')]: <OwnerName id={record.owner_id} />,
        [t('Group')]: record.group,
        [t('Models')]: record.models.join(', '),
        [t('Tags')]: <KeyTags tags={record.tags} />,
        [t('Addresses')]: record.ip_ranges.length === 0 ? t('from anywhere') : record.ip_ranges.join(', '),
        [t('Created')]: formatTime(record.created_at),
        [t('Last used')]: formatTime(record.last_used_at),
        [t('Expires')]: record.expires_at === null ? t('never') : formatTime(record.expires_at),
        [t('Replaces')]: record.rotated_from,
      }}
    />
  );
}

/** The tags of a key; nothing where it has none. */
export function KeyTags({ tags }: { tags: Schemas['Key']['tags'] }) {
  const all = Object.entries(tags);
  if (all.length === 0) return <span className="quiet">–</span>;
  return (
    <>
      {all.map(([name, value]) => (
        <Tag key={name} tone="plain">
          {value === '' ? name : `${name}=${value}`}
        </Tag>
      ))}
    </>
  );
}

export function KeyState({ record }: { record: Schemas['Key'] }) {
  if (record.revoked_at !== null) return <Tag tone="bad">{t('revoked')}</Tag>;
  if (record.expires_at !== null && new Date(record.expires_at) < new Date())
    return <Tag tone="bad">{t('expired')}</Tag>;
  if (record.declared) return <Tag tone="accent">{t('from file')}</Tag>;
  return <Tag tone="ok">{t('active')}</Tag>;
}

type LimitUse = Schemas['LimitUse'];

export const LIMIT_NAMES: Readonly<Record<LimitUse['name'], Text>> = {
  requests_per_minute: 'Requests per minute',
  tokens_per_minute: 'Tokens per minute',
  concurrent_requests: 'Concurrent requests',
  spend_per_hour: 'Spend per hour (USD)',
  spend_per_day: 'Spend per day (USD)',
  spend_per_week: 'Spend per week (USD)',
  spend_per_month: 'Spend per month (USD)',
  spend_per_run: 'Spend per run (USD)',
  requests_per_run: 'Requests per run',
  minutes_per_run: 'Minutes per run',
  repeated_calls_per_run: 'Equal calls in a row per run',
  spend_total: 'Spend in total (USD)',
};

/** How much of each limit is used. */
export function LimitMeters({ limits }: { limits: readonly LimitUse[] }) {
  if (limits.length === 0) return <p className="quiet">{t('This key has no limits.')}</p>;
  return (
    <div className="stack">
      {limits.map(({ name, limit, used, resets_at: resets }) => {
        const show = name.startsWith('spend') ? formatUsd : formatNumber;
        const title = t(LIMIT_NAMES[name]);
        return (
          <div key={name}>
            <div className="row">
              <span className="grow">{title}</span>
              <span>
                {used !== null && `${show(used)} / `}
                {show(limit)}
              </span>
            </div>
            {used !== null && <Meter used={used} limit={limit} label={title} />}
            {resets !== null && <span className="quiet small">{t('resets {time}', { time: formatTime(resets) })}</span>}
          </div>
        );
      })}
    </div>
  );
}

/** Budgets of this month: what is spent of them, what is left, and where the month ends if it goes on so. */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatQuota } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { FaultBox, Meter, Tag } from '../ui/parts.tsx';
import { forecastOf, periodOf, periodWords, timesOf } from '../ui/period.tsx';

const PAGE = 500;

interface Budget {
  readonly id: string;
  readonly name: string;
  readonly what: 'owner' | 'key';
  readonly number: number;
  readonly limit: number;
  readonly used: number;
}

/** Of everybody who has a budget, of one owner, or of whoever looks. */
export function Budgets({ admin, owner }: { admin: boolean; owner: number | undefined }) {
  const month = periodOf({});
  const query = useQuery({
    queryKey: ['budgets', admin, owner, month.from],
    queryFn: () => (admin ? readBudgets(owner) : readOwnBudgets()),
  });
  if (query.isError) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  const { data } = query;
  if (data === undefined) return null;
  const forecast = (used: number): number => forecastOf(used, month);
  return (
    <section className="card">
      <h2>
        {t('Budgets')} <span className="small quiet">{periodWords(month)}</span>
      </h2>
      {data.length === 0 ? (
        <p className="quiet">
          {admin
            ? t(
                'No owner has a monthly budget, and no key a monthly limit. Set them where you edit the owner or the key.',
              )
            : t('Your owner has no monthly budget, and your key no monthly limit.')}
        </p>
      ) : (
        <table className="plain-table budgets">
          <thead>
            <tr>
              <th>{t('Whose')}</th>
              <th className="right">{t('Budget')}</th>
              <th className="right">{t('Spent')}</th>
              <th className="right">{t('Left')}</th>
              <th className="right extra">{t('Forecast')}</th>
              <th className="extra">{t('Used')}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((budget) => (
              <tr key={budget.id}>
                <td>
                  {admin ? (
                    <PageLink to={budget.what === 'owner' ? '/owners' : '/keys'} search={{ id: String(budget.number) }}>
                      {budget.name}
                    </PageLink>
                  ) : (
                    budget.name
                  )}{' '}
                  <span className="quiet">{budget.what === 'owner' ? t('owner') : t('key')}</span>
                </td>
                <td className="right">{formatQuota(budget.limit)}</td>
                <td className="right">{formatQuota(budget.used)}</td>
                <td className="right">{formatQuota(budget.limit - budget.used)}</td>
                <td className="right extra">
                  {formatQuota(forecast(budget.used))}{' '}
                  {forecast(budget.used) > budget.limit && <Tag tone="warn">{t('over')}</Tag>}
                </td>
                <td className="extra">
                  <Meter used={budget.used} limit={budget.limit} label={t('Used of {name}', { name: budget.name })} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="small quiet">
        {t('The forecast is linear: what is spent so far, divided by the days gone, times the days of the month.')}
      </p>
    </section>
  );
}

type Owner = Schemas['Owner'];
type Key = Schemas['Key'];

const monthlyLimit = ({ limits }: Key): number => Math.round((limits.spend_per_month ?? 0) * UNITS_PER_DOLLAR);

const ofOwner = ({ id, name, monthly_budget: limit }: Owner, used: number): Budget => ({
  ...{ id: `owner ${id}`, name, what: 'owner', number: id, used },
  limit: limit ?? 0,
});

const ofKey = (key: Key, used: number): Budget => ({
  ...{ id: `key ${key.id}`, name: key.name, what: 'key', number: key.id, used },
  limit: monthlyLimit(key),
});

async function readBudgets(owner: number | undefined): Promise<readonly Budget[]> {
  const times = timesOf(periodOf({}));
  const usage = (group: 'owner' | 'key') =>
    ask(
      api.GET('/admin/usage', {
        params: { query: { ...times, group_by: [group], ...(owner !== undefined && { owner_id: owner }) } },
      }),
    );
  const [owners, keys, byOwner, byKey] = await Promise.all([allOwners(), allKeys(owner), usage('owner'), usage('key')]);
  const usedBy = (report: Schemas['UsageReport'], group: 'owner' | 'key', id: number): number =>
    report.data.find((row) => row.group[group] === id)?.charged ?? 0;
  return [
    ...owners
      .filter(({ id, monthly_budget: limit }) => limit !== null && (owner === undefined || id === owner))
      .map((each) => ofOwner(each, usedBy(byOwner, 'owner', each.id))),
    ...keys
      .filter((each) => each.mode === 'live' && monthlyLimit(each) > 0)
      .map((each) => ofKey(each, usedBy(byKey, 'key', each.id))),
  ];
}

async function allOwners(): Promise<readonly Owner[]> {
  const all: Owner[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: Schemas['OwnerList'] = await ask(
      api.GET('/admin/owners', { params: { query: { limit: PAGE, after } } }),
    );
    all.push(...page.data);
    after = page.next_after;
  }
  return all;
}

async function allKeys(owner: number | undefined): Promise<readonly Key[]> {
  const all: Key[] = [];
  for (let after: number | undefined | null; after !== null;) {
    const query = {
      limit: PAGE,
      ...(after !== undefined && { after }),
      ...(owner !== undefined && { owner_id: owner }),
    };
    const page: Schemas['KeyList'] = await ask(api.GET('/admin/keys', { params: { query } }));
    all.push(...page.data);
    after = page.next_after;
  }
  return all;
}

async function readOwnBudgets(): Promise<readonly Budget[]> {
  const query = { ...timesOf(periodOf({})), group_by: ['key' as const] };
  const [{ owner, key }, usage] = await Promise.all([
    ask(api.GET('/v1/me')),
    ask(api.GET('/v1/usage', { params: { query } })),
  ]);
  const ofThis = usage.data.find(({ group }) => group['key'] === key.id)?.charged ?? 0;
  return [
    ...(owner.monthly_budget === null ? [] : [ofOwner(owner, usage.total.charged)]),
    ...(monthlyLimit(key) > 0 ? [ofKey(key, ofThis)] : []),
  ];
}

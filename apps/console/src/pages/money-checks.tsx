/** Whether the money adds up: the ledger computed again, and what must always be so. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatTime } from '../ui/format.ts';
import { FaultBox, Tag } from '../ui/parts.tsx';

export function MoneyChecks() {
  const invariants = useQuery({ queryKey: ['invariants'], queryFn: () => ask(api.GET('/admin/invariants')) });
  const verify = useMutation({ mutationFn: () => ask(api.POST('/admin/ledger/verify')) });
  const report = invariants.data;
  return (
    <div className="cards wide">
      <section className="card stack">
        <h2>{t('Ledger verification')}</h2>
        <p className="quiet">{t('Recomputes every balance from all entries of the ledger.')}</p>
        <div className="row">
          <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
            {t('Verify the ledger')}
          </Button>
          {verify.data?.ok === true && <Tag tone="ok">{t('The ledger adds up')}</Tag>}
        </div>
        {verify.isError && <FaultBox error={verify.error} />}
        {verify.data?.ok === false && (
          <ul>
            {verify.data.differences.map(({ subject, message }, at) => (
              <li key={at}>
                <b>{subject}</b> {message}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="card stack">
        <h2>{t('Invariants')}</h2>
        {invariants.isError && <FaultBox error={invariants.error} onRetry={() => void invariants.refetch()} />}
        {report !== undefined && (
          <>
            <div className="row">
              {report.ok ? <Tag tone="ok">{t('All hold')}</Tag> : <Tag tone="bad">{t('Violations found')}</Tag>}
              <span className="quiet small">{t('checked {time}', { time: formatTime(report.at) })}</span>
            </div>
            <ul className="invariants">
              {report.invariants.map(({ name, violations }) => (
                <li key={name}>
                  <Tag tone={violations === 0 ? 'ok' : 'bad'}>{violations}</Tag> <code>{name}</code>
                </li>
              ))}
            </ul>
            {report.violations.map(({ subject, message }, at) => (
              <div key={at} className="fault">
                <b>{subject}</b> {message}
              </div>
            ))}
          </>
        )}
      </section>
    </div>
  );
}

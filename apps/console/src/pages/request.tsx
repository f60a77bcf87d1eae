/** One request, from key to vendor. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Act } from '../ui/act.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatQuota, formatTime, formatUsd } from '../ui/format.ts';
import { KeyName, OwnerName } from '../ui/names.tsx';
import { Copy, Facts, FaultBox, PageHead, Tag } from '../ui/parts.tsx';
import { keep } from '../playground/drafts.ts';
import { choiceOf, placeOf, searchOf } from '../playground/playground-kind.ts';
import { CACHE_CAUSES } from './insights.tsx';
import { keepForPlayground, RequestContent } from './request-content.tsx';
import { StatusTag } from './requests.tsx';

export default function RequestPage() {
  const params: { readonly requestId?: string } = useParams({ strict: false });
  const requestId = params.requestId ?? '';
  const { admin, key } = useRights();
  const query = useQuery({
    queryKey: ['request', admin, requestId],
    queryFn: () => {
      const path = { request_id: requestId };
      return admin
        ? ask(api.GET('/admin/requests/{request_id}', { params: { path } }))
        : ask(api.GET('/v1/requests/{request_id}', { params: { path } }));
    },
    // A line is written about a second after its answer.
    retry: 4,
    retryDelay: 1000,
  });
  if (query.isError)
    return (
      <>
        <PageHead title={t('Request')} />
        <FaultBox error={query.error} onRetry={() => void query.refetch()} />
      </>
    );
  if (query.data === undefined) return <PageHead title={t('Request')} about={t('Loading')} />;
  const { request, attempts, bill, content } = query.data;
  const place = placeOf(request.kind);
  return (
    <>
      <PageHead title={request.model ?? request.operation} about={formatTime(request.at)}>
        {key !== null && place !== undefined && request.model !== null && (
          <Button
            component={PageLink}
            to="/playground"
            search={searchOf(place)}
            variant="default"
            onClick={() => {
              keep(place.draft, choiceOf(place, request.model ?? ''));
              if (place.modelKind === 'chat') keepForPlayground(request.model ?? '', content);
            }}
          >
            {t('Open in playground')}
          </Button>
        )}
      </PageHead>
      <div className="stack">
        <RequestFacts request={request} />
        <Attempts attempts={attempts} total={request.ms} />
        {admin && request.kind === 'chat' && <PromptCache requestId={requestId} />}
        {bill === null ? (
          <section className="card">
            <h2>{t('Bill')}</h2>
            <p className="quiet">{t('Nothing was charged for it.')}</p>
          </section>
        ) : (
          <>
            {bill.interrupted !== null && <Interrupted of={bill.interrupted} />}
            <Bill bill={bill} />
            {admin && bill.charged > bill.waived && <Waive requestId={requestId} />}
          </>
        )}
        <RequestContent content={content} />
      </div>
    </>
  );
}

function RequestFacts({ request }: { request: Schemas['RequestRecord'] }) {
  const tags = Object.entries(request.tags);
  return (
    <section className="card">
      <Facts
        of={{
          [t('Outcome')]: <StatusTag request={request} />,
          [t('The caller saw')]:
            request.error_shown === null || request.error_shown === request.error ? undefined : (
              <code>{request.error_shown}</code>
            ),
          [t('Request id')]: (
            <>
              <code>{request.id}</code> <Copy text={request.id} label={t('Copy the request id')} />
            </>
          ),
          [t('Operation')]: <code>{request.operation}</code>,
          [t('Key')]: (
            <PageLink to="/requests" search={{ key_id: String(request.key_id) }}>
              <KeyName id={request.key_id} />
            </PageLink>
          ),
          [t('Owner')]: <OwnerName id={request.owner_id} />,
          [t('User')]: listedBy('user', request.user),
          [t('Session')]: listedBy('session', request.session),
          [t('Run')]: request.run === request.session ? undefined : listedBy('run', request.run),
          [t('Mode')]: request.mode === 'test' ? t('test') : t('live'),
          [t('Route')]: request.route,
          [t('Vendor')]: [request.vendor, request.account].filter((part) => part !== null).join(' · '),
          [t('Latency')]: `${t('{time} total', { time: formatDuration(request.ms) })}${
            request.first_byte_ms === null
              ? ''
              : ` · ${t('first byte after {time}', { time: formatDuration(request.first_byte_ms) })}`
          }`,
          [t('Tokens')]:
            request.input_tokens === null
              ? undefined
              : t('{input} in, {cached} of them cached, {output} out', {
                  input: formatNumber(request.input_tokens),
                  cached: formatNumber(request.cached_input_tokens ?? 0),
                  output: formatNumber(request.output_tokens ?? 0),
                }),
          [t('Cost')]: formatUsd(request.charged_usd),
          [t('Dropped fields')]: request.dropped.join(', '),
          [t('Guardrails')]: request.guardrails.join(', '),
          [t('Tags')]:
            tags.length === 0
              ? undefined
              : tags.map(([name, value]) => (
                  <Tag key={name} tone="plain">
                    {name}={value}
                  </Tag>
                )),
          [t('Address')]: request.address,
          [t('Client')]: request.client,
          [t('Client’s own id')]: request.client_request_id,
        }}
      />
    </section>
  );
}

/** Leads to the other requests of the same. */
function listedBy(by: 'user' | 'session' | 'run', value: string | null) {
  if (value === null) return undefined;
  return (
    <PageLink to="/requests" search={{ [by]: value }}>
      {value}
    </PageLink>
  );
}

function Attempts({ attempts, total }: { attempts: readonly Schemas['RequestAttempt'][]; total: number }) {
  const whole = Math.max(1, total, ...attempts.map(({ started_ms: start, ms }) => start + ms));
  return (
    <section className="card">
      <h2>{t('Attempts')}</h2>
      {attempts.length === 0 && <p className="quiet">{t('No vendor was asked.')}</p>}
      <div className="bars">
        {attempts.map((attempt, at) => (
          <div key={at}>
            <div className="bar">
              <span>
                {attempt.account ?? attempt.vendor} · <code>{attempt.upstream_model}</code>
              </span>
              <div
                className="track"
                role="img"
                aria-label={t('from {start} for {time}', {
                  start: formatDuration(attempt.started_ms),
                  time: formatDuration(attempt.ms),
                })}
              >
                <i
                  className={attempt.error === null ? '' : 'bad'}
                  style={{
                    left: `${(100 * attempt.started_ms) / whole}%`,
                    width: `${(100 * attempt.ms) / whole}%`,
                  }}
                />
              </div>
              <span className="right">{formatDuration(attempt.ms)}</span>
            </div>
            {attempt.error !== null && (
              <p className="small attempt-fault">
                <Tag tone="bad">{attempt.error}</Tag> {attempt.status} {attempt.message}
              </p>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

/** What the vendor read from its cache, and why not more. */
function PromptCache({ requestId }: { requestId: string }) {
  const { data } = useQuery({
    queryKey: ['request', 'cache', requestId],
    queryFn: () => ask(api.GET('/admin/requests/{request_id}/cache', { params: { path: { request_id: requestId } } })),
  });
  if (data === undefined || !data.examined) return null;
  const { cause, changed, previous_request_id: previous } = data;
  return (
    <section className="card">
      <h2>{t('Prompt cache')}</h2>
      <Facts
        of={{
          [t('Read')]: t('{read} of {input} tokens; {could} could have been read', {
            read: formatNumber(data.read_tokens ?? 0),
            input: formatNumber(data.input_tokens ?? 0),
            could: formatNumber(data.could_tokens ?? 0),
          }),
          [t('Cause')]: cause === null ? undefined : <Tag tone="warn">{t(CACHE_CAUSES[cause])}</Tag>,
          [t('Changed')]: changed === null ? undefined : <code>{changed}</code>,
          [t('Lost')]: cause === null ? undefined : formatUsd(data.lost_usd ?? 0),
          [t('Compared with')]:
            previous === null ? undefined : (
              <PageLink to={`/requests/${previous}`}>
                {t('the request {time} before', { time: formatDuration(1000 * (data.seconds_since_previous ?? 0)) })}
              </PageLink>
            ),
        }}
      />
      <p>{data.explanation}</p>
      {data.advice !== null && <p className="quiet">{data.advice}</p>}
    </section>
  );
}

/** Why a request has a charge without a bill. */
function Interrupted({ of: { charged, reserved, basis } }: { of: Schemas['InterruptedCharge'] }) {
  return (
    <section className="card">
      <h2>{t('The gateway stopped while this request ran')}</h2>
      <p>
        {t('Of {reserved} set aside, {charged} was charged:', {
          reserved: formatQuota(reserved),
          charged: formatQuota(charged),
        })}{' '}
        {basis === 'delivered'
          ? t('what had come of the answer.')
          : basis === 'estimate'
            ? t('an estimate, because nothing of the answer had come.')
            : t('all of it: the owner or the key has a limit, or what a thinking model had used was not known.')}
      </p>
    </section>
  );
}

/** Gives a charge back, with a reason. */
function Waive({ requestId }: { requestId: string }) {
  const [note, setNote] = useState('');
  return (
    <div className="row">
      <span className="grow" />
      <Act
        name={t('Waive this charge')}
        done={t('The charge is given back')}
        changes={[['request'], ['owners'], ['ledger']]}
        question={
          <TextInput
            label={t('Why')}
            description={t('The owner gets the money back. The reason is kept in the ledger and in the audit log.')}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
        }
        run={() =>
          ask(
            api.POST('/admin/requests/{request_id}/waive', {
              params: { path: { request_id: requestId } },
              body: { note },
            }),
          )
        }
      />
    </div>
  );
}

/** A bill line by line. */
export function Bill({ bill }: { bill: Schemas['LedgerReplay'] }) {
  return (
    <section className="card">
      <h2>{t('Bill')}</h2>
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('Bill')}>
        <table className="plain-table">
          <thead>
            <tr>
              <th>{t('Item')}</th>
              <th className="right">{t('Quantity')}</th>
              <th className="right">{t('Price')}</th>
              <th className="right">{t('Factor')}</th>
              <th className="right">{t('Amount')}</th>
            </tr>
          </thead>
          <tbody>
            {bill.lines.map(({ item, quantity, price, per, factor }, at) => (
              <tr key={at}>
                <td>{item}</td>
                <td className="right">{formatNumber(quantity)}</td>
                <td className="right">
                  {formatUsd(price)}
                  {per === 1 ? '' : ` / ${formatNumber(per)}`}
                </td>
                <td className="right">{factor}</td>
                <td className="right">{formatUsd((quantity * price * factor) / per)}</td>
              </tr>
            ))}
            <tr>
              <td colSpan={4}>
                {t('Charged')}
                {bill.group_factor !== 1 && ` · ${t('factor of the group {factor}', { factor: bill.group_factor })}`}
              </td>
              <td className="right">
                <b>{formatQuota(bill.charged)}</b>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className="row">
        {bill.matches ? (
          <Tag tone="ok">{t('The bill adds up')}</Tag>
        ) : (
          <Tag tone="bad">{t('The bill does not add up')}</Tag>
        )}
        {bill.entries.map(({ id, detail: { reported, usage } }) =>
          reported === undefined ? undefined : (
            <Tag key={id} tone="warn">
              {t('The vendor reported {reported}; billed is {billed}', {
                reported: JSON.stringify(reported),
                billed: JSON.stringify(usage),
              })}
            </Tag>
          ),
        )}
        {bill.waived > 0 && <Tag>{t('{amount} was given back', { amount: formatQuota(bill.waived) })}</Tag>}
        {bill.shortfall > 0 && (
          <Tag tone="warn">{t('{amount} could not be charged', { amount: formatQuota(bill.shortfall) })}</Tag>
        )}
        {bill.default_price !== null && (
          <Tag tone="warn">{t('default price of {name}', { name: bill.default_price })}</Tag>
        )}
        {bill.price_version !== null && (
          <span className="quiet small">{t('Prices of {version}', { version: bill.price_version })}</span>
        )}
      </p>
    </section>
  );
}

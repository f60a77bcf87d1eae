/** Maintenance jobs: what checks, copies and exports everything, with how far each is. */
import { Button, Progress, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { formatNumber, formatTime } from '../ui/format.ts';
import { List, Side, type Column } from '../ui/list.tsx';
import { OwnerPicker } from '../ui/names.tsx';
import { Empty, Facts, FaultBox, PageHead, Tag, When, type Tone } from '../ui/parts.tsx';
import { TimeField } from '../ui/search-field.tsx';

type Job = Schemas['Job'];
type Kind = Job['kind'];

const LIVE_MS = 1000;
const IDLE_MS = 10_000;
const KINDS: Readonly<Record<Kind, { readonly name: Text; readonly about: Text }>> = {
  ledger_verify: {
    name: 'Verify the ledger',
    about: 'Computes every balance, hold, window and charge again, and says what differs.',
  },
  invariants: { name: 'Check the invariants', about: 'Looks through everything for what must never be so.' },
  backup: {
    name: 'Back up the database',
    about: 'Copies a SQLite database while the gateway works on it. The encryption key is not part of the copy.',
  },
  usage_export: {
    name: 'Export usage',
    about: 'Usage by day, model and key as CSV; the last 30 days without a start.',
  },
  ledger_export: { name: 'Export the ledger', about: 'Every line of the ledger as CSV.' },
  request_export: { name: 'Export the requests', about: 'The log of requests as CSV.' },
  audit_export: { name: 'Export the audit log', about: 'Who changed what, as CSV.' },
};
const STATES: Readonly<Record<Job['state'], { readonly name: Text; readonly tone: Tone }>> = {
  queued: { name: 'queued', tone: 'quiet' },
  running: { name: 'running', tone: 'accent' },
  succeeded: { name: 'done', tone: 'ok' },
  failed: { name: 'failed', tone: 'bad' },
  cancelled: { name: 'cancelled', tone: 'quiet' },
  interrupted: { name: 'interrupted', tone: 'warn' },
};

const columns = (): readonly Column<Job>[] => [
  { name: t('Created'), width: '160px', narrow: '84px', cell: ({ created_at: at }) => <When at={at} /> },
  { name: t('Kind'), width: '1.4fr', cell: ({ kind }) => t(KINDS[kind].name) },
  { name: t('State'), width: '120px', narrow: '100px', cell: (job) => <State job={job} /> },
  { name: t('Progress'), width: '1fr', cell: (job) => <Share job={job} />, extra: true },
  { name: t('Result'), width: '1.4fr', cell: outcomeOf, extra: true },
  { name: t('Actor'), width: '1.4fr', cell: ({ started_by: by }) => by, extra: true },
];

export default function Maintenance() {
  const [openId, setOpenId] = useState<number>();
  return (
    <>
      <PageHead
        title={t('Maintenance')}
        about={t('Checks, backups and complete exports. They run beside requests, and can be cancelled.')}
      />
      <div className="stack">
        <Start />
        <List<Job, number>
          label={t('Jobs')}
          queryKey={['jobs']}
          refresh={(jobs) => (jobs.some(isOpen) ? LIVE_MS : IDLE_MS)}
          read={(after) =>
            ask(api.GET('/admin/jobs', { params: { query: { ...(after !== undefined && { after }) } } }))
          }
          columns={columns()}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setOpenId(id)}
          beside={(jobs) => <Detail job={jobs.find(({ id }) => id === openId)} onClose={() => setOpenId(undefined)} />}
          empty={<Empty title={t('No jobs yet')}>{t('Start one above; it stays listed for 30 days.')}</Empty>}
        />
      </div>
    </>
  );
}

/** What to start; periods and owners where the kind has them. */
function Start() {
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('ledger_verify');
  const [from, setFrom] = useState<string>();
  const [to, setTo] = useState<string>();
  const [owner, setOwner] = useState<number>();
  const hasPeriod = kind.endsWith('_export');
  const hasOwner = hasPeriod && kind !== 'audit_export';
  const start = useMutation({
    mutationFn: () =>
      ask(
        api.POST('/admin/jobs', {
          body: {
            kind,
            ...(hasPeriod && from !== undefined && { from }),
            ...(hasPeriod && to !== undefined && { to }),
            ...(hasOwner && owner !== undefined && { owner_id: owner }),
            ...(kind === 'usage_export' && { group_by: ['day', 'model', 'key'] as const }),
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
  return (
    <section className="card stack">
      <div className="filters open">
        <Select
          label={t('Job')}
          allowDeselect={false}
          data={Object.entries(KINDS).map(([value, { name }]) => ({ value, label: t(name) }))}
          value={kind}
          onChange={(chosen) => setKind((chosen ?? kind) as Kind)}
        />
        {hasPeriod && <TimeField label={t('From')} value={from} onValue={setFrom} />}
        {hasPeriod && <TimeField label={t('To')} value={to} onValue={setTo} />}
        {hasOwner && <OwnerPicker label={t('Owner')} value={owner} onValue={setOwner} />}
      </div>
      <p className="quiet">{t(KINDS[kind].about)}</p>
      <div className="row">
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          {t('Start')}
        </Button>
      </div>
      {start.isError && <FaultBox error={start.error} />}
    </section>
  );
}

function Detail({ job, onClose }: { job: Job | undefined; onClose: () => void }) {
  return (
    <Side title={job === undefined ? '' : t(KINDS[job.kind].name)} isOpen={job !== undefined} onClose={onClose}>
      {job !== undefined && (
        <>
          <div className="row">
            <State job={job} />
            {isOpen(job) && (
              <Act
                name={t('Cancel the job')}
                done={t('The job is being cancelled')}
                run={() => ask(api.POST('/admin/jobs/{job_id}/cancel', { params: { path: { job_id: job.id } } }))}
                changes={[['jobs']]}
              />
            )}
            {job.file !== null && (
              <Button component="a" size="xs" href={`/admin/jobs/${job.id}/file`} download={job.file.name}>
                {t('Download')}
              </Button>
            )}
          </div>
          {isOpen(job) && <Share job={job} />}
          {job.error !== null && job.state !== 'cancelled' && (
            <div className="fault">
              <b>{job.error.message}</b>
            </div>
          )}
          <Facts
            of={{
              [t('Result')]: outcomeOf(job),
              [t('Actor')]: job.started_by,
              [t('Created')]: formatTime(job.created_at),
              [t('Ended')]: job.ended_at === null ? undefined : formatTime(job.ended_at),
              [t('Bytes')]: job.file === null ? undefined : formatNumber(job.file.bytes),
              [t('File kept until')]: job.file === null ? undefined : formatTime(job.file.expires_at),
              [t('Parameters')]:
                Object.keys(job.parameters).length === 0 ? undefined : <code>{JSON.stringify(job.parameters)}</code>,
            }}
          />
          {(job.result?.examples ?? []).map(({ subject, message }, at) => (
            <div key={at} className="fault">
              <b>{subject}</b> {message}
            </div>
          ))}
        </>
      )}
    </Side>
  );
}

function State({ job }: { job: Job }) {
  if (job.result?.ok === false) return <Tag tone="bad">{t('Violations found')}</Tag>;
  const { name, tone } = STATES[job.state];
  return <Tag tone={tone}>{job.cancel_requested && isOpen(job) ? t('being cancelled') : t(name)}</Tag>;
}

function Share({ job: { progress, state } }: { job: Job }) {
  const { done, total } = progress;
  const percent = state === 'succeeded' ? 100 : total === null || total === 0 ? 0 : (100 * done) / total;
  return (
    <div className="job-progress">
      <Progress value={percent} aria-label={t('Progress')} />
      <span className="small quiet">{Math.floor(percent)} %</span>
    </div>
  );
}

function isOpen({ state }: Job): boolean {
  return state === 'queued' || state === 'running';
}

function outcomeOf({ result }: Job): string {
  if (result === null) return '–';
  if (result.ok === true) return t('Nothing found');
  if (result.ok === false) return t('{count} found', { count: result.found ?? 0 });
  return t('{count} lines', { count: formatNumber(result.rows ?? 0) });
}

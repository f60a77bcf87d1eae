/** Deliveries of webhooks. */
import { Switch } from '@mantine/core';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { useFilters, type Filters } from '../ui/page-link.tsx';
import { formatTime } from '../ui/format.ts';
import { List, type Column, Side } from '../ui/list.tsx';
import { Empty, FilterBar, Facts, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';

type Delivery = Schemas['WebhookDelivery'];
const LIVE_MS = 5000;

function State({ status }: Pick<Delivery, 'status'>) {
  if (status === 'delivered') return <Tag tone="ok">{t('delivered')}</Tag>;
  return status === 'pending' ? <Tag tone="warn">{t('pending')}</Tag> : <Tag tone="bad">{t('failed')}</Tag>;
}

const columns = (): readonly Column<Delivery>[] => [
  { name: t('Created'), width: '160px', narrow: '84px', cell: ({ created_at: at }) => <When at={at} /> },
  { name: t('State'), width: '120px', cell: ({ status }) => <State status={status} /> },
  { name: t('Address'), width: '2fr', cell: ({ url }) => url, extra: true },
  { name: t('Task'), width: '1.5fr', cell: ({ task_id: task }) => task, extra: true },
  { name: t('Attempts'), width: '100px', cell: ({ attempts }) => attempts, right: true, extra: true },
  {
    name: t('Last answer'),
    width: '160px',
    cell: ({ last_status: status, last_error: error }) => status ?? error ?? '–',
    extra: true,
  },
];

function readDeliveries(admin: boolean, { task_id: task, pending }: Filters, after: string | undefined) {
  const query = {
    ...(task !== undefined && { task_id: task }),
    ...(pending === 'true' && { pending: true }),
    ...(after !== undefined && { after }),
  };
  return admin
    ? ask(api.GET('/admin/webhook-deliveries', { params: { query } }))
    : ask(api.GET('/v1/webhook-deliveries', { params: { query } }));
}

function replay(admin: boolean, id: string): Promise<Delivery> {
  const params = { path: { delivery_id: id } };
  return admin
    ? ask(api.POST('/admin/webhook-deliveries/{delivery_id}/replay', { params }))
    : ask(api.POST('/v1/webhook-deliveries/{delivery_id}/replay', { params }));
}

export default function Webhooks() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Delivery>();
  const { task_id: task, pending } = filters;
  return (
    <>
      <PageHead
        title={t('Webhooks')}
        about={
          admin ? t('Deliveries to the callback URLs of tasks.') : t('Deliveries to the callback URLs of your tasks.')
        }
      />
      <FilterBar set={Object.keys(filters).length}>
        <SearchField label={t('Task id')} value={task} onValue={(task_id) => change({ task_id })} />
        <Switch
          className="fixed"
          label={t('Pending only')}
          checked={pending === 'true'}
          onChange={({ currentTarget }) => change({ pending: currentTarget.checked ? 'true' : undefined })}
        />
      </FilterBar>
      <List<Delivery, string>
        label={t('Webhooks')}
        queryKey={['webhooks', admin, task, pending]}
        refresh={() => LIVE_MS}
        read={(after) => readDeliveries(admin, filters, after)}
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={
          <Empty
            title={t('No webhooks found')}
            action={<a href="/docs/guides/webhooks.html">{t('How webhooks work')}</a>}
          >
            {t('A task that names a callback_url sends one at its end.')}
          </Empty>
        }
      />
      <Side title={t('Webhook')} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && (
          <>
            <div className="row">
              <State status={open.status} />
              <span className="grow" />
              <Act
                name={t('Deliver again')}
                done={t('It is on its way')}
                changes={[['webhooks']]}
                run={async () => setOpen(await replay(admin, open.id))}
              />
            </div>
            <Facts
              of={{
                [t('Number')]: <code>{open.id}</code>,
                [t('Task id')]: <code>{open.task_id}</code>,
                [t('Address')]: open.url,
                [t('Key')]: open.key_id,
                [t('Attempts')]: open.attempts,
                [t('Last answer')]: open.last_status ?? open.last_error,
                [t('Next attempt')]: open.next_attempt_at === null ? undefined : formatTime(open.next_attempt_at),
                [t('Delivered')]: open.delivered_at === null ? undefined : formatTime(open.delivered_at),
                [t('Created')]: formatTime(open.created_at),
              }}
            />
          </>
        )}
      </Side>
    </>
  );
}

/** What operators were told of budgets and accounts, and whether it arrived. */
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { List, type Column } from '../ui/list.tsx';
import { Empty, PageHead, Tag, When } from '../ui/parts.tsx';

type Alert = Schemas['AlertDelivery'];

const LIVE_MS = 10_000;

function State({ of: { status, last_error: error } }: { of: Alert }) {
  if (status === 'sent') return <Tag tone="ok">{t('delivered')}</Tag>;
  return (
    <span title={error ?? undefined}>
      {status === 'pending' ? <Tag tone="warn">{t('pending')}</Tag> : <Tag tone="bad">{t('failed')}</Tag>}
    </span>
  );
}

const columns = (): readonly Column<Alert>[] => [
  { name: t('Created'), width: '160px', narrow: '84px', cell: ({ created_at: at }) => <When at={at} /> },
  { name: t('State'), width: '120px', cell: (alert) => <State of={alert} />, extra: true },
  { name: t('Channel'), width: '140px', cell: ({ channel }) => channel, extra: true, wraps: true },
  { name: t('Alert'), width: '4fr', narrow: '1fr', cell: ({ text }) => text, wraps: true },
  { name: t('Attempts'), width: '100px', cell: ({ attempts }) => attempts, right: true, extra: true },
];

/** Throws with the reasons of the channels that did not take the message. */
async function test(): Promise<void> {
  const { channels } = await ask(api.POST('/admin/alerts/test', { body: {} }));
  const failed = channels.filter(({ ok }) => !ok);
  if (failed.length > 0) throw new Error(failed.map(({ name, error }) => `${name}: ${error ?? ''}`).join('; '));
}

export default function Alerts() {
  return (
    <>
      <PageHead
        title={t('Alerts')}
        about={t('What you were told about budgets and accounts by chat, e-mail or webhook.')}
      >
        <Act
          name={t('Send a test message')}
          done={t('The test message has arrived')}
          changes={[['alerts']]}
          run={test}
        />
      </PageHead>
      <List<Alert, number>
        label={t('Alerts')}
        queryKey={['alerts']}
        refresh={() => LIVE_MS}
        read={(after) =>
          ask(api.GET('/admin/alerts', { params: { query: { ...(after !== undefined && { after }) } } }))
        }
        columns={columns()}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t('No alerts')} action={<a href="/docs/guides/alerts.html">{t('Set up a channel')}</a>}>
            {t('Channels for alerts are in the configuration file.')}
          </Empty>
        }
      />
    </>
  );
}

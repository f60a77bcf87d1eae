/** What a new gateway needs before a program can use it: each step is done when the gateway has what it is about. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { postJson } from '../api/connection.ts';
import { signIn, useRights } from '../api/session.ts';
import { AddKey } from '../playground/add-key.tsx';
import { useModels, type Model } from '../playground/models.ts';
import { t } from '../text/text.ts';
import { PageLink } from '../ui/page-link.tsx';
import { FaultBox } from '../ui/parts.tsx';
import { inputPrice } from '../ui/prices.ts';
import { KeyForm } from './key-form.tsx';
import { KeySecret } from './keys-all.tsx';

const LOOK_MS = 4000;
const DISMISSED = 'first-run-dismissed';
/** Made by the gateway itself at its first start. */
const MADE_AT_START = 'first-test-key';

interface Facts {
  readonly hasAccount: boolean;
  readonly hasKey: boolean;
  /** Models that accounts of vendors answer. */
  readonly ready: readonly string[];
  /** The newest one that was answered. */
  readonly lastRequest: string | undefined;
}

async function readFacts(): Promise<Facts> {
  const [accounts, keys, requests] = await Promise.all([
    ask(api.GET('/admin/accounts')),
    ask(api.GET('/admin/keys', { params: { query: { limit: 20 } } })),
    ask(api.GET('/admin/requests', { params: { query: { limit: 20 } } })),
  ]);
  const own = accounts.data.filter(({ on, twin }) => on && !twin);
  return {
    hasAccount: own.length > 0,
    ready: own.flatMap(({ models }) => models),
    hasKey: keys.data.some(({ name }) => name !== MADE_AT_START),
    lastRequest: requests.data.find(({ error }) => error === null)?.id,
  };
}

const isComplete = ({ hasAccount, hasKey, lastRequest }: Facts): boolean =>
  hasAccount && hasKey && lastRequest !== undefined;

/** The checklist, for operators of a gateway; nothing once it is set up. `onDecided` is told when it is known which of the two: what stands below it would jump. */
export default function FirstRun({ onDecided }: { readonly onDecided: () => void }) {
  const [isDismissed, setDismissed] = useState(wasDismissed);
  const isOpen = !isDismissed;
  const facts = useQuery({
    queryKey: ['first-run'],
    queryFn: readFacts,
    enabled: isOpen,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isComplete(data) ? false : LOOK_MS),
  });
  // Whoever did the last step sees that it was the last one.
  const [wasIncomplete, setIncomplete] = useState(false);
  const isSetUp = isOpen && facts.data !== undefined && isComplete(facts.data) && !wasIncomplete;
  // It stays set up when its newest requests all fail.
  useEffect(() => {
    if (isSetUp) rememberDismissal();
  }, [isSetUp]);
  const isDecided = !isOpen || facts.data !== undefined || facts.isError;
  useEffect(() => {
    if (isDecided) onDecided();
  }, [isDecided, onDecided]);
  if (!isOpen || facts.data === undefined || isSetUp) return null;
  if (!isComplete(facts.data) && !wasIncomplete) setIncomplete(true);
  const dismiss = (): void => {
    rememberDismissal();
    setDismissed(true);
  };
  return <Checklist facts={facts.data} onDismiss={dismiss} />;
}

function Checklist({ facts, onDismiss }: { readonly facts: Facts; readonly onDismiss: () => void }) {
  const [made, setMade] = useState<Schemas['KeyCreated']>();
  const [isMaking, setMaking] = useState(false);
  const queries = useQueryClient();
  return (
    <section className="card first-run" aria-label={t('Set up the gateway')}>
      <div className="row">
        <h2 className="grow">{isComplete(facts) ? t('The gateway is set up') : t('Set up the gateway')}</h2>
        <Button size="xs" variant="default" onClick={onDismiss}>
          {isComplete(facts) ? t('Done') : t('Dismiss')}
        </Button>
      </div>
      <ol>
        <Step isDone={facts.hasAccount} title={t('Add a vendor and test it')}>
          <p className="quiet small">
            {t(
              'Paste the key of a vendor, or enter the address of a server of yours. Until then the built-in twin answers.',
            )}
          </p>
          <Button
            component={PageLink}
            to="/accounts"
            search={{ add: 'account' }}
            size="xs"
            variant={facts.hasAccount ? 'default' : 'filled'}
          >
            {facts.hasAccount ? t('Add another account') : t('Add an account')}
          </Button>
        </Step>
        <Step isDone={facts.hasKey} title={t('Make a key for an application')}>
          <p className="quiet small">{t('Programs send a key with each request; it says who pays.')}</p>
          <Button
            size="xs"
            variant={facts.hasAccount && !facts.hasKey ? 'filled' : 'default'}
            onClick={() => setMaking(true)}
          >
            {t('Create key')}
          </Button>
        </Step>
        <Step isDone={facts.lastRequest !== undefined} title={t('Send a first request')}>
          <FirstRequest ready={facts.ready} />
        </Step>
        <Step isDone={facts.lastRequest !== undefined} title={t('See it arrive')}>
          {facts.lastRequest === undefined ? (
            <p className="quiet small">{t('Each request is listed with its way, its tokens and its cost.')}</p>
          ) : (
            <PageLink to={`/requests/${facts.lastRequest}`}>{t('Open the newest request')}</PageLink>
          )}
        </Step>
      </ol>
      <Modal
        opened={isMaking}
        onClose={() => setMaking(false)}
        size="lg"
        title={t('Create key')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <KeyForm
          onDone={(created) => {
            setMaking(false);
            setMade(created);
            // The first request is sent with it; where that fails, its step asks for a key.
            if (created !== undefined)
              void signIn(created.secret, true).then(
                () => queries.invalidateQueries(),
                () => undefined,
              );
          }}
        />
      </Modal>
      <KeySecret created={made} onClose={() => setMade(undefined)} />
    </section>
  );
}

function Step({
  isDone,
  title,
  children,
}: {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className={isDone ? 'done' : ''}>
      <span className="tick" role="img" aria-label={isDone ? t('done') : t('to do')}>
        {isDone ? '✓' : ''}
      </span>
      <div>
        <b>{title}</b>
        {children}
      </div>
    </li>
  );
}

/** One short chat by the key of the session. */
function FirstRequest({ ready }: Pick<Facts, 'ready'>) {
  const { key } = useRights();
  const [isAdding, setAdding] = useState(false);
  const models = useModels(key !== null);
  const queries = useQueryClient();
  const model = usualModel(models.data ?? [], ready);
  const send = useMutation({
    mutationFn: async () => {
      const body = { model: model?.id, messages: [{ role: 'user', content: t('Say hello in one short sentence.') }] };
      const reply = (await (await postJson('/v1/chat/completions', body)).json()) as Schemas['ChatCompletion'];
      return reply.choices[0]?.message.content ?? '';
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['first-run'] }),
  });
  if (key === null)
    return isAdding ? (
      <AddKey />
    ) : (
      <>
        <p className="quiet small">{t('Create a key first; it is used here at once.')}</p>
        <Button size="xs" variant="default" onClick={() => setAdding(true)}>
          {t('Use another key')}
        </Button>
      </>
    );
  if (models.isError) return <FaultBox error={models.error} onRetry={() => void models.refetch()} />;
  return (
    <>
      <p className="quiet small">
        {model === undefined
          ? t('No chat model is offered to your key yet.')
          : t('“Say hello”, to {model}, with the key {key}.', { model: model.id, key: key.name })}
      </p>
      <Button
        size="xs"
        variant="default"
        disabled={model === undefined}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {t('Send')}
      </Button>
      {typeof send.data === 'string' && (
        <blockquote role="status" className="small">
          {send.data}
        </blockquote>
      )}
      {send.isError && <FaultBox error={send.error} />}
    </>
  );
}

/** The cheapest chat model that a vendor answers; without one that of the twin. */
function usualModel(models: readonly Model[], ready: readonly string[]): Model | undefined {
  const chats = models.filter(({ kind, id }) => kind === 'chat' && !id.includes('*'));
  const real = chats.filter(({ id }) => ready.includes(id));
  const usd = ({ price }: Model): number => inputPrice(price)?.usd ?? 0;
  return (real.length > 0 ? real : chats).toSorted((one, other) => usd(one) - usd(other))[0];
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED) !== null;
  } catch {
    return false;
  }
}

function rememberDismissal(): void {
  try {
    localStorage.setItem(DISMISSED, 'yes');
  } catch {
    // No storage: it stays away as long as the page does.
  }
}

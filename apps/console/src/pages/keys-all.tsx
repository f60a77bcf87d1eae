/** All keys: make, change, rotate, revoke. */
import { Button, Modal, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { useFilters, useOpenById, type Filters } from '../ui/page-link.tsx';
import { List, type Column, Side } from '../ui/list.tsx';
import { NameFilter, OwnerName, ownersAndKeys } from '../ui/names.tsx';
import { Copy, Empty, FaultBox, FilterBar, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { KeyForm } from './key-form.tsx';
import { Snippets } from './key-snippets.tsx';
import { KeyFacts, KeyState, KeyTags, LimitMeters } from './keys-mine.tsx';

const LIVE_MS = 5000;
type Key = Schemas['Key'];
type Created = Schemas['KeyCreated'];

const columns = (): readonly Column<Key>[] => [
  { name: t('Name'), width: '1.6fr', cell: ({ name }) => name },
  { name: t('Secret'), width: '180px', cell: ({ hint }) => <code>{hint}</code>, extra: true },
  { name: t('State'), width: '120px', cell: (record) => <KeyState record={record} /> },
  {
    name: t('Mode'),
    width: '80px',
    cell: ({ mode }) => <Tag tone="plain">{mode === 'test' ? t('test') : t('live')}</Tag>,
  },
  { name: t('Owner'), width: '1fr', cell: ({ owner_id: id }) => <OwnerName id={id} />, extra: true },
  { name: t('Tags'), width: '1.2fr', cell: ({ tags }) => <KeyTags tags={tags} />, extra: true },
  { name: t('Models'), width: '1.2fr', cell: ({ models }) => models.join(', '), extra: true },
  { name: t('Last used'), width: '160px', cell: ({ last_used_at: at }) => <When at={at} />, extra: true },
];

export function AllKeys() {
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Key>();
  const [isMaking, setMaking] = useState(false);
  const [created, setCreated] = useState<Created>();
  useOpenById(ownersAndKeys.key.one, setOpen);
  return (
    <>
      <PageHead title={t('Keys')} about={t('Credentials of programs and people.')}>
        <Button onClick={() => setMaking(true)}>{t('Create key')}</Button>
      </PageHead>
      <KeyFilters filters={filters} change={change} />
      <KeyList filters={filters} onOpen={setOpen} onMake={() => setMaking(true)} />
      <Modal
        opened={isMaking}
        onClose={() => setMaking(false)}
        size="lg"
        title={t('Create key')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <KeyForm
          onDone={(made) => {
            setMaking(false);
            if (made !== undefined) setCreated(made);
          }}
        />
      </Modal>
      <KeySecret created={created} onClose={() => setCreated(undefined)} />
      <Side title={open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && (
          <KeyDetail
            record={open}
            onChanged={setOpen}
            onRotated={(made) => {
              setOpen(undefined);
              setCreated(made);
            }}
          />
        )}
      </Side>
    </>
  );
}

interface KeyFiltersProps {
  readonly filters: Filters;
  readonly change: (changed: Filters) => void;
}

function KeyFilters({ filters, change }: KeyFiltersProps) {
  return (
    <FilterBar set={Object.keys(filters).length}>
      <NameFilter of="owner" value={filters['owner_id']} onValue={(owner_id) => change({ owner_id })} />
      <SearchField
        label={t('Tag')}
        placeholder="team=search"
        value={filters['tag']}
        onValue={(typed) => change({ tag: typed?.includes('=') === false ? `${typed}=` : typed })}
      />
      <Switch
        className="fixed"
        label={t('Show revoked')}
        checked={filters['revoked'] === 'true'}
        onChange={({ currentTarget }) => change({ revoked: currentTarget.checked ? 'true' : undefined })}
      />
    </FilterBar>
  );
}

interface KeyListProps {
  readonly filters: Filters;
  readonly onOpen: (record: Key) => void;
  readonly onMake: () => void;
}

function KeyList({ filters: { owner_id: owner, revoked, tag }, onOpen, onMake }: KeyListProps) {
  return (
    <List<Key, number>
      label={t('Keys')}
      queryKey={['keys', owner, revoked, tag]}
      read={(after) =>
        ask(
          api.GET('/admin/keys', {
            params: {
              query: {
                ...(owner !== undefined && Number.isInteger(Number(owner)) && { owner_id: Number(owner) }),
                ...(tag !== undefined && { tag }),
                ...(revoked === 'true' && { include_revoked: true }),
                ...(after !== undefined && { after }),
              },
            },
          }),
        )
      }
      columns={columns()}
      rowKey={({ id }) => id}
      onOpen={onOpen}
      empty={
        <Empty title={t('No keys found')} action={<Button onClick={onMake}>{t('Create key')}</Button>}>
          {t('Programs send a key with each request; it says who pays.')}
        </Empty>
      }
    />
  );
}

/** The secret, this once. */
export function KeySecret({ created, onClose }: { created: Created | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={created !== undefined}
      onClose={onClose}
      size="lg"
      closeOnClickOutside={false}
      title={t('Copy the key now: it is shown once')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      {created !== undefined && (
        <div className="stack">
          <div className="code">
            <pre tabIndex={0} aria-label={t('Secret')}>
              {created.secret}
            </pre>
            <Copy text={created.secret} />
          </div>
          {created.webhook_secret !== null && (
            <>
              <h3>{t('Webhooks are signed with')}</h3>
              <div className="code">
                <pre tabIndex={0}>{created.webhook_secret}</pre>
                <Copy text={created.webhook_secret} />
              </div>
            </>
          )}
          <h3>{t('In a program')}</h3>
          <Snippets secret={created.secret} />
          <div className="row">
            <span className="grow" />
            <Button onClick={onClose}>{t('Done')}</Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

interface KeyDetailProps {
  readonly record: Key;
  readonly onChanged: (record: Key) => void;
  readonly onRotated: (created: Created) => void;
}

/** The limits of any key with what is used of them. */
function KeyUse({ id }: { id: number }) {
  const query = useQuery({
    queryKey: ['keys', 'use', id],
    refetchInterval: LIVE_MS,
    queryFn: () => ask(api.GET('/admin/keys/{key_id}/limits', { params: { path: { key_id: id } } })),
  });
  if (query.isError) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  return query.data === undefined ? (
    <p className="quiet">{t('Loading')}</p>
  ) : (
    <LimitMeters limits={query.data.limits} />
  );
}

function KeyDetail({ record, onChanged, onRotated }: KeyDetailProps) {
  const [isEditing, setEditing] = useState(false);
  const params = { path: { key_id: record.id } };
  if (isEditing)
    return (
      <KeyForm
        record={record}
        onDone={(_, changed) => {
          setEditing(false);
          if (changed !== undefined) onChanged(changed);
        }}
      />
    );
  return (
    <>
      <KeyFacts record={record} />
      <h3>{t('Limits')}</h3>
      <KeyUse id={record.id} />
      <h3>{t('In a program')}</h3>
      <Snippets />
      {record.declared ? (
        <p className="quiet">{t('This key is declared in the configuration file and is changed there.')}</p>
      ) : (
        record.revoked_at === null && (
          <div className="row">
            <Button size="xs" variant="default" onClick={() => setEditing(true)}>
              {t('Edit')}
            </Button>
            <Act
              name={t('Rotate')}
              question={t('A new key takes its place. The old one works for another day.')}
              done={t('The key was rotated')}
              changes={[['keys']]}
              run={async () => onRotated(await ask(api.POST('/admin/keys/{key_id}/rotate', { params, body: {} })))}
            />
            <Act
              name={t('Revoke')}
              color="red"
              variant="light"
              question={t('Programs that use it are refused from now on. This cannot be undone.')}
              done={t('The key was revoked')}
              changes={[['keys']]}
              run={async () => onChanged(await ask(api.DELETE('/admin/keys/{key_id}', { params })))}
            />
          </div>
        )
      )}
    </>
  );
}

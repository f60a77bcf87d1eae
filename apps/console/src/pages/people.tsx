/** People and roles: who signs in, what they may do, and who may not any more. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { waysToSignIn } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { formatTime } from '../ui/format.ts';
import { List, Side, type Column } from '../ui/list.tsx';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { Empty, Facts, FilterBar, PageHead, Tag, When } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Sessions } from './settings.tsx';

type Person = Schemas['Person'];

const LIVE_MS = 10_000;
const ROLES: readonly Person['role'][] = ['admin', 'owner', 'member'];
const MAY: Readonly<Record<Person['role'], Text>> = {
  admin: 'Everything that the admin key may, and what the owner may where the claims name one.',
  owner: 'What a live key of the owner may: change and delete too. Ends sessions of everybody of the owner.',
  member: 'Sees the owner’s requests, tasks, usage and ledger, and uses models. Does not cancel or delete.',
};

const columns = (): readonly Column<Person>[] => [
  { name: t('Name'), width: '1.6fr', cell: ({ name }) => name, wraps: true },
  { name: t('Role'), width: '110px', narrow: '92px', cell: ({ role }) => <Tag tone="plain">{role}</Tag> },
  { name: t('Owner'), width: '1fr', cell: ({ owner_name: owner }) => owner ?? '–', extra: true, wraps: true },
  { name: t('State'), width: '140px', narrow: '104px', cell: (person) => <State of={person} /> },
  {
    name: t('Last sign-in'),
    width: '130px',
    cell: ({ last_sign_in_at: at }) => <When at={at} />,
    extra: true,
    wraps: true,
  },
];

function State({ of: { blocked_at: blocked, open_sessions: open } }: { of: Person }) {
  if (blocked !== null) return <Tag tone="bad">{t('blocked')}</Tag>;
  return open > 0 ? <Tag tone="ok">{t('signed in')}</Tag> : <Tag>{t('signed out')}</Tag>;
}

export default function People() {
  const [filters, change] = useFilters();
  const [open, setOpen] = useState<Person>();
  const way = useQuery({ queryKey: ['sign-in-way'], queryFn: waysToSignIn });
  const { name, role } = filters;
  return (
    <>
      <PageHead
        title={t('People and roles')}
        about={t(
          'Everybody who has signed in with the identity provider. Programs and the admin key have keys instead.',
        )}
      />
      <div className="stack">
        <FilterBar set={Object.keys(filters).length}>
          <SearchField label={t('Name')} value={name} onValue={(typed) => change({ name: typed })} />
          <Select
            label={t('Role')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            data={[...ROLES]}
            value={role ?? null}
            onChange={(chosen) => change({ role: chosen ?? undefined })}
          />
        </FilterBar>
        <List<Person, number>
          label={t('People')}
          queryKey={['people', name, role]}
          refresh={() => LIVE_MS}
          read={(after) =>
            ask(
              api.GET('/admin/people', {
                params: {
                  query: {
                    ...(name !== undefined && { name }),
                    ...(role !== undefined && { role: role as Person['role'] }),
                    ...(after !== undefined && { after }),
                  },
                },
              }),
            )
          }
          columns={columns()}
          rowKey={({ id }) => id}
          onOpen={setOpen}
          empty={
            <Empty
              title={t('Nobody has signed in yet')}
              action={
                <Button component="a" variant="default" href="/docs/guides/console#with-an-identity-provider">
                  {t('Set up single sign-on')}
                </Button>
              }
            >
              {way.data === null
                ? t('No identity provider is configured: people sign in with keys.')
                : t('People appear here after their first sign-in. Invite them at the identity provider.')}
            </Empty>
          }
        />
        <section className="card">
          <h2>{t('What each role may do')}</h2>
          <p className="quiet small">
            {t(
              'The identity provider’s claims give the role at each sign-in. The configuration says which claim means which role.',
            )}
          </p>
          <Facts of={Object.fromEntries(ROLES.map((each) => [each, t(MAY[each])]))} />
        </section>
        <Sessions />
      </div>
      <Side title={open?.name ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <Detail person={open} onChanged={setOpen} />}
      </Side>
    </>
  );
}

const CHANGES = [['people'], ['sessions']];

function Detail({ person, onChanged }: { person: Person; onChanged: (person: Person) => void }) {
  const { id, name, role, blocked_at: blocked, owner_id: owner, owner_name: ownerName } = person;
  const params = { path: { person_id: id } };
  const block = async (isBlocked: boolean): Promise<void> =>
    onChanged(await ask(api.PATCH('/admin/people/{person_id}', { params, body: { blocked: isBlocked } })));
  return (
    <>
      <Facts
        of={{
          [t('Role')]: role,
          [t('May')]: t(MAY[role]),
          [t('Owner')]:
            owner === null ? undefined : (
              <PageLink to="/owners" search={{ id: String(owner) }}>
                {ownerName ?? owner}
              </PageLink>
            ),
          [t('State')]: <State of={person} />,
          [t('Open sessions')]: person.open_sessions,
          [t('Sign-ins')]: person.sign_ins,
          [t('First sign-in')]: formatTime(person.first_sign_in_at),
          [t('Last sign-in')]: formatTime(person.last_sign_in_at),
          [t('Blocked')]: blocked === null ? undefined : formatTime(blocked),
          [t('Identity provider')]: person.issuer,
          [t('Subject')]: <code>{person.subject}</code>,
        }}
      />
      {owner !== null && (
        <p>
          <PageLink to="/keys" search={{ owner_id: String(owner) }}>
            {t('Keys of the owner')}
          </PageLink>
          {' · '}
          <PageLink to="/requests" search={{ owner_id: String(owner) }}>
            {t('Requests of the owner')}
          </PageLink>
        </p>
      )}
      <div className="row">
        <Act
          name={t('End all sessions')}
          done={t('The person is signed out')}
          changes={CHANGES}
          disabled={person.open_sessions === 0}
          run={async () => onChanged(await ask(api.POST('/admin/people/{person_id}/sign-out', { params, body: {} })))}
        />
        {blocked === null ? (
          <Act
            name={t('Block')}
            done={t('The person is blocked')}
            changes={CHANGES}
            question={t(
              '{name} is signed out at once and cannot sign in again, whatever the identity provider says. Keys go on working: revoke them if they should not.',
              { name },
            )}
            run={() => block(true)}
          />
        ) : (
          <Act
            name={t('Let in again')}
            done={t('The person may sign in again')}
            changes={CHANGES}
            run={() => block(false)}
          />
        )}
      </div>
    </>
  );
}

/** Looks, language, and the sessions that are open. */
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { KeyForm } from '../app/sign-in.tsx';
import { signIn } from '../api/session.ts';
import { chooseLanguage, currentLanguage, LANGUAGES, t, type Language } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { formatTime } from '../ui/format.ts';
import { FaultBox, PageHead, Tag } from '../ui/parts.tsx';

export default function Settings() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { admin, key } = useRights();
  return (
    <>
      <PageHead title={t('Settings')} about={t('Preferences of this browser, and your sessions.')} />
      <div className="stack">
        <div className="cards wide">
          <section className="card stack">
            <h2>{t('Appearance')}</h2>
            <SegmentedControl
              aria-label={t('Appearance')}
              value={colorScheme}
              onChange={(chosen) => setColorScheme(chosen)}
              data={[
                { value: 'auto', label: t('System') },
                { value: 'light', label: t('Light') },
                { value: 'dark', label: t('Dark') },
              ]}
            />
          </section>
          <section className="card stack">
            <h2>{t('Language')}</h2>
            <SegmentedControl
              aria-label={t('Language')}
              value={currentLanguage()}
              onChange={(chosen) => void chooseLanguage(chosen as Language)}
              data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            />
          </section>
          {admin && key === null && (
            <section className="card sign-in-again">
              <h2>{t('A key beside the admin key')}</h2>
              <KeyForm action={t('Use this key')} onKey={(given) => signIn(given, true)}>
                {t('Models are asked with it in the playground.')}
              </KeyForm>
            </section>
          )}
        </div>
        <Sessions />
      </div>
    </>
  );
}

/** Sessions that are open: of the key, and for operators of everybody who has the admin API. */
export function Sessions() {
  const query = useQuery({ queryKey: ['sessions'], queryFn: () => ask(api.GET('/console/sessions')) });
  return (
    <section className="card">
      <h2>{t('Open sessions')}</h2>
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('Open sessions')}>
        <table className="plain-table">
          <thead>
            <tr>
              <th className="extra">{t('Started')}</th>
              <th>{t('Last used')}</th>
              <th>{t('Client')}</th>
              <th className="extra">{t('Ends')}</th>
              <th>
                <span className="quiet">{t('End session')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {query.data?.data.map((session) => (
              <tr key={session.id}>
                <td className="extra">{formatTime(session.created_at)}</td>
                <td>{formatTime(session.last_used_at)}</td>
                <td>
                  {session.signed_in_as !== null && <b>{session.signed_in_as} </b>}
                  {session.address} <span className="quiet small">{session.client}</span>
                </td>
                <td className="extra">{formatTime(session.expires_at)}</td>
                <td>
                  {session.current ? (
                    <Tag tone="accent">{t('this one')}</Tag>
                  ) : (
                    <Act
                      name={t('End session')}
                      done={t('The session has ended')}
                      changes={[['sessions']]}
                      run={() =>
                        ask(
                          api.DELETE('/console/sessions/{session_id}', {
                            params: { path: { session_id: session.id } },
                          }),
                        )
                      }
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Signing in with a key: as a page of its own, and over a page whose session ended. */
import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { signIn } from '../api/session.ts';
import { t } from '../text/text.ts';
import { FaultBox } from '../ui/parts.tsx';
import { SingleSignOn } from './single-sign-on.tsx';
import { Brand, LanguageButton, ThemeButton } from './brand.tsx';

export function SignInPage() {
  return (
    <div className="sign-in">
      <main>
        <div className="row">
          <div className="grow">
            <Brand />
          </div>
          <LanguageButton />
          <ThemeButton />
        </div>
        <h1>{t('Sign in')}</h1>
        <SingleSignOn />
        <KeyForm action={t('Sign in')} onKey={(key) => signIn(key)}>
          {t(
            'The gateway printed keys when it was first started; whoever runs it makes more of them. An admin key shows everything, any other key what belongs to its owner.',
          )}
        </KeyForm>
      </main>
    </div>
  );
}

/** Asks for a key and hands it on; says why it was refused. */
export function KeyForm({
  action,
  onKey,
  children,
}: {
  action: string;
  onKey: (key: string) => Promise<void>;
  children?: string;
}) {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        setError(undefined);
        onKey(key.trim())
          .catch(setError)
          .finally(() => setBusy(false));
      }}
    >
      <PasswordInput
        label={t('API key or admin key')}
        description={children}
        placeholder="sk-…"
        autoComplete="off"
        spellCheck={false}
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the key') }}
        data-autofocus
        autoFocus
        required
        withAsterisk={false}
      />
      {error !== undefined && <FaultBox error={error} />}
      <Button type="submit" loading={isBusy} disabled={key.trim() === ''}>
        {action}
      </Button>
      <p className="quiet small" style={{ margin: 0 }}>
        {t('The key is sent once and kept nowhere in this browser.')}
      </p>
    </form>
  );
}

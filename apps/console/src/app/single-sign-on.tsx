/** Signing in with an identity provider, where the gateway has one: the button, and why it did not work. */
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { FaultError } from '../api/fault.ts';
import { identity, isOver, whoIsThere, waysToSignIn, type SingleSignOn as Way } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { FaultBox } from '../ui/parts.tsx';

/** By the codes that the gateway puts into the address. */
const FAULTS: Readonly<Record<string, Text>> = {
  provider_away: 'The identity provider does not answer. Try again in a moment, or sign in with a key.',
  start_again: 'That took too long, or was begun in another browser. Sign in again.',
  refused: 'The identity provider did not sign you in.',
  not_valid: 'What the identity provider sent cannot be trusted, so nobody was signed in.',
  no_role: 'You are known, but have no role here. Ask whoever runs the gateway for one.',
  no_owner: 'You are known, but belong to no owner here. Ask whoever runs the gateway.',
  blocked: 'An operator has blocked you here. Ask whoever runs the gateway.',
  too_many: 'Too many tried to sign in from here. Try again in a minute.',
};
const failed = takeFault();

interface Failed {
  readonly code: string;
  readonly sentence: Text;
  readonly requestId: string | undefined;
}

/** What the address says went wrong; said once, so that it is taken out of the address. */
function takeFault(): Failed | undefined {
  const url = new URL(window.location.href);
  const code = url.searchParams.get('sign_in_fault');
  if (code === null) return undefined;
  const requestId = url.searchParams.get('request_id') ?? '';
  url.searchParams.delete('sign_in_fault');
  url.searchParams.delete('request_id');
  window.history.replaceState(window.history.state, '', url);
  const sentence = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (sentence === undefined) return undefined;
  return { code, sentence, requestId: /^[\w-]{1,64}$/.test(requestId) ? requestId : undefined };
}

function faultIn({ code, sentence, requestId }: Failed): FaultError {
  return new FaultError({ message: t(sentence), code, status: 0, requestId });
}

function useWay(): Way | null {
  const [way, setWay] = useState<Way | null>(null);
  useEffect(() => {
    // Without an answer there are keys.
    waysToSignIn().then(setWay, () => undefined);
  }, []);
  return way;
}

function addressOf(way: Way, returnTo: string): string {
  return `${way.url}?${new URLSearchParams({ return_to: returnTo }).toString()}`;
}

/** On the sign-in page: comes back to the page that was asked for. */
export function SingleSignOn() {
  const way = useWay();
  return (
    <>
      {failed !== undefined && <FaultBox error={faultIn(failed)} />}
      {way !== null && (
        <div className="sign-in-other">
          <Button
            component="a"
            href={addressOf(way, window.location.pathname + window.location.search)}
            fullWidth
            variant="default"
          >
            {t('Sign in with {name}', { name: way.name })}
          </Button>
        </div>
      )}
    </>
  );
}

/** Over a page whose session ended: in another tab, so that what was typed stays; done when this one is looked at again. */
export function SingleSignOnBeside({ onDone }: { onDone: () => void }) {
  const way = useWay();
  useEffect(() => {
    const look = (): void => {
      void whoIsThere().then(
        (found) => {
          if (found === null) return;
          identity.set(found);
          isOver.set(false);
          onDone();
        },
        () => undefined,
      );
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [onDone]);
  if (way === null) return null;
  return (
    <div className="sign-in-other">
      <Button
        component="a"
        href={addressOf(way, '/console/settings')}
        target="_blank"
        rel="noopener"
        fullWidth
        variant="default"
      >
        {t('Sign in with {name} in a new tab', { name: way.name })}
      </Button>
    </div>
  );
}

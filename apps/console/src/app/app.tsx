/** Everything around the pages: colours, language, who is signed in, what is remembered of answers. */
import { MantineProvider } from '@mantine/core';
import { useEffect, useState, type ComponentType } from 'react';
import { identity, whoIsThere } from '../api/session.ts';
import { signal, useSignal } from '../api/signal.ts';
import { useLanguage } from '../text/text.ts';
import { FaultBox } from '../ui/parts.tsx';
import { loadAhead } from './page-loads.ts';
import { sharedScheme, theme } from './theme.ts';
import { SignInPage } from './sign-in.tsx';

/** What people see who are signed in, as soon as it is loaded with the page of the address. */
const inside = signal<ComponentType | undefined>(undefined);
const fault = signal<unknown>(undefined);

async function open(): Promise<void> {
  if (identity.get() == null || inside.get() !== undefined) return;
  loadAhead(window.location.pathname);
  const { default: SignedIn, firstPage } = await import('./signed-in.tsx');
  await firstPage();
  inside.set(SignedIn);
}

/** Finds out who is there, and loads what they see. Before anything is drawn: neither waits for the other. */
export async function begin(): Promise<void> {
  fault.set(undefined);
  try {
    if (identity.get() === undefined) identity.set(await whoIsThere());
    await open();
  } catch (error) {
    fault.set(error);
  }
}

export function App() {
  const language = useLanguage();
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={sharedScheme}
      // The page's policy takes no styles but those of files.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Start key={language} />
    </MantineProvider>
  );
}

function Start() {
  const who = useSignal(identity);
  const SignedIn = useSignal(inside);
  const error = useSignal(fault);
  // Whoever signs in here sees the page of the form until theirs is there.
  const [wasNobody] = useState(who === null);
  useEffect(() => {
    if (who !== undefined && who !== null) void begin();
  }, [who]);
  if (error !== undefined)
    return (
      <div className="sign-in">
        <main>
          <FaultBox error={error} onRetry={() => void begin()} />
        </main>
      </div>
    );
  if (who === null) return <SignInPage />;
  if (who !== undefined && SignedIn !== undefined) return <SignedIn />;
  return wasNobody ? <SignInPage /> : null;
}

/** The console once somebody is signed in: navigation, pages, palette, banners. */
import '../more-styles.css';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { FaultError } from '../api/fault.ts';
import { identity } from '../api/session.ts';
import { forgetDrafts } from '../playground/drafts.ts';
import { firstPage, loadAll, router } from './router.tsx';

export { firstPage };

// A laptop without a network still reaches the gateway that runs on it.
const networkMode = 'always';
const queries = new QueryClient({
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      staleTime: 5000,
      // A refusal stays one; what did not arrive is asked for again.
      retry: (count, error) => count < 2 && error instanceof FaultError && error.fault.status >= 500,
    },
  },
});

// Whoever signs in next in this window sees nothing of the one before.
identity.listen(() => {
  if (identity.get() !== null) return;
  queries.clear();
  forgetDrafts();
});

const QUIET_MS = 1500;

export default function SignedIn() {
  useEffect(() => {
    const timer = setTimeout(() => void loadAll(), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-right" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

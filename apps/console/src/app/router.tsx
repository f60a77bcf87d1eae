/** The pages by their addresses. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { connectionChange } from '../api/connection.ts';
import { Loading, NotFound, PageFault } from './not-found.tsx';
import { PAGE_LOADS, untilLoaded } from './page-loads.ts';
import { Shell } from './shell.tsx';

const PENDING_MS = 200;

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

// A page is drawn when it is there, without a placeholder before it: React holds back for 300 ms what takes the place of one.
const routes = Object.entries(PAGE_LOADS).map(([path, load]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => untilLoaded(load)),
    errorComponent: PageFault,
  }),
);

/** Loads the other pages while nobody waits for anything, so that they open at once, and without a network. */
export async function loadAll(): Promise<void> {
  const others = [() => import('./palette.tsx'), () => import('./shortcuts.tsx'), () => import('./sign-in-again.tsx')];
  for (const load of [...Object.values(PAGE_LOADS), ...others]) await load().catch(() => undefined);
}

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPendingComponent: Loading,
  defaultPendingMs: PENDING_MS,
  // Plain words in the address: ?model=gpt-5.2&status=4xx
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
  scrollRestoration: true,
});

/** Until the page of the address can be drawn whole; or the network is away, which is shown around it. */
export async function firstPage(): Promise<void> {
  await Promise.race([router.load(), connectionChange()]);
}

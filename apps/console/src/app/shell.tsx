/** What stands around every page: the bar above, navigation at the side, banners, palette, keyboard. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { PageLink, useOpenPage } from '../ui/page-link.tsx';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { isAway, lookAgain } from '../api/connection.ts';
import { useSignal } from '../api/signal.ts';
import { identity, isOver, signOut, useRights, type Identity } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { Brand, Icon, LanguageButton, ThemeButton } from './brand.tsx';
import { NotFound } from './not-found.tsx';
import { PAGES, pagesOf, type PageEntry } from './navigation.ts';
import { useKeyboard } from './keyboard.ts';

const Palette = lazy(() => import('./palette.tsx'));
const Shortcuts = lazy(() => import('./shortcuts.tsx'));
const SignInAgain = lazy(() => import('./sign-in-again.tsx'));

export function Shell() {
  const rights = useRights();
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/^\/console/, '') || '/' });
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href });
  const openPage = useOpenPage();
  const [isNavOpen, setNavOpen] = useState(false);
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  const ended = useSignal(isOver);
  const pages = pagesOf(rights);
  const here = pageAt(PAGES, path);
  const mayBeHere = here === undefined || pages.includes(here);
  useKeyboard(pages, { go: (to) => openPage({ to }), open: setOpen });
  useEffect(() => setNavOpen(false), [path]);
  useEffect(() => {
    document.title = `${here === undefined ? t('Console') : t(here.title)} · Unified Model Gateway`;
  }, [here]);
  return (
    <>
      <a className="skip" href="#content">
        {t('Skip to the content')}
      </a>
      <header className="top">
        <ActionIcon
          className="only-narrow"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('Menu')}
          aria-expanded={isNavOpen}
          aria-controls="nav"
          onClick={() => setNavOpen(!isNavOpen)}
        >
          <Icon path="M3 5h14M3 10h14M3 15h14" size={20} />
        </ActionIcon>
        <Brand />
        <button
          type="button"
          className="search"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setOpen('palette')}
        >
          <Icon path="M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3Zm4.500 10.500L17 17" size={16} />
          <span>{t('Search')}</span>
          <kbd aria-hidden>Ctrl K</kbd>
        </button>
        <LanguageButton />
        <ThemeButton />
        <WhoMenu />
      </header>
      <Away />
      <div className="shell">
        <nav id="nav" className={`side${isNavOpen ? ' open' : ''}`} aria-label={t('Pages')}>
          <Navigation pages={pages} here={here} />
        </nav>
        <main id="content" tabIndex={-1} data-shown={shown}>
          {mayBeHere ? <Outlet /> : <NotFound />}
        </main>
      </div>
      <Suspense>
        {open === 'palette' && <Palette pages={pages} onClose={() => setOpen(undefined)} />}
        {open === 'shortcuts' && <Shortcuts pages={pages} onClose={() => setOpen(undefined)} />}
        {ended && <SignInAgain />}
      </Suspense>
    </>
  );
}

/** The page that an address belongs to: `/requests/req_1` to Requests. */
function pageAt(pages: readonly PageEntry[], path: string): PageEntry | undefined {
  return pages.find((page) => page.path === path || (page.path !== '/' && path.startsWith(`${page.path}/`)));
}

function Navigation({ pages, here }: { pages: readonly PageEntry[]; here: PageEntry | undefined }) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <div key={group}>
          <p>{t(group)}</p>
          <ul>
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <li key={page.path}>
                  <PageLink to={page.path} aria-current={page === here ? 'page' : undefined}>
                    <Icon path={page.icon} />
                    {t(page.title)}
                  </PageLink>
                </li>
              ))}
            {group === 'Operate' && (
              <li>
                <a href="/docs">
                  <Icon path="M4 3h9l3 3v11H4ZM7 9h6M7 12h6" />
                  {t('Docs')}
                </a>
              </li>
            )}
          </ul>
        </div>
      ))}
    </>
  );
}

const ROLE_NAMES: Readonly<Record<NonNullable<Identity['role']>, Text>> = {
  admin: 'Operator',
  owner: 'Owner',
  member: 'Member',
};

function WhoMenu() {
  const { admin, key } = useRights();
  const who = useSignal(identity);
  const person = who?.session?.signed_in_as ?? null;
  const role = who?.role ?? null;
  const name = person ?? key?.name ?? t('Admin key');
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Signed in as {name}', { name })}>
          <Icon path="M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM3 17.500c0-4 3-6 7-6s7 2 7 6" size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person !== null && <div>{person}</div>}
          {role !== null && <div>{t(ROLE_NAMES[role])}</div>}
          {admin && role === null && <div>{t('Admin key')}</div>}
          {key !== null && (
            <div>
              {key.name} · <code>{key.hint}</code>
            </div>
          )}
        </Menu.Label>
        <Menu.Item component={PageLink} to="/settings">
          {t('Settings')}
        </Menu.Item>
        <Menu.Item
          onClick={() => {
            void signOut();
          }}
        >
          {t('Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const LOOK_MS = 3000;

/** Says that the gateway is out of reach, looks again by itself, and then reads anew what is shown. */
function Away() {
  const away = useSignal(isAway);
  const queries = useQueryClient();
  const wasAway = useRef(false);
  useEffect(() => {
    if (!away) {
      if (wasAway.current) void queries.invalidateQueries();
      wasAway.current = false;
      return undefined;
    }
    wasAway.current = true;
    const timer = setInterval(() => void lookAgain(), LOOK_MS);
    return () => clearInterval(timer);
  }, [away, queries]);
  if (!away) return null;
  return (
    <div className="banner" role="alert">
      <span>{t('The gateway cannot be reached. What you typed is still here.')}</span>
      <Button size="compact-sm" variant="default" onClick={() => void lookAgain()}>
        {t('Try again')}
      </Button>
    </div>
  );
}

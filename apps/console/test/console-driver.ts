/// <reference lib="dom" />
/** What people do in the console, whatever the page: open it, sign in, move, be looked at by axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestGateway } from '@model-gateway/testing';
import type AxeModule from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const OWNER_PAGES = [
  '',
  'playground',
  'models',
  'tasks',
  'requests',
  'usage',
  'statement',
  'ledger',
  'webhooks',
  'keys',
  'settings',
];
export const ADMIN_PAGES = [
  'owners',
  'people',
  'budgets',
  'bills',
  'alerts',
  'insights',
  'guardrails',
  'accounts',
  'routes',
  'maintenance',
  'audit',
  'configuration',
];

export interface Visit {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly language?: string;
  /** Nothing of the console is in the browser's cache. */
  readonly isFirst?: boolean;
}

export interface DriverParts {
  readonly browser: () => Browser;
  readonly gateway: () => TestGateway;
}

export type Driver = ReturnType<typeof createDriver>;

/** Makes the driver of one browser and one gateway; `faults` and `elsewhere` grow with what goes wrong on any page. */
export function createDriver({ browser, gateway }: DriverParts) {
  const faults: string[] = [];
  const elsewhere: string[] = [];
  const windows = new Windows(browser, () => gateway().url);

  /** A page of a browser that knows nobody; what another test has left open is closed. */
  async function open(visit: Visit = {}): Promise<Page> {
    const { width = 1440, height = 900, scheme = 'light', language = 'en-US', isFirst = false } = visit;
    if (isFirst) await windows.drop(language);
    const page = await windows.open(language);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    watchTraffic(page);
    page.on('pageerror', ({ message }) => faults.push(`${page.url()}: ${message}`));
    page.on('console', (message) => {
      // That nobody is signed in yet, and what a test refuses on purpose, are answers; what is refused by the page's policy is said here as well.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        faults.push(`${page.url()}: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      // The vendors' addresses of what they made are shown as they are.
      const isMedium =
        origin === new URL(gateway().twin.url).origin && ['image', 'media'].includes(request.resourceType());
      if (origin !== gateway().url && protocol.startsWith('http') && !isMedium) elsewhere.push(request.url());
    });
    return page;
  }

  const addressOf = (path: string): string => `/console${path === '' ? '' : `/${path}`}`;
  /** Waits for the page; says what stands there instead. */
  const heading = (page: Page): Promise<void> =>
    page
      .locator('main#content h1')
      .first()
      .waitFor()
      .catch(async (cause: unknown) => {
        const shown = await page.locator('body').innerText();
        throw new Error(`${page.url()} has no heading, but shows: ${shown.slice(0, 500)}; ${faults.join('; ')}`, {
          cause,
        });
      });

  /** Signs in as people do. */
  async function signIn(page: Page, key: string, path = ''): Promise<void> {
    await page.goto(`${gateway().url}${addressOf(path)}`);
    await page.locator('input[type=password]').fill(key);
    await page.locator('button[type=submit]').click();
    await heading(page);
  }

  async function go(page: Page, path: string): Promise<void> {
    await page.goto(`${gateway().url}${addressOf(path)}`);
    await heading(page);
  }

  /** The same without loading everything again. */
  async function move(page: Page, path: string): Promise<void> {
    await page.evaluate((to) => {
      history.pushState({}, '', to);
      window.dispatchEvent(new PopStateEvent('popstate'));
    }, addressOf(path));
    // The page before it has a heading, too.
    await page.locator(`main#content[data-shown="/${path}"]`).waitFor();
    await heading(page);
  }

  /** Says yes in the dialog that the button `name` opens, and waits until it is done. */
  async function confirm(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name, exact: true });
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Puts a key beside the one of the session. */
  async function addKey(page: Page, key: string): Promise<void> {
    await page.evaluate(async (given) => {
      const { csrf_token: token } = (await (await fetch('/console/session')).json()) as { csrf_token: string };
      await fetch('/console/session', {
        method: 'POST',
        headers: { authorization: `Bearer ${given}`, 'content-type': 'application/json', 'x-csrf-token': token },
        body: '{"keep_current":true}',
      });
    }, key);
  }

  return {
    open,
    signIn,
    go,
    move,
    confirm,
    addKey,
    settle,
    close: (page: Page) => page.close(),
    faults,
    elsewhere,
  };
}

interface Shared {
  readonly context: BrowserContext;
  /** Shows nothing of the console; while it is open, the process of the gateway's pages goes on. */
  readonly keeper: Page;
}

/**
 * Pages, one at a time. Those of a language share what was loaded and compiled, which is three fifths of the CPU of a page; nothing else is left of
 * one to the next.
 */
class Windows {
  private readonly browser: () => Browser;
  private readonly url: () => string;
  private readonly shared = new Map<string, Shared>();

  constructor(browser: () => Browser, url: () => string) {
    this.browser = browser;
    this.url = url;
  }

  async open(language: string): Promise<Page> {
    const shared = this.shared.get(language) ?? (await this.share(language));
    await Windows.forget(shared);
    return shared.context.newPage();
  }

  /** Takes away what the pages of a language share. */
  async drop(language: string): Promise<void> {
    await this.shared.get(language)?.context.close();
    this.shared.delete(language);
  }

  private async share(language: string): Promise<Shared> {
    const context = await this.browser().newContext({ locale: language, reducedMotion: 'reduce' });
    const keeper = await context.newPage();
    await keeper.goto(`${this.url()}/healthz`);
    const shared = { context, keeper };
    this.shared.set(language, shared);
    return shared;
  }

  private static async forget({ context, keeper }: Shared): Promise<void> {
    for (const page of context.pages()) if (page !== keeper) await page.close();
    await context.setOffline(false);
    await context.clearCookies();
    await context.clearPermissions();
    await keeper.evaluate(() => localStorage.clear());
  }
}

interface Traffic {
  begun: number;
  readonly running: Set<unknown>;
}
const traffics = new WeakMap<Page, Traffic>();

function watchTraffic(page: Page): void {
  const traffic: Traffic = { begun: 0, running: new Set() };
  traffics.set(page, traffic);
  page.on('request', (request) => {
    // Streams of events have no end to wait for.
    if (request.headers()['accept'] === 'text/event-stream') return;
    traffic.begun++;
    traffic.running.add(request);
  });
  page.on('requestfinished', (request) => void traffic.running.delete(request));
  page.on('requestfailed', (request) => void traffic.running.delete(request));
}

const LOADERS = '.mantine-Loader-root, .charts-space';

/** Until nothing on the page is on its way: what was asked for has arrived and is drawn, and nothing else is asked for. */
async function settle(page: Page): Promise<void> {
  const traffic = traffics.get(page);
  if (traffic === undefined) return;
  for (;;) {
    const { begun } = traffic;
    const isDrawn = await page.evaluate(async (loaders) => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return document.querySelector(loaders) === null;
    }, LOADERS);
    if (isDrawn && traffic.running.size === 0 && traffic.begun === begun) return;
  }
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds, as "rule: where"; by all rules of WCAG 2.2 AA, or by those named. */
export async function axe(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ tags, only }) => {
      const { axe: runner } = window as unknown as { axe: typeof AxeModule };
      const { violations } = await runner.run(document, {
        runOnly: only === undefined ? { type: 'tag', values: tags } : { type: 'rule', values: only },
        resultTypes: ['violations'],
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any.map(({ message }) => message).join(' ')}`),
      );
    },
    { tags: RULES, only: rules === undefined ? undefined : [...rules] },
  );
}

/** Pixels by which the page is wider than the window. */
export const widthBeyond = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

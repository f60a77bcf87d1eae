/**
 * Signing in with an identity provider in Chromium. The provider is at `localhost` and the gateway at 127.0.0.1, which are two sites to a browser: the
 * way back is a navigation from elsewhere, with which a cookie that is `Strict` does not travel.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  builtConsole,
  describeInBrowser,
  openTestBrowser,
  openTestGateway,
  type TestGateway,
} from '@model-gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { CLIENT, startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let provider: TestIdentityProvider;
let gateway: TestGateway;
let browser: Browser;
const faults: string[] = [];

describeInBrowser('in Chromium', () => {
  beforeAll(async () => {
    provider = await startIdentityProvider({
      olga: { email: 'olga@example.com', groups: ['owners'], team: 'owner 1' },
      nobody: { email: 'nobody@example.com', groups: [] },
    });
    gateway = await openTestGateway({
      consoleFolder: await builtConsole(),
      yaml: `
console:
  oidc:
    name: Example Inc.
    issuer: ${provider.issuer}
    client_id: ${CLIENT.id}
    client_secret: ${CLIENT.secret}
    roles: { claim: groups, owner: [owners] }
    owner_claim: team
    playground: {}
`,
    });
    provider.serve(gateway.url);
    browser = await openTestBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await provider.close();
  });

  async function open(locale = 'en-US'): Promise<Page> {
    const page = await (await browser.newContext({ locale })).newPage();
    page.on('pageerror', ({ message }) => faults.push(`${page.url()}: ${message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        faults.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  }
  const button = 'Sign in with Example Inc.';

  it('people sign in, are brought back to their page, use a model, and sign out here and there', async () => {
    provider.become('olga');
    const page = await open();
    await page.goto(`${gateway.url}/console/playground`);
    await page.getByRole('link', { name: button }).click();
    await page.getByLabel('Your message').fill('Hello');
    expect(page.url()).toBe(`${gateway.url}/console/playground`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.stats').first().waitFor();
    // The session lies where scripts do not see it, and is sent with what the page itself asks.
    const cookies = await page.context().cookies(gateway.url);
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: 'gateway_session', httpOnly: true, sameSite: 'Strict' },
    ]);
    await page.reload();
    await page.getByRole('button', { name: 'Signed in as olga@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('link', { name: button }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/console`);
    expect(await page.context().cookies(gateway.url)).toEqual([]);
    await page.context().close();
  });

  it('who has no role is told so in words, once, and can use a key', async () => {
    provider.become('nobody');
    const page = await open();
    await page.goto(`${gateway.url}/console`);
    await page.getByRole('link', { name: button }).click();
    const fault = page.getByRole('alert');
    await fault.waitFor();
    expect(await fault.textContent()).toMatch(/have no role here.*no_role.*Request id/);
    expect(page.url()).toBe(`${gateway.url}/console`);
    await page.getByLabel('API key or admin key').fill(gateway.testKey);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.context().close();
  });

  it('an address that somebody made says nothing of its own, in Chinese too', async () => {
    const page = await open('zh-CN');
    await page.goto(`${gateway.url}/console?sign_in_fault=<b>evil</b>&request_id=<i>`);
    await page.getByRole('link', { name: '使用 Example Inc. 登录' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.goto(`${gateway.url}/console?sign_in_fault=provider_away&request_id=<i>`);
    await page.getByText('身份提供方没有应答').waitFor();
    expect(await page.getByRole('alert').textContent()).not.toContain('<i>');
    await page.context().close();
  });

  it('a session that ends under a page is begun again in another tab, and what was typed stays', async () => {
    provider.become('olga');
    const page = await open();
    await page.goto(`${gateway.url}/console/playground`);
    await page.getByRole('link', { name: button }).click();
    await page.getByLabel('Your message').fill('half a sentence');
    await page.context().clearCookies({ name: 'gateway_session' });
    await page.getByRole('button', { name: 'Send' }).click();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: `${button} in a new tab` }).click(),
    ]);
    await tab.getByRole('heading', { name: 'Settings' }).waitFor();
    await tab.close();
    await page.bringToFront();
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect(await page.content()).toContain('half a sentence');
    await page.context().close();
  });

  it('nothing went wrong on the way', () => {
    expect(faults).toEqual([]);
  });
});

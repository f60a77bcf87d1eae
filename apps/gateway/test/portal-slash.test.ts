/**
 * The portal's first page, with and without the slash that people type: what it refers to is there. Its pages take ten seconds to make: that each
 * can be made, tools/docs/portal/portal.test.ts shows.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { openApiDocument } from '../src/http/document.ts';

/** tools/docs/portal lies outside the projects, so it is loaded by its address. */
interface PortalModule {
  createPortal(options: { readonly document: object }): { readonly paths: readonly string[] };
}

let gateway: TestGateway;
let paths: readonly string[];
beforeAll(async () => {
  gateway = await openTestGateway();
  const { href } = new URL('../../../tools/docs/portal/index.ts', import.meta.url);
  const { createPortal } = (await import(href)) as PortalModule;
  ({ paths } = createPortal({ document: openApiDocument() }));
});
afterAll(async () => gateway.close());

it.each(['/docs', '/docs/'])('%s: every script, style and page that it refers to is there', async (path) => {
  const address = new URL(path, gateway.url);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(page.redirected).toBe(false);
  const refers = [...(await page.text()).matchAll(/<(?:script|link|a)[^>]*\s(?:src|href)="([^"#]+)/g)].map(
    ([, to = '']) => new URL(to, address),
  );
  const ours = [...new Set(refers.filter(({ origin }) => origin === address.origin).map(({ pathname }) => pathname))];
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter((each) => !each.startsWith('/docs/') || !paths.includes(each.slice('/docs/'.length)))).toEqual([]);
  const files = ours.filter((each) => !each.endsWith('.html'));
  const pages = ours.filter((each) => each.endsWith('.html'));
  expect(files.length).toBeGreaterThan(2);
  for (const each of [...files, ...pages.slice(0, 1), ...pages.slice(-1)])
    expect({ each, status: (await fetch(new URL(each, address))).status }).toEqual({ each, status: 200 });
});

/** The portal's first page, with and without the slash that people type: what it refers to is there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
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
  const ours = [...new Set(refers.filter(({ origin }) => origin === address.origin).map(({ href }) => href))];
  expect(ours.length).toBeGreaterThan(20);
  for (const href of ours) expect({ href, status: (await fetch(href)).status }).toEqual({ href, status: 200 });
});

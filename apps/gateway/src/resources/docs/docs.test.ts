import { describe, expect, it } from 'vitest';
import express from 'express';
import request from 'supertest';
import { docs } from './docs.ts';

const app = express();
app.use(docs());
app.use((_request, response) => void response.status(418).send('not the docs'));

describe('/docs', () => {
  it('is a page whose parts are under it', async () => {
    const page = await request(app).get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const parts = [...page.text.matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"]+)"/g)].map(
      ([, to]) => to ?? '',
    );
    expect(parts.length).toBeGreaterThan(4);
    for (const part of new Set(parts)) {
      expect(part).toMatch(/^docs\//);
      expect((await request(app).get(`/${part}`)).status).toBe(200);
    }
    expect((await request(app).get('/docs/reference/video.html')).text).toContain('id="createVideoTask"');
  });

  it('is the same page with a slash behind it, its parts beside it', async () => {
    const page = await request(app).get('/docs/');
    expect(page.status).toBe(200);
    expect(page.text).toContain('href="assets/portal.css"');
  });

  it('lets nothing in but its own scripts and styles, and nobody frame it', async () => {
    const { headers } = await request(app).get('/docs/guides/errors.html');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('is not sent twice to who has it', async () => {
    const first = await request(app).get('/docs/assets/portal.css');
    const again = await request(app).get('/docs/assets/portal.css').set('if-none-match', String(first.headers['etag']));
    expect(again.status).toBe(304);
    expect(again.text).toBe('');
    const head = await request(app).head('/docs/assets/portal.css');
    expect([head.status, head.text]).toEqual([200, undefined]);
  });

  it.each([
    '/docs/nothing.html',
    '/docs/%2e%2e/package.json',
    '/docs/assets/..%2findex.ts',
    '/docsx',
    '/docs//etc/passwd',
    '/v1/models',
  ])('leaves %s to others', async (path) => {
    expect((await request(app).get(path)).status).toBe(418);
  });

  it('takes no other method', async () => {
    expect((await request(app).post('/docs')).status).toBe(418);
  });
});

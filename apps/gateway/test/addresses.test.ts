/** Addresses that are none, methods that are not taken, parts that are not there: refused in the words of their neighbours. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const reply = await fetch(`${gateway.url}${path}`, { method, headers });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const withKey = () => ({ authorization: `Bearer ${gateway.testKey}` });

describe('refusals', () => {
  it.each([
    { method: 'GET', path: '/v1/nothing', shape: { error: { code: 'not_found' } } },
    { method: 'GET', path: '/v1/messages/nothing', shape: { type: 'error', error: { type: 'not_found_error' } } },
    { method: 'GET', path: '/v1beta/nothing', shape: { error: { code: 404, status: 'NOT_FOUND' } } },
    { method: 'GET', path: '/v1/video/nothing', shape: { code: 'not_found', data: null } },
  ])('$method $path is a 404 in its own form', async ({ method, path, shape }) => {
    const answer = await ask(method, path, withKey());
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject(shape);
    // Nobody learns what there is without a key.
    expect((await ask(method, path)).status).toBe(401);
  });

  it.each([
    { method: 'GET', path: '/v1/completions', allow: 'POST' },
    { method: 'PUT', path: '/v1/chat/completions', allow: 'GET, POST' },
    { method: 'PUT', path: '/v1/messages', allow: 'POST' },
    { method: 'POST', path: '/v1/videos/video_1/', allow: 'GET, DELETE' },
    { method: 'POST', path: '/v1/models/gemini-3.1-pro', allow: 'GET' },
  ])('$method $path is a 405 that says what is taken', async ({ method, path, allow }) => {
    const answer = await ask(method, path, withKey());
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.text).toContain(allow);
  });

  it('a path that is not UTF-8 is a 400, whatever signature or key it carries', async () => {
    const paths = [
      '/v1/videos/%ff/content?signature=x',
      '/v1/video/generations/%E0%A4%A',
      '/v1beta/models/%ff',
      '/files/%ff?signature=x',
    ];
    for (const path of paths) {
      for (const headers of [withKey(), undefined]) {
        const answer = await ask('GET', path, headers);
        expect(answer.status).toBe(400);
        expect(answer.text).toContain('UTF-8');
      }
    }
  });

  it('count nothing that strangers ask for by its name', async () => {
    await ask('GET', '/some-scanner.php');
    const { text } = await ask('GET', '/metrics');
    expect(text).toContain('route="unmatched"');
    expect(text).not.toContain('some-scanner');
  });
});

describe('parts of a finished video', () => {
  it.each(['sora-2', 'veo-3.1'])('of %s', async (model) => {
    const headers = { ...withKey(), 'content-type': 'application/json' };
    const body = JSON.stringify({ model, prompt: 'A cat' });
    const made = (await (await fetch(`${gateway.url}/v1/videos`, { method: 'POST', headers, body })).json()) as {
      id: string;
    };
    let status = '';
    while (status !== 'completed') {
      const seen = await ask('GET', `/v1/videos/${made.id}?wait=30`, withKey());
      ({ status } = JSON.parse(seen.text) as { status: string });
      expect(status).not.toBe('failed');
    }
    const part = (range: string): Promise<Answer> =>
      ask('GET', `/v1/videos/${made.id}/content`, { ...withKey(), range });
    const start = await part('bytes=4-7');
    expect([start.status, start.text]).toEqual([206, 'ftyp']);
    const size = Number(/^bytes 4-7\/(\d+)$/.exec(start.headers.get('content-range') ?? '')?.[1]);
    expect(size).toBeGreaterThan(100);
    const behind = await part(`bytes=${size}-`);
    expect([behind.status, behind.headers.get('content-range'), behind.text]).toEqual([416, `bytes */${size}`, '']);
    expect((await part(`bytes=${size - 1}-`)).headers.get('content-length')).toBe('1');
    expect((await part('bytes=0-1,4-5')).status).toBe(200);
  });
});

describe('a path has one spelling', () => {
  /** As it is, without what clients do to an address before they send it. */
  const raw = async (
    method: string,
    path: string,
  ): Promise<Omit<Answer, 'headers'> & { readonly location: string }> => {
    const { hostname, port } = new URL(gateway.url);
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, agent: false }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('end', () =>
          resolve({
            status: reply.statusCode ?? 0,
            location: reply.headers.location ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      sent.once('error', reject).end();
    });
  };
  const paths = Object.values(OPERATIONS)
    .filter(({ path }) => path !== OPERATIONS.getDocs.path)
    .map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'x1') }));

  it.each(paths)(
    '$method $path: with slashes behind it leads there and says nothing else',
    async ({ method, path }) => {
      for (const ending of ['/', '//', '/?a=b', '///?a=/']) {
        const { status, location } = await raw(method, path + ending);
        expect(status).toBe(308);
        const { pathname, search } = new URL(location, `http://balancer/behind${path}${ending}`);
        expect(pathname + search).toBe(`/behind${path}${ending.replace(/^\/+/, '')}`);
      }
    },
  );

  it('and no other spelling of the metrics shows them', async () => {
    expect((await raw('GET', '/metrics')).text).toContain('# TYPE gateway_requests_total');
    for (const path of [
      '/metrics/',
      '//metrics',
      '/./metrics',
      '/x/../metrics',
      '/%6Detrics',
      '/metrics%2F',
      '/METRICS',
      '/metrics;a',
      '/metrics%00',
      '/metrics.',
    ]) {
      // prettier-ignore
      const { status, text } = await raw('GET', path);
      expect({ path, isShown: text.includes('# TYPE') }).toEqual({ path, isShown: false });
      expect([308, 404]).toContain(status);
    }
  });

  it('a redirect leads nowhere but here', async () => {
    for (const path of [
      '//evil.example/',
      '///evil.example//',
      '/\\evil.example/',
      '//',
      '////',
      '/http://evil.example/',
    ]) {
      const { status, location } = await raw('GET', path);
      expect([path, status]).toEqual([path, 308]);
      expect(new URL(location, `http://gateway.example${path}`).host).toBe('gateway.example');
    }
  });
});

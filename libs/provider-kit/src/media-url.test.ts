import type { lookup, LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUntrustedFetcher, isAllowed, parseOpening, type UntrustedFetcher } from './media-url.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const LIMITS = { maxBytes: 1000, types: ['image/png', 'image/jpeg'], param: 'imageUrls[0]' };

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}
type Answer = { status?: number; headers?: Record<string, string>; body?: Uint8Array; chunks?: readonly Uint8Array[] };

/** A host on a loopback address: 127.0.0.1 and 127.0.0.2 stand for an opened and a closed one. */
class Host {
  readonly received: Received[] = [];
  answer: (path: string) => Answer = () => ({ body: PNG });
  #server: Server | undefined;
  port = 0;

  async open(address: string, port = 0): Promise<void> {
    this.#server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const { method = '', url = '', headers } = request;
        this.received.push({ method, url, headers, body });
        const answer = this.answer(url);
        response.writeHead(answer.status ?? 200, { connection: 'close', ...answer.headers });
        for (const chunk of answer.chunks ?? []) response.write(chunk);
        response.end(answer.body);
      })();
    });
    await new Promise<void>((resolve) => this.#server?.listen(port, address, resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()));
  }
}

/** A resolver that gives its answers in turn, the last one for ever, and counts its questions. */
function resolver(...answers: string[][]): { lookup: typeof lookup; asked: string[] } {
  const asked: string[] = [];
  const answer = (
    name: string,
    _options: unknown,
    callback: (error: Error | null, found: LookupAddress[]) => void,
  ): void => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup: answer as unknown as typeof lookup, asked };
}

describe('the untrusted fetcher', () => {
  const opened = new Host();
  const closed = new Host();
  let fetchers: UntrustedFetcher[] = [];
  const fetcher = (allowPrivate: string[], how: { lookup?: typeof lookup } = {}): UntrustedFetcher => {
    const made = createUntrustedFetcher({ allowPrivate, ...how });
    fetchers.push(made);
    return made;
  };
  const open = () => fetcher([`127.0.0.1:${opened.port}`]);
  const at = (path: string) => `http://127.0.0.1:${opened.port}${path}`;

  beforeAll(async () => {
    await opened.open('127.0.0.1');
    // The same port on another address: only the address tells them apart.
    await closed.open('127.0.0.2', opened.port);
  });
  beforeEach(() => {
    for (const host of [opened, closed]) {
      host.received.length = 0;
      host.answer = () => ({ body: PNG });
    }
  });
  afterEach(async () => {
    await Promise.all(fetchers.map((made) => made.close()));
    fetchers = [];
  });
  afterAll(async () => {
    await opened.close();
    await closed.close();
  });

  const refusal = async (made: UntrustedFetcher, url: string): Promise<string> => {
    const error: unknown = await made.fetch(url, LIMITS).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', details: { param: 'imageUrls[0]' } });
    return (error as Error).message;
  };

  it('reads a file and finds its type by its bytes', async () => {
    opened.answer = () => ({ body: PNG, headers: { 'content-type': 'text/html' } });
    expect(await open().fetch(at('/a'), LIMITS)).toEqual({ bytes: PNG, mime: 'image/png' });
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('never connects to %s', async (url) => {
    expect(await refusal(fetcher([]), url)).toBe('imageUrls[0] could not be fetched: the address is not a public one');
  });

  it('an opening is for its own address and port', async () => {
    const other = `http://127.0.0.2:${opened.port}/`;
    expect(await refusal(open(), other)).toContain('not a public one');
    expect(await refusal(fetcher(['127.0.0.1:1']), at('/'))).toContain('not a public one');
    expect(closed.received).toEqual([]);
    expect(opened.received).toEqual([]);
    expect(await fetcher(['127.0.0.0/8']).fetch(other, LIMITS)).toMatchObject({ mime: 'image/png' });
  });

  it.each([
    ['file:///etc/passwd', 'only http and https addresses are fetched'],
    ['ftp://m.example/a.png', 'only http and https addresses are fetched'],
    ['data:image/png;base64,AAAA', 'only http and https addresses are fetched'],
    ['//m.example/a.png', 'it is no web address'],
    ['http://me:secret@m.example/', 'it carries a user name or a password'],
  ])('refuses %s, saying why', async (url, why) => {
    expect(await refusal(fetcher([]), url)).toBe(`imageUrls[0] could not be fetched: ${why}`);
  });

  it.each([
    ['http://127.0.0.1/hook', true],
    ['http://2130706433/hook', true],
    ['http://0x7f.1/hook', true],
    ['http://0177.0.0.1/hook', true],
    ['http://0/hook', true],
    ['http://10.1.2.3/', true],
    ['http://169.254.169.254/latest/meta-data', true],
    ['http://100.100.100.200/latest', true],
    ['http://168.63.129.16/machine', true],
    ['http://[::1]/', true],
    ['http://[::]/', true],
    ['http://[::7f00:1]/', true],
    ['http://[::ffff:10.0.0.1]/', true],
    ['http://[64:ff9b::7f00:1]/', true],
    ['http://[fd00:ec2::254]/', true],
    ['http://[fe80::1]/', true],
    ['http://localhost:3000/', true],
    ['http://a.localhost./', true],
    ['https://93.184.216.34/', false],
    ['https://[2606:2800:220:1:248:1893:25c8:1946]/', false],
    ['https://hooks.example/localhost', false],
    ['https://localhost.example/', false],
  ])('%s is never called: %s', async (url, never) => {
    const made = fetcher([]);
    expect(made.isNeverCalled(url)).toBe(never);
    if (never && !/localhost/.test(url)) expect(await refusal(made, url)).toContain('not a public one');
  });

  it('what the operator opened may be called, on its port', () => {
    const made = fetcher(['127.0.0.1:9000', '10.0.0.0/8']);
    expect(made.isNeverCalled('http://127.0.0.1:9000/hook')).toBe(false);
    expect(made.isNeverCalled('http://127.0.0.1:9001/hook')).toBe(true);
    expect(made.isNeverCalled('http://10.255.0.1/hook')).toBe(false);
  });

  it('a name is judged by the address it leads to', async () => {
    const { lookup: inward, asked } = resolver(['127.0.0.2']);
    expect(await refusal(fetcher([], { lookup: inward }), `http://m.example:${opened.port}/`)).toContain(
      'not a public one',
    );
    expect(asked).toEqual(['m.example']);
    expect(closed.received).toEqual([]);
  });

  it('of several addresses only the allowed ones are used', async () => {
    const { lookup: both } = resolver(['127.0.0.2', '127.0.0.1']);
    const mixed = fetcher([`127.0.0.1:${opened.port}`], { lookup: both });
    expect(await mixed.fetch(`http://m.example:${opened.port}/`, LIMITS)).toMatchObject({ mime: 'image/png' });
    expect(closed.received).toEqual([]);
    expect(opened.received).toHaveLength(1);
  });

  it('a name cannot be re-bound between check and connection: there is one lookup for both', async () => {
    const { lookup: rebinding, asked } = resolver(['127.0.0.1'], ['127.0.0.2']);
    const made = fetcher([`127.0.0.1:${opened.port}`], { lookup: rebinding });
    expect(await made.fetch(`http://m.example:${opened.port}/`, LIMITS)).toMatchObject({ mime: 'image/png' });
    expect(asked).toHaveLength(1);
    // The second request looks again, and what was good before is not good for ever.
    expect(await refusal(made, `http://m.example:${opened.port}/`)).toContain('not a public one');
    expect(asked).toHaveLength(2);
    expect(closed.received).toEqual([]);
  });

  describe('redirects', () => {
    it('are followed, relative ones too', async () => {
      opened.answer = (path) => (path === '/a' ? { status: 302, headers: { location: '/b' } } : { body: PNG });
      expect(await open().fetch(at('/a'), LIMITS)).toMatchObject({ mime: 'image/png' });
      expect(opened.received.map(({ url }) => url)).toEqual(['/a', '/b']);
    });

    it.each([
      ['http://127.0.0.2/', 'not a public one'],
      ['http://169.254.169.254/latest/meta-data/', 'not a public one'],
      ['http://[::ffff:7f00:2]/', 'not a public one'],
      ['file:///etc/passwd', 'only http and https'],
      ['http://me:secret@m.example/', 'a user name or a password'],
    ])('into the house are not: %s', async (location, why) => {
      opened.answer = () => ({
        status: 302,
        headers: { location: location.replace('127.0.0.2', `127.0.0.2:${opened.port}`) },
      });
      expect(await refusal(open(), at('/a'))).toContain(why);
      expect(closed.received).toEqual([]);
    });

    it('end somewhere', async () => {
      opened.answer = () => ({ status: 302, headers: { location: '/again' } });
      expect(await refusal(open(), at('/a'))).toContain('it redirects too often');
      expect(opened.received).toHaveLength(6);
    });

    it('carry headers to the first origin only, and a range everywhere', async () => {
      const made = fetcher(['127.0.0.0/8']);
      opened.answer = (path) =>
        path === '/same'
          ? { status: 307, headers: { location: '/next' } }
          : { status: 307, headers: { location: `http://127.0.0.2:${opened.port}/` } };
      const reply = await made.open(at('/same'), { headers: { range: 'bytes=0-1', 'x-secret': 'mine' } });
      await reply.body.dump();
      expect(opened.received.map(({ headers }) => headers['x-secret'])).toEqual(['mine', 'mine']);
      expect(closed.received[0]?.headers).not.toHaveProperty('x-secret');
      expect(closed.received[0]?.headers).toMatchObject({ range: 'bytes=0-1' });
    });

    it('carry no body anywhere', async () => {
      opened.answer = () => ({ status: 307, headers: { location: `http://127.0.0.2:${opened.port}/` } });
      const reply = await fetcher(['127.0.0.0/8']).open(at('/hook'), { method: 'POST', body: 'news' });
      await reply.body.dump();
      expect(reply.status).toBe(307);
      expect(opened.received).toMatchObject([{ method: 'POST', body: 'news' }]);
      expect(closed.received).toEqual([]);
    });

    it('are the caller’s to see when he asks for none', async () => {
      opened.answer = () => ({ status: 302, headers: { location: '/b' } });
      const reply = await open().open(at('/a'), { followRedirects: false });
      await reply.body.dump();
      expect(reply).toMatchObject({ status: 302, headers: { location: '/b' } });
    });
  });

  describe('bounds', () => {
    it('a file that says it is too large is not read', async () => {
      opened.answer = () => ({ headers: { 'content-length': '1001' }, body: Buffer.alloc(1001) });
      expect(await refusal(open(), at('/'))).toBe(
        'imageUrls[0] could not be fetched: the file is larger than 1000 bytes',
      );
    });

    it('a file that turns out too large is dropped', async () => {
      opened.answer = () => ({ chunks: [Buffer.alloc(600), Buffer.alloc(600)] });
      expect(await refusal(open(), at('/'))).toContain('larger than 1000 bytes');
    });

    it('exactly as large as allowed is allowed', async () => {
      const file = Buffer.concat([PNG, Buffer.alloc(1000 - PNG.length)]);
      opened.answer = () => ({ body: file });
      expect((await open().fetch(at('/'), LIMITS)).bytes).toHaveLength(1000);
    });

    it.each<[string, Answer, string]>([
      [
        'another type',
        { body: Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;') },
        'the file is image/gif; allowed are image/png, image/jpeg',
      ],
      [
        'a lie about its type',
        { body: Buffer.from('<html>'), headers: { 'content-type': 'image/png' } },
        'of an unknown type',
      ],
      ['nothing', { body: Buffer.alloc(0) }, 'of an unknown type'],
      ['another status', { status: 404, body: PNG }, 'the address answered 404 instead of 200'],
    ])('%s is refused', async (_name, answer, why) => {
      opened.answer = () => answer;
      expect(await refusal(open(), at('/'))).toContain(why);
    });

    it('nobody there', async () => {
      expect(await refusal(fetcher(['127.0.0.1']), 'http://127.0.0.1:1/')).toContain('the host refused the connection');
    });

    it('a caller who has gone is no bad address', async () => {
      const gone = new AbortController();
      gone.abort();
      await expect(open().fetch(at('/'), LIMITS, gone.signal)).rejects.not.toMatchObject({ code: 'invalid_request' });
    });
  });
});

describe('openings', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', 80, true],
    ['10.0.0.0/8', '11.1.2.3', 80, true],
    ['10.0.0.0/8', '192.168.0.1', 80, false],
    ['127.0.0.1:9000', '127.0.0.1', 9000, true],
    ['127.0.0.1:9000', '127.0.0.1', 9001, false],
    ['10.0.0.0/8:9000', '10.9.9.9', 9000, true],
    ['10.0.0.0/8:9000', '10.9.9.9', 80, false],
    ['127.0.0.1', '::ffff:127.0.0.1', 80, true],
    ['[fd00::1]:80', 'fd00::1', 80, true],
    ['[fd00::1]:80', 'fd00::2', 80, false],
    ['fd00::/8', 'fd12::1', 443, true],
    ['10.0.0.0/8', 'not-an-address', 80, false],
  ])('%s lets %s on port %i: %s', (opening, address, port, allowed) => {
    expect(isAllowed(address, port, [parseOpening(opening)])).toBe(allowed);
  });

  it.each(['', 'localhost', 'm.example:80', '10.0.0.0/99', '999.0.0.1'])('“%s” is none', (text) => {
    expect(() => parseOpening(text)).toThrow();
  });
});

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { TWIN_CREDENTIALS, type TwinVendor, type VendorTwin } from './index.ts';

/** A reply read whole, for tests. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly json: any;
}

export interface Asking {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks an address; objects go as JSON, everything else as it is. */
export async function ask(url: string, { method, body, headers = {} }: Asking = {}): Promise<Heard> {
  const isPlain = typeof body === 'string' || body instanceof FormData || body instanceof URLSearchParams;
  // oxlint-disable-next-line no-restricted-globals -- tests are clients from outside
  const reply = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body: isPlain ? body : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return {
    status: reply.status,
    headers: reply.headers,
    bytes,
    text: bytes.toString(),
    json: parsed(bytes.toString()),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks a vendor with the bearer key it knows: path below its base URL. */
export function asker(twin: () => VendorTwin, vendor: TwinVendor): (path: string, asking?: Asking) => Promise<Heard> {
  const authorization = `Bearer ${TWIN_CREDENTIALS[vendor]['api_key'] ?? ''}`;
  return async (path, asking = {}) =>
    ask(`${twin().baseUrl(vendor)}${path}`, { ...asking, headers: { authorization, ...asking.headers } });
}

/** What came to an address. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An address that vendors can send to. */
export async function listen(): Promise<{
  readonly url: string;
  readonly first: Promise<Received>;
  close(): Promise<void>;
}> {
  const { promise: first, resolve: heard } = Promise.withResolvers<Received>();
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      response.writeHead(204).end();
      heard({ path: request.url ?? '', headers: request.headers, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url, first, close };
}

/** The events of a stream: name and parsed data. */
export function eventsOf(text: string): { readonly name: string; readonly data: unknown }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      name: /^event: (.+)$/m.exec(block)?.[1] ?? '',
      data: parsed(/^data: (.+)$/m.exec(block)?.[1] ?? ''),
    }));
}

import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isJsonObject } from '@model-gateway/contracts';
import { serveMedia } from '../media/serve.ts';
import { CONTROL_MOUNT, type TwinControl } from './control.ts';
import { Exchange, Gone } from './exchange.ts';
import type { ScriptedFaults } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { RequestRing } from './requests.ts';
import { FramedResponse, TwinSocket, TwinSockets } from './sockets.ts';
import type { Stage } from './stage.ts';
import type { Route, Vendor } from './vendor.ts';

const LARGEST_BODY = 128 * 1024 * 1024;

export interface TwinServerParts {
  readonly stage: Stage;
  readonly vendors: readonly Vendor[];
  readonly faults: ScriptedFaults;
  /** Absent in lean mode. */
  readonly requests: RequestRing | undefined;
  /** Who answers below `/_twin`; absent: nobody. */
  readonly control: TwinControl | undefined;
}

interface Mounted {
  readonly vendor: Vendor;
  /** `POST /v1/chat/completions` */
  readonly exact: ReadonlyMap<string, Route>;
  readonly patterns: readonly Route[];
}

/** The sockets of all vendors: the first step of a path names the vendor, the rest is the vendor's own. */
export class TwinServer {
  readonly #parts: TwinServerParts;
  readonly #mounted: ReadonlyMap<string, Mounted>;
  readonly #server: Server;
  readonly #sockets = new TwinSockets();

  constructor(parts: TwinServerParts) {
    this.#parts = parts;
    this.#mounted = new Map(parts.vendors.map((vendor) => [vendor.name, mount(vendor)]));
    this.#server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
      void this.#serve(request, response);
    });
    this.#server.requestTimeout = 0;
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      void this.#connect(request, socket, head);
    });
  }

  /** Listens, and answers with the port. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  get openSockets(): number {
    return this.#sockets.open;
  }

  /** Hangs up on everybody. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#sockets.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { mount: name, path, search } = split(request.url ?? '/');
    if (name === 'media') return serveMedia(request, response, path.slice(1), this.#parts.stage.media);
    const { control } = this.#parts;
    if (name === CONTROL_MOUNT && control !== undefined)
      return control.answer({ request, response, path, body: await readBody(request) });
    const mounted = this.#mounted.get(name);
    if (mounted === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('No vendor lives here.\n');
      return;
    }
    const found = match(mounted, request.method ?? 'GET', path);
    const body = await readBody(request);
    const { vendor } = mounted;
    const exchange = new Exchange({
      stage: this.#parts.stage,
      vendor,
      request,
      response,
      path,
      search,
      params: found?.params ?? {},
      body: body ?? Buffer.alloc(0),
      refusal: found?.route.refuse ?? vendor.refuse,
    });
    try {
      if (found === undefined) throw exchange.refusal(404);
      if (body === undefined) throw exchange.refusal(413);
      await this.#meet(found.route, exchange, vendor);
      await found.route.handle(exchange);
    } catch (error) {
      settle(error, exchange);
    }
  }

  /** Answers a request for a WebSocket: refused as any other request is, before it is one. */
  async #connect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { mount: name, path, search } = split(request.url ?? '/');
    const mounted = this.#mounted.get(name);
    const found = mounted === undefined ? undefined : match(mounted, 'GET', path);
    if (mounted === undefined || found === undefined || !opensSocket(found.route)) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    const { vendor } = mounted;
    const { route, params } = found;
    const exchange = new Exchange({
      ...{ stage: this.#parts.stage, vendor, request, response, path, search, params, body: Buffer.alloc(0) },
      refusal: route.refuse ?? vendor.refuse,
    });
    response.once('finish', () => socket.end());
    try {
      await this.#meet(route, exchange, vendor);
      route.admit?.(exchange);
      response.detachSocket(socket);
      const webSocket = await this.#sockets.accept(request, socket, head);
      const twinSocket = new TwinSocket(webSocket, exchange.lateFaults);
      route.connect?.(exchange, twinSocket);
      const { messages } = route;
      if (messages === undefined) return;
      const connection = new Map<string, unknown>();
      twinSocket.hear((data) =>
        this.#answer(data, messages, {
          ...{ stage: this.#parts.stage, vendor, request, path, search, params, connection },
          ...{ response: new FramedResponse(request, webSocket), refusal: route.refuse ?? vendor.refuse },
        }),
      );
    } catch (error) {
      settle(error, exchange);
    }
  }

  /** Answers one message of a WebSocket as the request that it is. */
  async #answer(
    data: Buffer,
    { read, operation, handle }: NonNullable<Route['messages']>,
    parts: Omit<ConstructorParameters<typeof Exchange>[0], 'body'> & { readonly vendor: Vendor },
  ): Promise<void> {
    let exchange = new Exchange({ ...parts, body: data });
    try {
      exchange = new Exchange({ ...parts, body: read(data) });
      const path = typeof parts.path === 'string' ? parts.path : '';
      await this.#meet({ method: 'POST', path, operation, open: true, handle }, exchange, parts.vendor);
      await handle(exchange);
    } catch (error) {
      settle(error, exchange);
    }
  }

  /** Notes the request, asks for its credentials and suffers the faults that are scripted for it. */
  async #meet(route: Route, exchange: Exchange, vendor: Vendor): Promise<void> {
    const { faults, requests, stage } = this.#parts;
    const { request, response } = exchange;
    const operation = typeof route.operation === 'string' ? route.operation : route.operation(exchange);
    requests?.add(
      {
        vendor: vendor.name,
        operation,
        method: request.method ?? 'GET',
        path: exchange.search === '' ? exchange.path : `${exchange.path}?${exchange.search}`,
        headers: request.headers,
        at: stage.now(),
      },
      exchange.body,
      () => (response.headersSent ? response.statusCode : undefined),
    );
    if (route.open !== true) vendor.authenticate(exchange);
    const { path, body } = exchange;
    const asksFor = (model: string): boolean => asksForModel({ path, body, model });
    const fault = faults.take({ vendor: vendor.name, operation, path, asksFor });
    if (fault !== undefined) await exchange.meet(fault);
  }
}

function opensSocket({ connect, messages }: Route): boolean {
  return connect !== undefined || messages !== undefined;
}

function settle(error: unknown, exchange: Exchange): void {
  if (error instanceof Gone || exchange.response.destroyed) return;
  if (error instanceof Refusal) {
    exchange.refuse(error);
    return;
  }
  // A fault of the twin itself: say so where a developer will see it, in the shape the client expects.
  const message = `The twin failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  exchange.refuse(exchange.refusal(500, { message }));
}

const MODEL_FIELDS = ['model', 'model_name', 'ModelName'];

/** By a field of JSON or of a form, or by a step of the path (`/models/NAME:generateContent`), as each vendor has it. */
function asksForModel({ path, body, model }: { path: string; body: Buffer; model: string }): boolean {
  const steps = path.split('/');
  if (steps.includes(model) || steps.includes(encodeURIComponent(model))) return true;
  if (steps.some((step) => step.startsWith(`${model}:`))) return true;
  const text = body.toString('utf8');
  if (text.startsWith('--')) return text.includes(`name="model"\r\n\r\n${model}\r\n`);
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) && MODEL_FIELDS.some((field) => json[field] === model);
  } catch {
    return false;
  }
}

function mount(vendor: Vendor): Mounted {
  const exact = new Map<string, Route>();
  for (const route of vendor.routes) {
    if (typeof route.path === 'string') exact.set(`${route.method} ${route.path}`, route);
  }
  return { vendor, exact, patterns: vendor.routes.filter((route) => typeof route.path !== 'string') };
}

function match(
  mounted: Mounted,
  method: string,
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const exact = mounted.exact.get(`${method} ${path}`);
  if (exact !== undefined) return { route: exact, params: {} };
  for (const route of mounted.patterns) {
    if (route.method !== method || typeof route.path === 'string') continue;
    const found = route.path.exec(path);
    if (found === null) continue;
    const params: Record<string, string> = {};
    for (const [name, value] of Object.entries<string | undefined>(found.groups ?? {}))
      if (value !== undefined) params[name] = decodeURIComponent(value);
    return { route, params };
  }
  return undefined;
}

function split(url: string): { readonly mount: string; readonly path: string; readonly search: string } {
  const mark = url.indexOf('?');
  const whole = mark === -1 ? url : url.slice(0, mark);
  const slash = whole.indexOf('/', 1);
  return {
    mount: slash === -1 ? whole.slice(1) : whole.slice(1, slash),
    path: slash === -1 ? '/' : whole.slice(slash),
    search: mark === -1 ? '' : url.slice(mark + 1),
  };
}

/** The whole body; undefined when it is larger than any vendor takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LARGEST_BODY) chunks.push(chunk);
    });
    request.once('end', () => {
      if (length > LARGEST_BODY) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
    // A client that hangs up while sending: nobody will read the answer.
    request.once('error', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** A gateway with workers, in processes of its own, and what its tests need of it. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@model-gateway/contracts';
import { startGatewayProcess, type GatewayProcess, until } from '@model-gateway/testing';
import type { VendorTwin } from '@model-gateway/vendor-twin';

export const KEY = 'sk-workers-0123456789abcdef0123';
export const LIMITED_KEY = 'sk-workers-limited-0123456789abc';
export const NARROW_KEY = 'sk-workers-narrow-0123456789abcd';
export const ADMIN_KEY = 'admin-workers-0123456789abcdef';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: JsonObject;
}

export interface WorkersGateway {
  readonly folder: string;
  process: GatewayProcess;
  /** Everything it has printed. */
  readonly printed: () => string;
  /** The log's lines with this message. */
  readonly logged: (message: string) => readonly JsonObject[];
  /** Its workers' process ids, from those that have served. */
  readonly children: () => readonly number[];
  call(path: string, options?: CallOptions): Promise<Reply>;
  restart(): Promise<void>;
  close(): Promise<void>;
}
export interface CallOptions {
  readonly method?: string;
  readonly key?: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The rows that every test of workers works with: one chat model with two accounts, one video model. */
export function yamlOf(folder: string, twin: VendorTwin, more = ''): string {
  const account = (id: number, name: string, vendor: 'openai' | 'ark') =>
    `  - { id: ${id}, name: ${name}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }`;
  return `server: { port: 0, drain_seconds: 10 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
tasks: { poll_seconds: 0.5 }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
keys:
  - { name: plain, key: ${KEY}, webhook_secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw }
  - { name: limited, key: ${LIMITED_KEY}, limits: { requests_per_minute: 10 } }
  - { name: narrow, key: ${NARROW_KEY}, limits: { concurrent_requests: 2 } }
extends: none
accounts:
${account(1, 'chat', 'openai')}
${account(4, 'ark', 'ark')}
models:
  - { code: chat, kind: chat, limits: { max_output_tokens: 1000, max_input_tokens: 10000 }, offers: [{ account: chat, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: 2 } }
  - { code: film, kind: video, body: content, usual_seconds: 1, offers: [{ account: ark, model: doubao-seedance-2-0-fast-260128 }], price: { output_tokens: 5.1 } }
${more}`;
}

/** Starts it; with `yaml` instead of the usual rows. */
export async function startWorkers(
  twin: VendorTwin,
  options: {
    readonly workers?: number;
    readonly yaml?: (folder: string) => string;
    readonly env?: Record<string, string>;
  } = {},
): Promise<WorkersGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-workers-'));
  writeFileSync(join(folder, 'gateway.yaml'), options.yaml?.(folder) ?? yamlOf(folder, twin));
  let said = '';
  const start = async (): Promise<GatewayProcess> => {
    const started = await startGatewayProcess({
      folder,
      logLevel: 'info',
      env: { GATEWAY_WORKERS: String(options.workers ?? 2), GATEWAY_ADMIN_KEY: ADMIN_KEY, ...options.env },
      heard: (text) => (said += text),
    });
    return started;
  };
  const gateway: WorkersGateway = {
    folder,
    process: await start(),
    printed: () => said,
    logged: (message) =>
      said
        .split('\n')
        .filter((line) => line.startsWith('{') && line.includes(`"msg":"${message}"`))
        .map((line) => JSON.parse(line) as JsonObject),
    children() {
      const { pid = 0 } = gateway.process.child;
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .split(' ')
        .filter((word) => word !== '')
        .map(Number);
    },
    call: (path, call) => callOn(gateway.process.url, path, call),
    async restart() {
      gateway.process = await start();
    },
    async close() {
      await gateway.process.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await until(() => gateway.children().length >= (options.workers ?? 2));
  await until(async () => (await gateway.call('/metrics')).text.includes(`gateway_workers ${options.workers ?? 2}`));
  return gateway;
}

/** On a connection of its own: connections go to the workers in turn. */
export async function callOn(
  url: string,
  path: string,
  { method, key = KEY, body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const asking = request(`${url}${path}`, {
    agent: false,
    signal: AbortSignal.timeout(60_000),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
  asking.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of reply) text += String(chunk);
  const isJson = (reply.headers['content-type'] ?? '').includes('json');
  return {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    text,
    json: isJson ? (JSON.parse(text) as JsonObject) : {},
  };
}

/** A chat request. */
export const CHAT = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] };

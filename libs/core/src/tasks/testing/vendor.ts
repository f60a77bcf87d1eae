/** A vendor of a few lines on a real socket, whose every answer a test may write, and the adapter that speaks to it. Not part of the product. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { MediaFile, ProviderAdapter, VideoProgress } from '@model-gateway/provider-kit';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: JsonObject;
}
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly bytes?: Uint8Array;
  /** Does not answer; the connection stays open, or is cut. */
  readonly silence?: 'hang' | 'cut';
}
export type Script = (asked: Asked) => Answer | undefined | Promise<Answer | undefined>;

export interface TestVendor {
  readonly url: string;
  readonly asked: Asked[];
  /** Jobs the vendor would bill. */
  readonly jobs: Map<string, JsonObject>;
  /** Answers instead of the usual; undefined = as usual. */
  script: Script;
  /** What a poll of any job says; `{status: 'done', url}` by default. */
  poll: JsonObject;
  close(): Promise<void>;
}

/** Starts it. POST /jobs makes a job, GET /jobs/{id} tells of it, DELETE cancels it, GET /jobs?key= finds it, GET /file serves one. */
export async function startTestVendor(prefix = 'job'): Promise<TestVendor> {
  const asked: Asked[] = [];
  const jobs = new Map<string, JsonObject>();
  const vendor = { script: (() => undefined) as Script, poll: { status: 'done' } as JsonObject };

  const usual = ({ method, path, json }: Asked): Answer => {
    const [, collection, id] = path.split('?')[0]?.split('/') ?? [];
    if (method === 'POST') {
      const made = `${prefix}-${jobs.size + 1}`;
      jobs.set(made, json);
      return { json: { id: made } };
    }
    if (collection === 'file') return { bytes: Buffer.from('0123456789'), headers: { 'content-type': 'video/mp4' } };
    if (path.includes('?key=')) {
      const key = path.split('?key=')[1];
      const found = [...jobs].find(([, job]) => job['key'] === key);
      return { json: { ids: found === undefined ? [] : [found[0]] } };
    }
    if (id === undefined || !jobs.has(id)) return { status: 404, json: { error: 'no such job' } };
    if (method === 'DELETE') {
      jobs.set(id, { ...jobs.get(id), cancelled: true });
      return { json: {} };
    }
    if (jobs.get(id)?.['cancelled'] === true) return { json: { status: 'cancelled' } };
    return { json: { url: `${url}/file/${id}`, ...vendor.poll, id } };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const question: Asked = { method, path, headers, json: text === '' ? {} : (JSON.parse(text) as JsonObject) };
    asked.push(question);
    const answer = (await vendor.script(question)) ?? usual(question);
    if (answer.silence === 'hang') return;
    if (answer.silence === 'cut') {
      request.socket.destroy();
      return;
    }
    const body = answer.bytes ?? Buffer.from(JSON.stringify(answer.json ?? {}));
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/json',
      'content-length': body.length,
      ...answer.headers,
    });
    response.end(body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(vendor, {
    url,
    asked,
    jobs,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Speaks to the test vendor. `without` takes capabilities away. */
export function testAdapter(
  id = 'scripted',
  without: readonly ('cancel' | 'reconcile' | 'refresh')[] = [],
): ProviderAdapter {
  const jobPath = (ticket: JsonObject): string => `/jobs/${textOf(ticket['id'])}`;
  const idOf = (json: Json | undefined): string => {
    const id = isJsonObject(json) ? json['id'] : undefined;
    if (typeof id !== 'string') throw new GatewayError('upstream_malformed', 'no id in the reply');
    return id;
  };
  const videos: ProviderAdapter['videos'] = {
    async start(input, upstream) {
      const json = { prompt: input.prompt ?? '', key: input.dedupeKey };
      const reply = await upstream.send({ method: 'POST', path: '/jobs', json });
      return { ticket: { id: idOf(reply.json) }, dropped: input.seed === undefined ? [] : ['seed'] };
    },
    async check(ticket, upstream) {
      return progressOf((await upstream.send({ method: 'GET', path: jobPath(ticket) })).json ?? null);
    },
    async cancel(ticket, upstream) {
      await upstream.send({ method: 'DELETE', path: jobPath(ticket) });
    },
    async reconcile({ dedupeKey }, upstream) {
      const { json } = await upstream.send({ method: 'GET', path: `/jobs?key=${dedupeKey}` });
      const ids = isJsonObject(json) && Array.isArray(json['ids']) ? json['ids'] : [];
      return ids[0] === undefined ? undefined : { id: ids[0] };
    },
    async refresh(ticket, upstream): Promise<MediaFile[]> {
      const { json } = await upstream.send({ method: 'GET', path: `${jobPath(ticket)}/link` });
      return isJsonObject(json) && typeof json['url'] === 'string' ? [{ url: json['url'], mime: 'video/mp4' }] : [];
    },
  };
  for (const capability of without) Reflect.deleteProperty(videos, capability);
  return {
    id,
    videos,
    subjects: {
      async start(input, upstream) {
        const reply = await upstream.send({
          method: 'POST',
          path: '/jobs',
          json: { name: input.name, key: input.dedupeKey },
        });
        return { ticket: { id: idOf(reply.json) } };
      },
      async check(ticket, upstream) {
        const { json = null } = await upstream.send({ method: 'GET', path: jobPath(ticket) });
        const payload = isJsonObject(json) ? json : {};
        if (payload['status'] === 'working') return { state: 'running', percent: 40, payload };
        if (payload['status'] === 'failed') {
          return { state: 'failed', fault: { code: 'content_refused', message: 'a face was refused' }, payload };
        }
        return { state: 'succeeded', subjectIds: [textOf(payload['subject'])], payload };
      },
    },
    authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
    readFault(reply) {
      const error = isJsonObject(reply.json) ? reply.json['error'] : undefined;
      if (reply.status < 400 || typeof error !== 'string') return undefined;
      if (reply.status === 404) return { code: 'task_not_exist', message: error };
      return reply.status === 400 ? { code: 'invalid_request', message: error } : undefined;
    },
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function progressOf(payload: Json): VideoProgress {
  const job = isJsonObject(payload) ? payload : {};
  const status = typeof job['status'] === 'string' ? job['status'] : '';
  const percent = typeof job['percent'] === 'number' ? { percent: job['percent'] } : {};
  switch (status) {
    case 'waiting':
      return { state: 'queued', payload };
    case 'working':
      return { state: 'running', ...percent, payload };
    case 'done': {
      const more = isJsonObject(job['file']) ? job['file'] : {};
      return { state: 'succeeded', files: filesOf(job, more), usage: { videos: 1 }, payload };
    }
    case 'failed':
      return { state: 'failed', fault: { code: 'content_refused', message: textOf(job['reason']) }, payload };
    case 'cancelled':
      return { state: 'failed', fault: { code: 'conflict', message: 'task cancelled' }, payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function filesOf(job: JsonObject, more: JsonObject): MediaFile[] {
  if (typeof job['base64'] === 'string') {
    return [{ bytes: Buffer.from(job['base64'], 'base64'), mime: 'video/mp4' }];
  }
  return typeof job['url'] === 'string' ? [{ url: job['url'], mime: 'video/mp4', ...more }] : [];
}

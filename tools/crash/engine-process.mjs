/**
 * The part of the gateway that a crash can hurt, alone: task engine, store, adapters and keys, behind the few routes that the crash run's clients
 * use. Everything before it (validation, limits, documents) keeps nothing; leaving it out makes a life some four times cheaper.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { GatewayError } from '../../libs/contracts/src/index.ts';
import { createApiKeyAuthenticator } from '../../libs/core/src/keys/api-keys.ts';
import { createVideoPrices } from '../../libs/core/src/kinds/video/video-price.ts';
import { createUpstreamFactory } from '../../libs/core/src/upstream-factory.ts';
import { createRouter } from '../../libs/core/src/routing.ts';
import { createSignedLinks, createTaskEngine } from '../../libs/core/src/tasks/index.ts';
import { createUntrustedFetcher, createUpstreamPools } from '../../libs/provider-kit/src/index.ts';
import { ark } from '../../libs/providers/ark/src/adapter.ts';
import { minimax } from '../../libs/providers/minimax/src/adapter.ts';
import { tencentVod } from '../../libs/providers/tencent-vod/src/adapter.ts';
import { openStore } from '../../libs/store/src/index.ts';
import { platformOf } from '../../apps/gateway/src/adapters.ts';
import { createBlobFolder } from '../../apps/gateway/src/server/blob-folder.ts';
import { acknowledgementOf } from '../../apps/gateway/src/resources/videos/acknowledgement.ts';
import { taskReplyOf } from '../../apps/gateway/src/resources/videos/task-record.ts';
import { webhookBodyOf } from '../../apps/gateway/src/resources/webhooks/body.ts';
import { dyingAt } from './dying-at.mjs';

const PATHS = /^\/v1\/video\/generations(?:\/([^/?]+))?(?:\?wait=(\d+))?$/;
const REPLAY = /^\/admin\/webhook-deliveries\/([^/]+)\/replay$/;
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const meter = { count: quiet, observe: quiet, series: () => quiet };

/** Opens the database, takes over what was left, and listens. Resolves with the address. */
export async function serveEngine({ databaseUrl, filesFolder, catalogue, pollSeconds, adminKey }, crashAt) {
  const now = () => Date.now();
  const store = await openStore(databaseUrl);
  const soleProcess = databaseUrl.startsWith('sqlite:');
  let url = '';
  const parts = {
    store,
    catalogue: () => catalogue,
    adapters: new Map([ark, minimax, tencentVod].map((adapter) => [adapter.id, adapter])),
    router: createRouter({ now, random: Math.random }),
    pools: createUpstreamPools(),
    untrustedFetcher: createUntrustedFetcher({ allowPrivate: ['127.0.0.1'] }),
    now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log,
    meter,
    publicUrl: () => url,
    ...(crashAt !== undefined && { step: dyingAt(crashAt) }),
  };
  const tasks = createTaskEngine({
    ...parts,
    ...createUpstreamFactory(parts),
    money: createVideoPrices(parts.catalogue),
    blobs: createBlobFolder(filesFolder),
    links: createSignedLinks({
      secret: await store.settings.first('link_secret', 'crash'),
      addressOf: (kind, id) => `${url}/${kind}/${id}`,
      now,
    }),
    webhookBody: (ended) => webhookBodyOf(ended, { platformOf }),
    settings: { pollSeconds, deadlineHours: 24, soleProcess },
  });
  const ring = createApiKeyAuthenticator({ keys: store.keys, now, log });

  const shown = { resultUrl: (task) => tasks.resultUrl(task), platformOf };
  const print = {
    created: (task) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(acknowledgementOf(task))) }),
    refused: (error) => ({
      status: error.status(),
      headers: {},
      body: Buffer.from(JSON.stringify({ code: error.code, message: error.message })),
    }),
  };

  const answer = async (request, body, signal) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const delivery = REPLAY.exec(request.url)?.[1];
    if (delivery !== undefined && token === adminKey) {
      await store.webhooks.replay(delivery, now());
      return {};
    }
    const [matched, id, wait] = PATHS.exec(request.url) ?? [];
    if (matched === undefined) throw new GatewayError('not_found', 'there is nothing here');
    const caller = { key: await ring.find(token), mode: 'live', requestId: crypto.randomUUID(), signal };
    if (request.method === 'DELETE') return taskReplyOf(await tasks.cancel(caller, id), shown);
    if (request.method === 'GET') {
      return taskReplyOf(await tasks.waitForEnd(caller, id, wait === undefined ? 0 : 1000), shown);
    }
    const fingerprint = createHash('sha256').update(`${request.method} ${request.url}\n`).update(body).digest('hex');
    const idempotency = { key: request.headers['idempotency-key'], fingerprint, print };
    const created = await tasks.createVideo(caller, JSON.parse(body), { endpoint: 'generations', idempotency });
    return created.replayed ?? acknowledgementOf(created.task);
  };
  const server = createServer((request, response) => {
    const hangUp = new AbortController();
    response.once('close', () => hangUp.abort());
    const send = (status, bytes) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(bytes);
    };
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      answer(request, body, hangUp.signal).then(
        (reply) =>
          reply.body instanceof Uint8Array
            ? send(reply.status, Buffer.from(reply.body))
            : send(200, JSON.stringify(reply)),
        (error) => {
          const known = error instanceof GatewayError;
          send(
            known ? error.status() : 500,
            JSON.stringify({ code: known ? error.code : 'internal', message: error.message }),
          );
        },
      );
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}`;
  tasks.start();
  return url;
}

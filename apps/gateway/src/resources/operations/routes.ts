/** For load balancers, monitoring and tools: no key. */
import { GatewayError } from '@model-gateway/contracts';
import { hashKey, type Store } from '@model-gateway/core';
import { operation, type Handlers } from '../../http/operation.ts';
import { isSecret, tokenOf } from '../../http/steps/authenticate.ts';
import { openApiDocument } from '../../http/document.ts';

export interface OperationsParts {
  readonly store: Store;
  readonly draining: () => boolean;
  readonly metricsPage: () => Promise<string>;
  /** What /metrics asks for; nothing when undefined. */
  readonly metricsKey: string | undefined;
}

/** Handlers of /healthz, /readyz, /metrics and /openapi.json. */
export function operationsRoutes({ store, draining, metricsPage, metricsKey }: OperationsParts): Handlers {
  const metricsKeyHash = metricsKey === undefined ? undefined : hashKey(metricsKey);
  let document: string | undefined;
  return {
    getHealth: operation<'getHealth'>(() => ({ status: 200, body: { status: 'ok' } })),
    async getReadiness(_request, response) {
      const database = await store.ping().then(
        () => 'ok',
        () => 'failed',
      );
      const status = draining() ? 'draining' : database === 'ok' ? 'ready' : 'not_ready';
      response.status(status === 'ready' ? 200 : 503).json({ status, checks: { database } });
    },
    async getMetrics(request, response) {
      if (metricsKeyHash !== undefined && !isSecret(tokenOf(request) ?? '', metricsKeyHash)) {
        throw new GatewayError('unauthenticated', 'the metrics take their own key as Authorization: Bearer …');
      }
      response.type('text/plain; version=0.0.4; charset=utf-8').send(await metricsPage());
    },
    getOpenapi(_request, response) {
      document ??= JSON.stringify(openApiDocument());
      response.type('application/json').send(document);
    },
  } as Handlers;
}

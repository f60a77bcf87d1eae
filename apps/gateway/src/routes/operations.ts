/** For load balancers, monitoring and tools: no key. */
import type { Store } from '@model-gateway/core';
import { operation, type Handlers } from '../http/operation.ts';
import { openApiDocument } from '../http/document.ts';

export interface OperationsParts {
  readonly store: Store;
  readonly draining: () => boolean;
  readonly metricsPage: () => Promise<string>;
}

/** Handlers of /healthz, /readyz, /metrics and /openapi.json. */
export function operationsRoutes({ store, draining, metricsPage }: OperationsParts): Handlers {
  const document = JSON.stringify(openApiDocument());
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
    async getMetrics(_request, response) {
      response.type('text/plain; version=0.0.4; charset=utf-8').send(await metricsPage());
    },
    getOpenapi(_request, response) {
      response.type('application/json').send(document);
    },
  } as Handlers;
}

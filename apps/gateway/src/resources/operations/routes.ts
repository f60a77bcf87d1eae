/** For load balancers, monitoring and tools: no key. */
import type { Request } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { hashKey, type Log, type Store } from '@model-gateway/core';
import type { Config } from '../../config/config.ts';
import { OPEN_METRICS } from '../../config/schema.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { isSecret, tokenOf } from '../../http/steps/authenticate.ts';
import { openApiDocument } from '../../http/document.ts';

export interface OperationsParts {
  readonly store: Store;
  readonly draining: () => boolean;
  readonly metricsPage: () => Promise<string>;
  readonly metrics: Config['server']['metrics'];
  readonly log: Pick<Log, 'warn'>;
}

/** Handlers of /healthz, /readyz, /metrics and /openapi.json. */
export function operationsRoutes({ store, draining, metricsPage, metrics, log }: OperationsParts): Handlers {
  const checkMetricsKey = metricsGate(metrics, log);
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
      checkMetricsKey(request);
      response.type('text/plain; version=0.0.4; charset=utf-8').send(await metricsPage());
    },
    getOpenapi(_request, response) {
      document ??= JSON.stringify(openApiDocument());
      response.type('application/json').send(document);
    },
  } as Handlers;
}

/** Makes the check of who may read the metrics; it throws `unauthenticated`. Where nobody may, the operator is told once that somebody tried. */
function metricsGate(metrics: OperationsParts['metrics'], log: OperationsParts['log']): (request: Request) => void {
  if (metrics === 'open') return () => undefined;
  if (metrics !== 'closed') {
    const hash = hashKey(metrics.key);
    return (request) => {
      if (isSecret(tokenOf(request) ?? '', hash)) return;
      throw new GatewayError('unauthenticated', 'the metrics take their own key as Authorization: Bearer …');
    };
  }
  const closed = `the metrics are closed: other machines reach this gateway and it has no metrics key; set GATEWAY_METRICS_KEY and give it to what scrapes, or set it to '${OPEN_METRICS}' where nobody else reaches the port`;
  let isTold = false;
  return () => {
    if (!isTold) log.warn({}, closed);
    isTold = true;
    throw new GatewayError('unauthenticated', closed);
  };
}

/** Where Azure has what OpenAI has at a path (docs/wire/azure.md#addresses). */
import type { Account, Upstream, UpstreamRequest } from '@model-gateway/provider-kit';

type Settings = Account['settings'];

/** The wire without dates, `…/openai/v1`, and the word that shows what is in preview there. */
const V1 = new Set(['', 'v1', 'preview']);

/** Whether an account is asked on the wire without dates. */
export function isOnV1(settings: Settings): boolean {
  return V1.has(settings['api_version'] ?? '');
}

/** Responses name their deployment in the body, all else on the dated wire in the path. */
export function azurePath(path: string, deployment: string, settings: Settings): string {
  const version = settings['api_version'] ?? '';
  if (isOnV1(settings)) return `/openai/v1${path}${version === 'preview' ? '?api-version=preview' : ''}`;
  const below = path.startsWith('/responses') ? '' : `/deployments/${encodeURIComponent(deployment)}`;
  return `/openai${below}${path}?api-version=${encodeURIComponent(version)}`;
}

/** A request for OpenAI, as Azure is asked it. */
export function onAzure(request: UpstreamRequest, deployment: string, settings: Settings): UpstreamRequest {
  return request.url === undefined ? { ...request, path: azurePath(request.path, deployment, settings) } : request;
}

/** The way out for a part that asks as OpenAI is asked. */
export function azureUpstream(upstream: Upstream): Upstream {
  const {
    model,
    account: { settings },
  } = upstream;
  return {
    ...upstream,
    send: (request) => upstream.send(onAzure(request, model, settings)),
    stream: (request) => upstream.stream(onAzure(request, model, settings)),
    connect: ({ path, ...request }) => upstream.connect({ ...request, path: `/openai/v1${path}` }),
  };
}

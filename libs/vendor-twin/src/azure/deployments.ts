/** OpenAI's routes where Azure has them, and Azure's words for a refusal. */
import type { Exchange } from '../core/exchange.ts';
import { isMultipart } from '../core/multipart.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import type { OpenAiError } from '../openai/errors.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['BadRequest', 'The request is invalid.'],
  401: [
    '401',
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
  ],
  403: ['PermissionDenied', 'The principal lacks the required data action to perform this operation.'],
  404: ['404', 'Resource not found'],
  429: ['429', 'Requests have exceeded the call rate limit of your current pricing tier. Please retry later.'],
  500: ['InternalServerError', 'The server had an error while processing your request. Sorry about that!'],
  503: ['ServiceUnavailable', 'The service is temporarily unable to process your request. Please try again later.'],
};

export function refuseAsAzure(status: number, { message }: RefusalHints = {}): Refusal {
  const [code, usual] = wordsOf(WORDS, status);
  return new Refusal(status, { error: { code, message: message ?? usual } });
}

const DATED = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/;
const FIRST_WITH_RESPONSES = '2025-03-01-preview';
/** A deployment has any name; here it ends with that of its model. */
const OWN_PREFIX = /^[a-z]+-(?=gpt|o\d|text-|whisper|tts)/;

/** Both wires of what is asked of a deployment. */
export function byDeployment(routes: readonly Route[]): readonly Route[] {
  return [...routes.map(onV1), ...routes.map(atDeployment)];
}

/** Both wires of what names its deployment in the body. */
export function byModel(routes: readonly Route[]): readonly Route[] {
  return [...routes.map(onV1), ...routes.map(dated)];
}

/** `/v1/x` of OpenAI's, below another path. */
function below(path: Route['path'], prefix: string): RegExp {
  const tail = typeof path === 'string' ? `${path.slice('/v1'.length).replaceAll('.', '\\.')}$` : path.source.slice(5);
  return new RegExp(`^${prefix}${tail}`);
}

/** The wire without dates alone. */
export function onV1(route: Route): Route {
  return {
    ...route,
    path: below(route.path, '/openai/v1'),
    handle: async (exchange) => {
      const version = exchange.query.get('api-version');
      if (version !== null && version !== 'v1' && version !== 'preview') throw refuseAsAzure(404);
      await atModel(exchange, modelIn(exchange), route);
    },
  };
}

function atDeployment(route: Route): Route {
  return {
    ...route,
    path: below(route.path, '/openai/deployments/(?<deployment>[^/]+)'),
    handle: async (exchange) => {
      if (!DATED.test(exchange.query.get('api-version') ?? '')) throw refuseAsAzure(404);
      await atModel(exchange, exchange.params['deployment'] ?? '', route);
    },
  };
}

function dated(route: Route): Route {
  return {
    ...route,
    path: below(route.path, '/openai'),
    handle: async (exchange) => {
      const version = exchange.query.get('api-version') ?? '';
      if (!DATED.test(version)) throw refuseAsAzure(404);
      if (version < FIRST_WITH_RESPONSES) {
        const message = `Azure OpenAI Responses API is enabled only for api-version ${FIRST_WITH_RESPONSES} and later`;
        throw refuseAsAzure(400, { message });
      }
      await atModel(exchange, modelIn(exchange), route);
    },
  };
}

/** As OpenAI would for the model behind the deployment, with Azure's words for a refusal. */
async function atModel(exchange: Exchange, deployment: string | undefined, route: Route): Promise<void> {
  if (deployment !== undefined) {
    if (/^(?:no-such|unknown|missing)-/.test(deployment)) {
      const message =
        'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.';
      throw new Refusal(404, { error: { code: 'DeploymentNotFound', message } });
    }
    restateModel(exchange, deployment.replace(OWN_PREFIX, ''));
  }
  try {
    await route.handle(exchange);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { error: said } = error.body as { readonly error?: Partial<OpenAiError> };
    if (error.status !== 500 || said === undefined) throw error;
    throw refuseAsAzure(500, said.message === undefined ? {} : { message: said.message });
  }
}

function modelIn(exchange: Exchange): string | undefined {
  if (isMultipart(exchange) || exchange.body.length === 0) return undefined;
  const model = exchange.json(() => refuseAsAzure(400)).value['model'];
  return typeof model === 'string' ? model : undefined;
}

/** In a form the model stands as it is written: deployments that are asked so bear their model's name. */
function restateModel(exchange: Exchange, model: string): void {
  if (isMultipart(exchange)) return;
  const body = exchange.json(() => refuseAsAzure(400)).value;
  exchange.restate(Buffer.from(JSON.stringify({ ...body, model })));
}

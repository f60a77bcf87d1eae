import { bearer, same } from '../core/auth.ts';
import { Refusal } from '../core/refusal.ts';
import { apiKeyOf, type Vendor } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { imageRoutes } from '../openai/images.ts';
import { responsesRoutes } from '../openai/responses.ts';
import { speechRoute } from '../openai/speech.ts';
import { byDeployment, byModel, refuseAsAzure } from './deployments.ts';
import { ENTRA, entraRoutes, isEntraToken } from './entra.ts';
import { ROUTES } from './generated/routes.ts';

const SAFE = Object.fromEntries(
  ['hate', 'self_harm', 'sexual', 'violence'].map((category) => [category, { filtered: false, severity: 'safe' }]),
);

function refusePrompt(): Refusal {
  const message =
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.";
  return new Refusal(400, {
    error: {
      message,
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: { ...SAFE, violence: { filtered: true, severity: 'medium' } },
      },
    },
  });
}

const chat = chatRoute('/v1/chat/completions', {
  strict: true,
  showsReasoning: false,
  filters: { prompt: [{ prompt_index: 0, content_filter_results: SAFE }], answer: SAFE, refusal: refusePrompt },
});
/** Azure OpenAI: the wire without dates, and the dated one with deployments in the path. */
export const azure: Vendor<'azure'> = {
  name: 'azure',
  standsFor: [{ vendor: 'azure' }],
  credentials: () => ({ api_key: apiKeyOf('azure'), ...ENTRA }),
  basePath: '',
  routes: [
    ...entraRoutes,
    ...byDeployment([chat, ...imageRoutes, speechRoute]),
    ...ROUTES,
    ...byModel(responsesRoutes),
  ],
  refuse: refuseAsAzure,
  authenticate(exchange) {
    const key = exchange.header('api-key');
    if (key !== undefined && same(key, apiKeyOf('azure'))) return;
    const token = bearer(exchange);
    // The wire without dates takes a key as OpenAI's own clients send it, too.
    if (key === undefined && exchange.path.startsWith('/openai/v1/') && same(token, apiKeyOf('azure'))) return;
    if (key === undefined && isEntraToken(exchange, token)) return;
    throw refuseAsAzure(401);
  },
};

import { bearer, same } from '../core/auth.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { chatRoute } from './chat.ts';
import { refuseAsOpenAi } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { imageRoutes } from './images.ts';
import { modelRoutes } from './models.ts';
import { responsesRoutes } from './responses.ts';
import { speechRoute } from './speech.ts';
import { videoRoutes } from './videos.ts';

const MODELS = ['gpt-5.2', 'gpt-5-mini', 'gpt-4.1', 'gpt-4o', 'gpt-audio-mini', 'gpt-image-2', 'o4-mini', 'sora-2'];

/** OpenAI and those on its wires. */
export const openai: Vendor<'openai'> = {
  name: 'openai',
  standsFor: [{ vendor: 'openai' }, { vendor: 'openai-compatible' }],
  credentials: apiKey('openai'),
  basePath: '/v1',
  routes: [
    chatRoute('/v1/chat/completions', { strict: true, showsReasoning: false }),
    ...responsesRoutes,
    ...imageRoutes,
    speechRoute,
    ...ROUTES,
    ...videoRoutes,
    ...modelRoutes('/v1', 'openai', MODELS),
  ],
  refuse: refuseAsOpenAi,
  authenticate: (exchange) => {
    if (same(bearer(exchange), apiKeyOf('openai'))) return;
    const message =
      exchange.header('authorization') === undefined
        ? 'You did not provide an API key. Provide it in an Authorization header using Bearer auth.'
        : 'Incorrect API key provided: sk-*****.';
    throw refuseAsOpenAi(401, { message });
  },
};

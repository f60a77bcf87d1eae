import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { modelRoutes } from '../openai/models.ts';
import { refuseAsOllama } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { USUAL_CONTEXT } from './models.ts';

/** Ollama on its own wire, and its OpenAI-compatible API, where prompts are cut in silence. */
export const ollama: Vendor<'ollama'> = {
  name: 'ollama',
  standsFor: [{ vendor: 'ollama' }],
  credentials: apiKey('ollama'),
  basePath: '',
  routes: [
    ...ROUTES,
    chatRoute('/v1/chat/completions', { strict: false, showsReasoning: false, context: USUAL_CONTEXT }),
    ...modelRoutes('/v1', 'library', ['llama3.2:3b', 'qwen3:8b']),
  ],
  refuse: refuseAsOllama,
  // Nobody is asked for a key, but ollama.com refuses a wrong one.
  authenticate: (exchange) => {
    if (exchange.header('authorization') === undefined || same(bearer(exchange), apiKeyOf('ollama'))) return;
    throw refuseAsOllama(401);
  },
};

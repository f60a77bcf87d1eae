import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { refuseAsCohere } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Cohere: chat in OpenAI's form, vectors and scores in its own. */
export const cohere: Vendor<'cohere'> = {
  name: 'cohere',
  standsFor: [{ vendor: 'cohere' }],
  credentials: apiKey('cohere'),
  basePath: '',
  routes: [
    chatRoute('/compatibility/v1/chat/completions', {
      strict: true,
      showsReasoning: false,
      reword: (_status, { message }) => ({ message }),
    }),
    ...ROUTES,
  ],
  refuse: refuseAsCohere,
  authenticate: (exchange) => {
    if (same(bearer(exchange), apiKeyOf('cohere'))) return;
    throw refuseAsCohere(401, {
      message: exchange.header('authorization') === undefined ? 'no api key supplied' : 'invalid api token',
    });
  },
};

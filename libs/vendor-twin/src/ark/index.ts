import { bearer, same } from '../core/auth.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { chatErrorOfArk, refuseAsArk } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { arkImageRoute } from './images.ts';
import { arkVideoRoutes } from './videos.ts';

/** Volcengine Ark: Seedance videos, Seedream images, chat in OpenAI's dialect. */
export const ark: Vendor<'ark'> = {
  name: 'ark',
  standsFor: [{ vendor: 'ark' }],
  credentials: apiKey('ark'),
  basePath: '/api/v3',
  routes: [
    ...arkVideoRoutes,
    arkImageRoute,
    ...ROUTES,
    chatRoute('/api/v3/chat/completions', { strict: false, showsReasoning: true, reword: chatErrorOfArk }),
  ],
  refuse: refuseAsArk,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('ark'))) throw refuseAsArk(401);
  },
};

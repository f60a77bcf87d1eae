import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsRecraft } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Recraft: OpenAI's generations, and edits by forms. */
export const recraft: Vendor<'recraft'> = {
  name: 'recraft',
  standsFor: [{ vendor: 'recraft' }],
  credentials: apiKey('recraft'),
  basePath: '/v1',
  routes: ROUTES,
  refuse: refuseAsRecraft,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('recraft'))) throw refuseAsRecraft(401);
  },
};

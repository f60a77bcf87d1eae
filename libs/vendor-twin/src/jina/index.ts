import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsJina } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Jina: vectors and scores of documents. */
export const jina: Vendor<'jina'> = {
  name: 'jina',
  standsFor: [{ vendor: 'jina' }],
  credentials: apiKey('jina'),
  basePath: '/v1',
  routes: ROUTES,
  refuse: refuseAsJina,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('jina'))) throw refuseAsJina(401, { message: 'Invalid API key' });
  },
};

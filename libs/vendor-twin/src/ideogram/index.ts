import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsIdeogram } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Ideogram: pictures by forms, given by links. */
export const ideogram: Vendor<'ideogram'> = {
  name: 'ideogram',
  standsFor: [{ vendor: 'ideogram' }],
  credentials: apiKey('ideogram'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsIdeogram,
  authenticate: (exchange) => {
    if (!same(exchange.header('api-key'), apiKeyOf('ideogram'))) throw refuseAsIdeogram(401);
  },
};

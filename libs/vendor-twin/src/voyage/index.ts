import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsVoyage } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Voyage AI: vectors of texts and pictures, and scores of documents. */
export const voyage: Vendor<'voyage'> = {
  name: 'voyage',
  standsFor: [{ vendor: 'voyage' }],
  credentials: apiKey('voyage'),
  basePath: '/v1',
  routes: ROUTES,
  refuse: refuseAsVoyage,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('voyage'))) throw refuseAsVoyage(401);
  },
};

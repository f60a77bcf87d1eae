import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsStability } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Stability AI: pictures by forms, each answered at once. */
export const stability: Vendor<'stability'> = {
  name: 'stability',
  standsFor: [{ vendor: 'stability' }],
  credentials: apiKey('stability'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsStability,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('stability'))) throw refuseAsStability(401);
  },
};
